import { call, type Input, type Output } from '../../api/client.ts';
import { useChanges } from '../../api/events.ts';
import { type PagesState, usePages } from '../../api/use-pages.ts';
import { navigate } from '../../router.tsx';
import { notify } from '../../parts/toasts.tsx';
import { RECORDS } from '../../text/pages/records.ts';
import { t } from '../../text/text.ts';

type Page = Output<'/api/v1/record/table'>;
export type Row = Page['records'][number];
export type TableInput = Omit<Input<'/api/v1/record/table'>, 'after'>;

const PAGE_SIZE = 50;

/** Records in order, page by page. */
export function useTable(input: TableInput): PagesState<Row, string, Page> {
  const list = usePages(
    (after: string | undefined, signal) =>
      call(
        '/api/v1/record/table',
        { limit: PAGE_SIZE, ...input, ...(after !== undefined && { after }) },
        { signal },
      ),
    ({ records, next }: Page) => ({ items: records, next }),
    input,
  );
  useChanges(({ kinds }) => {
    // A reader of a later page would lose the place.
    if (kinds.includes('records') && list.items.length <= PAGE_SIZE) list.reload();
  });
  return list;
}

/** Sets values of the address; an empty one and `null` remove it. */
export function changeQuery(query: URLSearchParams, changes: Readonly<Record<string, string | null>>): void {
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    next.delete(name);
    if (value !== null && value !== '') next.append(name, value);
  }
  const text = next.toString();
  navigate(`${location.pathname}${text === '' ? '' : `?${text}`}`);
}

export async function restore(id: number, onChange: () => void): Promise<void> {
  await call('/api/v1/memory/undelete', { id });
  notify(t(RECORDS.restored));
  onChange();
}
