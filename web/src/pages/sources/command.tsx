import type { JSX } from 'preact';
import { call, type Output } from '../../api/client.ts';
import { type DiffLine, DiffLines } from '../../parts/diff.tsx';
import { Fact, Section } from '../../parts/page.tsx';
import { PlainText } from '../../parts/plain-text.tsx';
import { TaskState, useTask } from '../../parts/task.tsx';
import { notify } from '../../parts/toasts.tsx';
import { SOURCES } from '../../text/pages/sources.ts';
import { formatDuration, formatMoment, t } from '../../text/text.ts';
import type { SourceInfo } from './runs.tsx';
import { needsApproval } from './source-actions.tsx';

type Runs = NonNullable<Output<'/api/v1/sources/show'>['runs']>;

interface CommandProps {
  readonly source: SourceInfo;
  readonly runs: Runs;
  readonly onChange: () => void;
}

/** Exactly what runs, and the approval of it. */
export function Command({ source, runs, onChange }: CommandProps): JSX.Element {
  const { id, name } = source;
  const { fingerprint, approved } = runs;
  const task = useTask();
  const isWaiting = needsApproval(source);
  const approve = (): void =>
    task.start(async ({ signal }) => {
      await call('/api/v1/sources/approve', { ids: [id], fingerprint }, { signal }).finally(onChange);
      notify(t(SOURCES.approvedDone, { name }));
    });
  return (
    <Section title={t(isWaiting ? SOURCES.commandWaits : SOURCES.command1)}>
      <div class={isWaiting ? 'approval card waiting' : 'approval card'}>
        {isWaiting && <p>{t(SOURCES.approvalAbout)}</p>}
        {isWaiting && approved !== null && <Changes lines={source.changes ?? []} />}
        <dl class="facts">
          <Fact title={t(SOURCES.line)}>
            <code>
              <PlainText text={source.command ?? ''} />
            </code>
          </Fact>
          <Fact title={t(SOURCES.program)}>
            <PlainText text={runs.program ?? t(SOURCES.noProgram)} />
          </Fact>
          <Fact title={t(SOURCES.cwd)}>
            <PlainText text={runs.cwd} />
          </Fact>
          <Fact title={t(SOURCES.env)}>
            <PlainText text={[t(SOURCES.envBase), ...runs.env].join(', ')} />
          </Fact>
          <Fact title={t(SOURCES.timeout)}>{formatDuration(runs.timeout_ms)}</Fact>
          <Fact title={t(SOURCES.watched)}>
            <Files files={runs.files} />
          </Fact>
          <Fact title={t(SOURCES.notWatched)}>
            <PlainText text={runs.not_watched} /> <span class="quiet-text">{t(SOURCES.notWatchedAbout)}</span>
          </Fact>
          <Fact title={t(SOURCES.fingerprint)}>
            <code>{fingerprint}</code>
          </Fact>
          <Fact title={t(SOURCES.approved)}>
            {approved === null ? (
              t(isWaiting ? SOURCES.never : SOURCES.trusted)
            ) : (
              <PlainText
                text={t(SOURCES.approvedBy, { when: formatMoment(approved.at), who: approved.by })}
              />
            )}
          </Fact>
        </dl>
        <TaskState task={task} />
        {isWaiting && (
          <div>
            <button type="button" class="button primary" disabled={task.isRunning} onClick={approve}>
              {t(SOURCES.approve)}
            </button>
          </div>
        )}
      </div>
    </Section>
  );
}

/** What differs from the last approval, as the lines of a patch. */
function Changes({ lines }: { readonly lines: readonly string[] }): JSX.Element {
  return (
    <div class="stack">
      <h3>{t(SOURCES.changed)}</h3>
      <DiffLines lines={lines.map(lineOf)} />
    </div>
  );
}

function lineOf(line: string): DiffLine {
  const [, sign, text] = /^([+-]) (.*)$/s.exec(line) ?? [];
  return text === undefined ? { sign: ' ', text: line } : { sign: sign as '+' | '-', text };
}

const MAX_FILES = 20;

function Files({ files }: { readonly files: Runs['files'] }): JSX.Element {
  const all = files.map(({ path, state }) => (
    <li key={path}>
      <PlainText text={path} />{' '}
      <span class="quiet-text">
        {state.startsWith('system') ? t(SOURCES.system) : <code>{state.slice(0, 12)}</code>}
      </span>
    </li>
  ));
  return (
    <>
      <ul class="files">{all.slice(0, MAX_FILES)}</ul>
      {all.length > MAX_FILES && (
        <details>
          <summary>{t(SOURCES.moreFiles, { n: all.length - MAX_FILES })}</summary>
          <ul class="files">{all.slice(MAX_FILES)}</ul>
        </details>
      )}
      <span class="quiet-text">{t(SOURCES.watchedAbout)}</span>
    </>
  );
}
