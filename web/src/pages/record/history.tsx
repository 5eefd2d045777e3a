import type { JSX } from 'preact';
import { call, type Output } from '../../api/client.ts';
import { usePages } from '../../api/use-pages.ts';
import { Diff } from '../../parts/diff.tsx';
import { Loaded, More, Skeleton } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { RECORD } from '../../text/pages/record.ts';
import { t } from '../../text/text.ts';
import { ACTIONS } from '../inbox/change-item.tsx';
import type { ShownRecord } from './markdown-view.tsx';

type Log = Output<'/api/v1/audit'>;
type Entry = Log['entries'][number];

const PAGE_SIZE = 10;

/** What was done to the record, by whom, with the changes. The log has nothing of notes, which change in their files. */
export function History({ record }: { readonly record: ShownRecord }): JSX.Element {
  const { id, updated_at: updatedAt, deleted_at: deletedAt } = record;
  const list = usePages(
    (after: string | undefined, signal) =>
      call(
        '/api/v1/audit',
        { record: id, limit: PAGE_SIZE, ...(after !== undefined && { after }) },
        { signal },
      ),
    ({ entries, next }: Log) => ({ items: entries, next }),
    [id, updatedAt, deletedAt],
  );
  const isWritten = record.changed_by === 'update' || record.changed_by === 'fact-store';
  return (
    <section class="record-part list">
      <h2>{t(RECORD.history)}</h2>
      <Loaded request={list} loading={<Skeleton lines={3} />}>
        {() =>
          list.items.length === 0 ? (
            <p class="quiet-text">{t(isWritten ? RECORD.noHistory : RECORD.noHistoryOfNotes)}</p>
          ) : (
            <ol class="history list">
              {list.items.map((entry) => (
                <HistoryEntry key={`${entry.chain} ${String(entry.seq)}`} entry={entry} />
              ))}
            </ol>
          )
        }
      </Loaded>
      <More list={list} />
    </section>
  );
}

function HistoryEntry({ entry }: { readonly entry: Entry }): JSX.Element {
  const { at, actor, surface, action, diff, erased } = entry;
  const [name = null] = ACTIONS[action] ?? [];
  return (
    <li>
      <p class="row">
        <strong>{name === null ? action : t(name)}</strong>
        <span class="quiet-text">
          {t(RECORD.by, { actor, surface })} · <Time iso={at} />
        </span>
      </p>
      {erased && <p class="quiet-text">{t(RECORD.erased)}</p>}
      {diff !== null && action !== 'write' && action !== 'store' && <Diff diff={diff} />}
    </li>
  );
}
