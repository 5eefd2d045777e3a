import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Output } from '../../api/client.ts';
import { callWithProgress } from '../../api/progress.ts';
import { Section } from '../../parts/page.tsx';
import { PlainText } from '../../parts/plain-text.tsx';
import { TaskState, useTask } from '../../parts/task.tsx';
import { SOURCES } from '../../text/pages/sources.ts';
import { formatDuration, t } from '../../text/text.ts';

/** Runs a command once, and shows what would be stored. */
export function Trial({ id }: { readonly id: string }): JSX.Element {
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
      <ul class="tested">
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
