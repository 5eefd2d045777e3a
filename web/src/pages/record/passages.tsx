import type { JSX } from 'preact';
import { call } from '../../api/client.ts';
import { useRequest } from '../../api/use-request.ts';
import { PlainText } from '../../parts/plain-text.tsx';
import { Loaded } from '../../parts/states.tsx';
import { RECORD } from '../../text/pages/record.ts';
import { t } from '../../text/text.ts';
import type { ShownRecord } from './markdown-view.tsx';

/** UTF-16 code units of a passage that are shown. Passages are shorter, unless a line is. */
const MAX_SHOWN = 20_000;

/** The text as it is cut for searches. */
export function Passages({ record }: { readonly record: ShownRecord }): JSX.Element {
  const { id, updated_at: updatedAt, first_line: firstLine } = record;
  const request = useRequest(
    (signal) => call('/api/v1/record/show', { citation: `record/${String(id)}`, passages: true }, { signal }),
    [id, updatedAt],
  );
  const lines = record.text.split('\n');
  return (
    <Loaded request={request}>
      {({ passages = [] }) => (
        <div class="stack">
          <p class="quiet-text">{t(passages.length === 0 ? RECORD.noPassages : RECORD.passagesAbout)}</p>
          {passages.map(({ from, to, headings }, i) => (
            <section key={i} class="card passage">
              <h3 class="quiet-text">
                {t(RECORD.passageLines, { from, to })}
                {headings.length > 0 && ' · '}
                <PlainText text={headings.join(' › ')} />
              </h3>
              <pre class="source-text">
                <PlainText
                  text={lines
                    .slice(Math.max(0, from - firstLine), Math.max(0, to - firstLine + 1))
                    .join('\n')
                    .slice(0, MAX_SHOWN)}
                />
              </pre>
            </section>
          ))}
        </div>
      )}
    </Loaded>
  );
}
