import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call, type Output } from '../../api/client.ts';
import { usePolling } from '../../api/use-polling.ts';
import { useRequest } from '../../api/use-request.ts';
import { Confirm } from '../../parts/dialog.tsx';
import { Fact, Page, Section } from '../../parts/page.tsx';
import { PlainText } from '../../parts/plain-text.tsx';
import { Loaded, More } from '../../parts/states.tsx';
import { type Task, TaskState, useTask } from '../../parts/task.tsx';
import { Time } from '../../parts/time.tsx';
import { notify } from '../../parts/toasts.tsx';
import { href, Link, navigate } from '../../router.tsx';
import { SOURCES } from '../../text/pages/sources.ts';
import { counted, formatAgo, formatDuration, t, formatNumber } from '../../text/text.ts';
import { Command } from './command.tsx';
import { Condition, RunsTable, type SourceInfo, Sparkline } from './runs.tsx';
import { needsApproval, SourceActions } from './source-actions.tsx';
import { usePages } from '../../api/use-pages.ts';
import { FILTERS } from '../../text/shell.ts';
import { callWithProgress } from '../../api/progress.ts';

type Shown = Output<'/api/v1/sources/show'>;

/** Everything about one source. */
export function SourceDetail({ id }: { readonly id: string }): JSX.Element {
  const request = useRequest((signal) => call('/api/v1/sources/show', { id }, { signal }), id);
  const task = useTask();
  usePolling(request.reload);
  const source = request.data?.source;
  return (
    <Page
      title={source?.name ?? id}
      about={
        <span class="row">
          <Link to={href('/sources')}>← {t(SOURCES.back)}</Link>
          {source !== undefined && <Condition source={source} />}
          {source !== undefined && <span class="quiet-text">{t(SOURCES[source.kind])}</span>}
        </span>
      }
      actions={
        source !== undefined && <SourceActions source={source} task={task} onChange={request.reload} />
      }
    >
      <Loaded request={request}>
        {(shown) => <Sections shown={shown} task={task} onChange={request.reload} />}
      </Loaded>
    </Page>
  );
}

interface SectionsProps {
  readonly shown: Shown;
  readonly task: Task;
  readonly onChange: () => void;
}

function Sections({ shown: { source, runs }, task, onChange }: SectionsProps): JSX.Element {
  const recent = source.recent_runs ?? [];
  return (
    <div class="source-sections">
      <TaskState task={task} />
      {source.error !== null && (
        <Section title={t(source.condition === 'broken' ? SOURCES.whyBroken : SOURCES.whyFailing)}>
          <p class="source-error">
            <PlainText text={source.error} />
          </p>
          {source.hint !== undefined && (
            <p class="quiet-text">
              <PlainText text={source.hint} />
            </p>
          )}
        </Section>
      )}
      {runs !== null && <Command source={source} runs={runs} onChange={onChange} />}
      <Section title={t(SOURCES.state)}>
        <State source={source} />
        <Sparkline runs={recent} />
        <RunsTable runs={recent} />
      </Section>
      {source.problems.length > 0 && (
        <Section title={t(SOURCES.problems)}>
          <ul class="problem-list">
            {source.problems.map((problem) => (
              <li key={problem}>
                <PlainText text={problem} />
              </li>
            ))}
          </ul>
          {source.problems.length >= MAX_PROBLEMS && <p class="quiet-text">{t(SOURCES.problemsMore)}</p>}
        </Section>
      )}
      {runs !== null && !needsApproval(source) && <Trial id={source.id} />}
      {source.kind === 'vault' && !['gone', 'set elsewhere'].includes(source.condition) && (
        <Section title={t(SOURCES.excluded)}>
          <Excluded id={source.id} />
        </Section>
      )}
      <Remove source={source} />
    </div>
  );
}

/** The store keeps so many problems of the last run. */
const MAX_PROBLEMS = 20;

function State({ source }: { readonly source: SourceInfo }): JSX.Element {
  const { kind, documents, hits, last_hit: lastHit, last_refresh: lastRefresh, took_ms: took } = source;
  const failed = source.total_failures;
  return (
    <dl class="facts">
      <Fact title={t(SOURCES.factDocuments)}>
        {counted(kind === 'vault' ? SOURCES.notes : SOURCES.documents, documents)}
      </Fact>
      <Fact title={t(SOURCES.factHits)}>
        {counted(SOURCES.searches, hits)}
        {lastHit !== null && `, ${t(SOURCES.lastHit, { ago: formatAgo(lastHit) })}`}
      </Fact>
      <Fact title={t(SOURCES.factRead)}>
        {lastRefresh === null ? t(SOURCES.never) : <Time iso={lastRefresh} />}
      </Fact>
      <Fact title={t(SOURCES.factNext)}>
        <Next source={source} />
      </Fact>
      {took !== null && <Fact title={t(SOURCES.factTook)}>{formatDuration(took)}</Fact>}
      <Fact title={t(SOURCES.factRuns)}>
        {t(SOURCES.runCounts, { ok: source.refreshes, failed })}
        {source.consecutive_failures > 1 && `, ${t(SOURCES.inARow, { n: source.consecutive_failures })}`}
      </Fact>
      {source.folder !== undefined && (
        <Fact title={t(FILTERS.folder)}>
          <PlainText text={source.folder} />
        </Fact>
      )}
    </dl>
  );
}

function Next({ source }: { readonly source: SourceInfo }): JSX.Element {
  const { condition, next_refresh: next, refresh_interval_ms: interval } = source;
  if (!['fresh', 'stale', 'new', 'failing'].includes(condition)) return <>{t(SOURCES.notByItself)}</>;
  const isAhead = next !== null && Date.parse(next) > Date.now();
  return (
    <>
      {isAhead ? <Time iso={next} /> : t(SOURCES.soon)}
      {interval !== null && `, ${t(SOURCES.every, { time: formatDuration(interval) })}`}
    </>
  );
}

function Remove({ source }: { readonly source: SourceInfo }): JSX.Element | null {
  const { id, name, kind, documents } = source;
  const [isAsking, setAsking] = useState(false);
  const task = useTask();
  if (kind === 'code') return null;
  if (kind === 'vault')
    return (
      <section>
        <p class="quiet-text">{t(SOURCES.removeVault)}</p>
        <code class="command">
          <PlainText text={`loci sources remove ${/^[\w.-]+$/.test(id) ? id : JSON.stringify(id)}`} />
        </code>
      </section>
    );
  const remove = (): void =>
    task.start(async ({ signal }) => {
      await call('/api/v1/sources/remove', { id }, { signal });
      notify(t(SOURCES.removedDone, { name }));
      navigate(href('/sources'));
    });
  return (
    <div>
      <button type="button" class="button danger" onClick={() => setAsking(true)}>
        {t(SOURCES.remove)}
      </button>
      {isAsking && (
        <Confirm
          title={t(SOURCES.removeTitle, { name })}
          text={counted(SOURCES.removeAbout, documents)}
          button={t(SOURCES.removeNow)}
          isDangerous
          task={task}
          onConfirm={remove}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  );
}

/** What a vault leaves out, and by which rule. */
function Excluded({ id }: { readonly id: string }): JSX.Element {
  const list = usePages(
    (after: number | undefined, signal) =>
      call('/api/v1/sources/excluded', { id, ...(after !== undefined && { after }) }, { signal }),
    ({ excluded, next }) => ({ items: excluded, next }),
    id,
  );
  return (
    <Loaded request={list}>
      {({ total, other_files: others }) => (
        <>
          <p class="quiet-text">
            {total === 0 ? t(SOURCES.excludedNone) : counted(SOURCES.excludedCount, total)}
          </p>
          {total > 0 && (
            <div class="table-frame" tabIndex={0} role="region" aria-label={t(SOURCES.excluded)}>
              <table class="table">
                <thead>
                  <tr>
                    <th scope="col">{t(SOURCES.path)}</th>
                    <th scope="col">{t(SOURCES.rule)}</th>
                    <th scope="col">{t(SOURCES.from)}</th>
                  </tr>
                </thead>
                <tbody>
                  {list.items.map(({ path, rule, from }) => (
                    <tr key={`${path} ${rule}`}>
                      <td>
                        <PlainText text={path} />
                      </td>
                      <td>
                        <PlainText text={rule} />
                      </td>
                      <td>
                        <PlainText text={from ?? ''} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
          <More list={list} />
          {others.length > 0 && (
            <p class="quiet-text">
              {t(SOURCES.otherFiles)}{' '}
              <PlainText
                text={others
                  .map(({ ending, files }) => `${formatNumber(files)} ${ending || t(SOURCES.noEnding)}`)
                  .join(', ')}
              />
            </p>
          )}
        </>
      )}
    </Loaded>
  );
}

/** Runs a command once, and shows what would be stored. */
function Trial({ id }: { readonly id: string }): JSX.Element {
  const [result, setResult] = useState<Output<'/api/v1/sources/test'> | null>(null);
  const task = useTask();
  const run = (): void =>
    task.start(async (control) => {
      setResult(null);
      setResult(await callWithProgress('/api/v1/sources/test', { id, limit: 10 }, control));
    });
  return (
    <Section title={t(SOURCES.test)}>
      <p class="quiet-text">{t(SOURCES.testAbout)}</p>
      <div>
        <button type="button" class="button" disabled={task.isRunning} onClick={run}>
          {t(SOURCES.test)}
        </button>
      </div>
      <TaskState task={task} />
      {result !== null && <Tested result={result} />}
    </Section>
  );
}

function Tested({ result }: { readonly result: Output<'/api/v1/sources/test'> }): JSX.Element {
  const { documents, total, printed, problems, stderr, took_ms: took } = result;
  return (
    <div class="stack" role="status">
      <p>{t(SOURCES.testDone, { total, printed, time: formatDuration(took) })}</p>
      {problems.length > 0 && (
        <ul class="problem-list source-error">
          {problems.map((problem) => (
            <li key={problem}>
              <PlainText text={problem} />
            </li>
          ))}
        </ul>
      )}
      {stderr !== '' && (
        <details>
          <summary>{t(SOURCES.stderr)}</summary>
          <pre class="command">
            <PlainText text={stderr} />
          </pre>
        </details>
      )}
      <ul class="tested list">
        {documents.map(({ id, title, text, timestamp, tags }) => (
          <li key={id} class="card">
            <h3>
              <PlainText text={title ?? id} />
            </h3>
            <pre>
              <PlainText text={text} />
            </pre>
            <p class="quiet-text">
              <PlainText
                text={[
                  ...(title === null ? [] : [id]),
                  ...(timestamp === null ? [] : [timestamp]),
                  ...tags.map((tag) => `#${tag}`),
                ].join(' · ')}
              />
            </p>
          </li>
        ))}
      </ul>
    </div>
  );
}
