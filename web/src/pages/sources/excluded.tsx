import type { JSX } from 'preact';
import { call } from '../../api/client.ts';
import { usePages } from '../../api/use-pages.ts';
import { More } from '../../parts/more.tsx';
import { PlainText } from '../../parts/plain-text.tsx';
import { Loaded } from '../../parts/states.tsx';
import { SOURCES } from '../../text/pages/sources.ts';
import { counted, formatNumber, t } from '../../text/text.ts';

/** What a vault leaves out, and by which rule. */
export function Excluded({ id }: { readonly id: string }): JSX.Element {
  const list = usePages(
    (after: number | undefined, signal) =>
      call(
        '/api/v1/sources/excluded',
        { id, ...(after !== undefined && { after }) },
        signal === undefined ? {} : { signal },
      ),
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
