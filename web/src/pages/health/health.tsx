import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import './health.css';
import { call, type Output } from '../../api/client.ts';
import { callWithProgress, type Progress } from '../../api/progress.ts';
import { usePolling } from '../../api/use-polling.ts';
import { useRequest } from '../../api/use-request.ts';
import { Bar, Fact, Page, Section } from '../../parts/page.tsx';
import { PlainText, Message } from '../../parts/plain-text.tsx';
import { Loaded, Skeleton } from '../../parts/states.tsx';
import { href, Link, type PageProps } from '../../router.tsx';
import { AUDIT } from '../../text/pages/audit.ts';
import { HEALTH } from '../../text/pages/health.ts';
import { SHELL, TASK } from '../../text/shell.ts';
import { t, counted, formatBytes, formatDuration, formatNumber, language } from '../../text/text.ts';
import { Log } from './log.tsx';
import { LOG } from './log-filters.tsx';
import { ActionButton, RepairButton } from './repairs.tsx';

/** How the memory is, and at `/health/log` what changed in it. */
export function HealthPage({ rest, query }: PageProps): JSX.Element {
  if (rest !== 'log') return <State />;
  return (
    <Page
      title={t(AUDIT.title)}
      narrow
      actions={
        <Link class="button" to={href('/health')}>
          {t(SHELL.health)}
        </Link>
      }
    >
      <Log query={query} />
    </Page>
  );
}

/** What is wrong and what to do, what the memory holds, and how it grew. */
function State(): JSX.Element {
  const [progress, setProgress] = useState<Progress | null>(null);
  const checks = useRequest(
    (signal) => callWithProgress('/api/v1/doctor', {}, { signal, onProgress: setProgress }),
    null,
  );
  const status = useRequest((signal) => call('/api/v1/status', {}, { signal }), null);
  usePolling(status.reload);
  const reload = (): void => {
    checks.reload();
    status.reload();
  };
  return (
    <Page
      title={t(SHELL.health)}
      about={t(HEALTH.about)}
      actions={
        <>
          <Link class="button" to={href(LOG)}>
            {t(AUDIT.title)}
          </Link>
          <button type="button" class="button" disabled={checks.loading} onClick={reload}>
            {t(HEALTH.again)}
          </button>
        </>
      }
    >
      <Section title={t(HEALTH.findings)}>
        <div class={checks.loading ? 'stack stale' : 'stack'}>
          {checks.loading && (
            <p class="quiet-text" role="status">
              {progress === null ? t(HEALTH.checking) : t(TASK[progress.stage])}{' '}
              <PlainText text={progress?.subject ?? ''} />
            </p>
          )}
          <Loaded request={checks} loading={<Skeleton lines={3} />}>
            {({ checks: found }) => <Findings checks={found} onDone={reload} />}
          </Loaded>
        </div>
      </Section>
      <Loaded request={status}>
        {(found) => (
          <div class="two-columns">
            <Holds status={found} />
            <EmbeddingState embedding={found.embedding} onDone={reload} />
          </div>
        )}
      </Loaded>
      <Section title={t(HEALTH.care)}>
        <ActionButton name="reindex" path="/api/v1/reindex" input={{}} onDone={reload} />
        <ActionButton
          name="reindexVectors"
          path="/api/v1/reindex"
          input={{ vectors: true }}
          onDone={reload}
          ask={{ title: t(HEALTH.reindexVectorsTitle), button: t(HEALTH.start) }}
        />
      </Section>
    </Page>
  );
}

type Check = Output<'/api/v1/doctor'>['checks'][number];

interface FindingsProps {
  readonly checks: readonly Check[];
  readonly onDone: () => void;
}

/** What `doctor` found: what failed first, and what is in order on demand. */
function Findings({ checks, onDone }: FindingsProps): JSX.Element {
  const of = (result: Check['result']): Check[] => checks.filter((check) => check.result === result);
  const [failed, warnings, passed] = [of('failed'), of('warning'), of('ok')];
  return (
    <>
      <p class="row" role="status">
        {failed.length > 0 && <span class="label bad">{counted(HEALTH.failedCount, failed.length)}</span>}
        {warnings.length > 0 && (
          <span class="label warn">{counted(HEALTH.warningCount, warnings.length)}</span>
        )}
        {failed.length + warnings.length === 0 && <span class="label good">{t(HEALTH.allGood)}</span>}
      </p>
      <ul class="findings list">
        {[...failed, ...warnings].map((check) => (
          <FindingCard key={`${check.name} ${check.detail}`} check={check} onDone={onDone} />
        ))}
      </ul>
      <details>
        <summary>{counted(HEALTH.okCount, passed.length)}</summary>
        <ul class="passed">
          {passed.map((check) => (
            <li key={`${check.name} ${check.detail}`}>
              <strong>
                <PlainText text={check.name} />
              </strong>{' '}
              <PlainText text={check.detail} />
              {check.repair !== undefined && <RepairButton repair={check.repair} onDone={onDone} />}
            </li>
          ))}
        </ul>
      </details>
    </>
  );
}

function FindingCard({
  check,
  onDone,
}: { readonly check: Check } & Pick<FindingsProps, 'onDone'>): JSX.Element {
  const { name, result, detail, hint, repair } = check;
  const [first = '', ...more] = detail.split('\n');
  return (
    <li class="finding card">
      <div class="row">
        <span class={result === 'failed' ? 'label bad' : 'label warn'}>{t(HEALTH[result])}</span>
        <h3>
          <PlainText text={name} />
        </h3>
      </div>
      <p>
        <Message text={first} />
      </p>
      {more.length > 0 && (
        <details>
          <summary>{t(HEALTH.details)}</summary>
          <ul class="problem-lines">
            {more.map((line) => (
              <li key={line}>
                <Message text={line} />
              </li>
            ))}
          </ul>
        </details>
      )}
      {repair !== undefined && <RepairButton repair={repair} onDone={onDone} />}
      {repair === undefined && hint !== null && <Hint hint={hint} />}
    </li>
  );
}

/** What to do, and the command in it to copy. */
function Hint({ hint }: { readonly hint: string }): JSX.Element {
  const commands = [...hint.matchAll(/`(loci [^`]+)`|(loci [^`]+)$|Run: (.+)$/g)].map(
    ([, quoted, last, other]) => quoted ?? last ?? other ?? '',
  );
  return (
    <>
      <p class="quiet-text">
        <PlainText text={hint} />
      </p>
      {commands.map((command) => (
        <Copyable key={command} text={command} />
      ))}
    </>
  );
}

function Copyable({ text }: { readonly text: string }): JSX.Element {
  const [isCopied, setCopied] = useState(false);
  return (
    <div class="row copyable">
      <code class="command">
        <PlainText text={text} />
      </code>
      <button
        type="button"
        class="button small"
        onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
      >
        {t(isCopied ? HEALTH.copied : SHELL.copy)}
      </button>
    </div>
  );
}

type Status = Output<'/api/v1/status'>;
type Embedding = Status['embedding'];

type Origin = 'vault' | 'memory' | 'fact' | 'source' | 'audit';

const PERCENT = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 });

/** What this memory has, by origin, with bars as long as their shares. */
function Holds({ status }: { readonly status: Status }): JSX.Element {
  const { records, passages, terms, by_origin: byOrigin, store } = status;
  const origins = Object.entries(byOrigin) as [Origin, number][];
  return (
    <Section title={t(HEALTH.holds)}>
      <dl class="facts">
        <Fact title={t(HEALTH.records)}>{formatNumber(records)}</Fact>
        {origins.map(([origin, n]) => (
          <Fact key={origin} title={`– ${t(HEALTH[origin])}`}>
            <span class="share">
              <span class="number">{formatNumber(n)}</span>
              <Bar share={n / Math.max(1, records)} />
            </span>
          </Fact>
        ))}
        <Fact title={t(HEALTH.passages)}>{formatNumber(passages)}</Fact>
        <Fact title={t(HEALTH.words)}>{formatNumber(terms)}</Fact>
        <Fact title={t(HEALTH.store)}>
          {store.driver}
          {store.bytes !== null && ` · ${t(HEALTH.onDisk, { size: formatBytes(store.bytes) })}`}
          <br />
          <span class="quiet-text">
            <PlainText text={store.path} />
          </span>
        </Fact>
      </dl>
    </Section>
  );
}

interface EmbeddingProps {
  readonly embedding: Embedding;
  readonly onDone: () => void;
}

/** The model of searches, what it has not embedded yet, and a change of it that is under way. */
function EmbeddingState({ embedding, onDone }: EmbeddingProps): JSX.Element {
  const { configured, model, vectors, pending, change, running_in: process, left_ms: left } = embedding;
  const total = vectors + pending;
  if (configured === 'none' && model === null)
    return (
      <Section title={t(HEALTH.embedding)}>
        <p class="quiet-text">{t(HEALTH.noModel)}</p>
      </Section>
    );
  return (
    <Section title={t(HEALTH.embedding)}>
      <dl class="facts">
        <Fact title={t(HEALTH.model)}>
          <PlainText text={model ?? t(HEALTH.noVectors)} />
        </Fact>
        <Fact title={t(HEALTH.embedded)}>
          <span class="share">
            <span>{t(HEALTH.embeddedOf, { done: vectors, total })}</span>
            <Bar share={vectors / Math.max(1, total)} />
          </span>
        </Fact>
        <Fact title={t(HEALTH.backlog)}>
          {[
            pending === 0 ? t(HEALTH.backlogNone) : counted(HEALTH.backlogTexts, pending),
            ...(process === null ? [] : [t(HEALTH.runningIn, { process })]),
            ...(left === null ? [] : [t(HEALTH.left, { time: formatDuration(left) })]),
          ].join(' · ')}
        </Fact>
      </dl>
      {embedding.other_languages !== null && (
        <p class="quiet-text">
          {t(HEALTH.otherLanguages, { percent: PERCENT.format(embedding.other_languages) })}
        </p>
      )}
      {change === null ? (
        pending > 0 && (
          <ActionButton name="embed-backfill" path="/api/v1/embed/backfill" input={{}} onDone={onDone} />
        )
      ) : (
        <ModelChange change={change} onDone={onDone} />
      )}
    </Section>
  );
}

interface ModelChangeProps {
  readonly change: NonNullable<Embedding['change']>;
  readonly onDone: () => void;
}

function ModelChange({ change, onDone }: ModelChangeProps): JSX.Element {
  const { from, to, texts, embedded } = change;
  return (
    <div class="card change">
      <h3>
        <PlainText text={t(HEALTH.changing, { model: to.model })} />
      </h3>
      <p>
        <PlainText text={t(HEALTH.changeProgress, { done: embedded, total: texts, from: from.model })} />
      </p>
      <ActionButton name="embed-backfill" path="/api/v1/embed/backfill" input={{}} onDone={onDone} />
    </div>
  );
}
