import type { JSX } from 'preact';
import './records.css';
import { Chip } from '../../parts/chips.tsx';
import { Filters, selectionOf } from '../../parts/filters.tsx';
import { Page } from '../../parts/page.tsx';
import { PlainText } from '../../parts/plain-text.tsx';
import { Empty, Loaded, More } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { attempt } from '../../parts/toasts.tsx';
import { href, Link, navigate, type PageProps } from '../../router.tsx';
import { RECORDS } from '../../text/pages/records.ts';
import { FILTERS, SHELL } from '../../text/shell.ts';
import { counted, formatDay, t } from '../../text/text.ts';
import { changeQuery, type Row, type TableInput, useTable, restore } from './requests.ts';
import { NoRecords } from './no-records.tsx';
import { Timeline, TIMELINE } from './timeline.tsx';

type Sort = NonNullable<TableInput['sort']>;

/** All records in a table or on a timeline, or those that were deleted. What is shown is in the address. */
export function RecordsPage({ rest, query }: PageProps): JSX.Element {
  const isTimeline = `/records/${rest}` === TIMELINE;
  const deleted = !isTimeline && query.get('deleted') === '1';
  const views = [
    [RECORDS.stored, addressOf('/records', query), !isTimeline && !deleted],
    [RECORDS.timeline, addressOf(TIMELINE, query), isTimeline],
    [RECORDS.deleted, addressOf('/records', query, '1'), deleted],
  ] as const;
  return (
    <Page title={t(SHELL.records)} about={t(RECORDS.recordsAbout)}>
      <div class="chips" role="group" aria-label={t(RECORDS.show)}>
        {views.map(([name, address, isOn]) => (
          <Chip key={address} name={t(name)} isOn={isOn} onClick={() => navigate(address)} />
        ))}
      </div>
      {isTimeline ? <Timeline query={query} /> : <RecordTable query={query} deleted={deleted} />}
    </Page>
  );
}

/** The same records as another view shows them. */
function addressOf(path: string, query: URLSearchParams, deleted?: string): string {
  const next = new URLSearchParams(query);
  for (const name of ['deleted', 'sort', 'order']) next.delete(name);
  if (deleted !== undefined) next.set('deleted', deleted);
  return `${href(path)}?${next.toString()}`.replace(/\?$/, '');
}

interface RecordTableProps {
  readonly query: URLSearchParams;
  readonly deleted: boolean;
}

function RecordTable({ query, deleted }: RecordTableProps): JSX.Element {
  const selection = selectionOf(query);
  const sort = (query.get('sort') ?? (deleted ? 'updated' : 'time')) as Sort;
  const order = (query.get('order') ?? (sort === 'title' ? 'ascending' : 'descending')) as
    'ascending' | 'descending';
  const list = useTable({ ...selection, sort, order, ...(deleted && { deleted }) });
  return (
    <>
      {!deleted && <Filters path="/records" query={query} counted={selection} />}
      <Loaded request={list}>
        {({ total }) =>
          total > 0 ? (
            <>
              <p class="quiet-text" role="status">
                {counted(RECORDS.total, total)}
              </p>
              <Table rows={list.items} query={query} sort={sort} order={order} onChange={list.reload} />
              <More list={list} />
            </>
          ) : deleted ? (
            <Empty title={t(RECORDS.emptyDeleted)} />
          ) : (
            <NoRecords path="/records" filtered={Object.keys(selection).length > 0} />
          )
        }
      </Loaded>
    </>
  );
}

interface TableProps {
  readonly rows: readonly Row[];
  readonly query: URLSearchParams;
  readonly sort: Sort;
  readonly order: 'ascending' | 'descending';
  readonly onChange: () => void;
}

const COLUMNS = {
  title: SHELL.title,
  time: FILTERS.time,
  updated: RECORDS.updatedColumn,
} as const;

function Table({ rows, query, sort, order, onChange }: TableProps): JSX.Element {
  const head = (column: Sort): JSX.Element => {
    const isSorted = sort === column;
    const next = isSorted
      ? order === 'ascending'
        ? 'descending'
        : 'ascending'
      : column === 'title'
        ? 'ascending'
        : 'descending';
    return (
      <th aria-sort={isSorted ? order : 'none'}>
        <button type="button" onClick={() => changeQuery(query, { sort: column, order: next })}>
          {t(COLUMNS[column])}
          {isSorted && <span aria-hidden="true">{order === 'ascending' ? ' ↑' : ' ↓'}</span>}
        </button>
      </th>
    );
  };
  return (
    <div class="table-frame">
      <table class="table records">
        <thead>
          <tr>
            {head('title')}
            <th class="wide">{t(FILTERS.source)}</th>
            <th class="wide">{t(FILTERS.project)}</th>
            {head('time')}
            {query.get('deleted') === '1' ? <th>{t(RECORDS.deletedColumn)}</th> : head('updated')}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <RecordRow key={row.id} row={row} onChange={onChange} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function RecordRow({ row, onChange }: { readonly row: Row; readonly onChange: () => void }): JSX.Element {
  const { id, title, source, project, tags, time, updated_at: updatedAt, deleted_at: deletedAt } = row;
  return (
    <tr>
      <td class="title">
        <Link to={href(`/record/${String(id)}`)}>
          <PlainText text={title} />
        </Link>
        {tags.length > 0 && (
          <span class="quiet-text">
            <PlainText text={tags.map((tag) => `#${tag}`).join(' ')} />
          </span>
        )}
      </td>
      <td class="wide">
        <PlainText text={source} />
      </td>
      <td class="wide">
        <PlainText text={project} />
      </td>
      <td>{time === null ? t(SHELL.noDate) : formatDay(time)}</td>
      <td>
        {deletedAt === null ? (
          <Time iso={updatedAt} />
        ) : (
          <span class="row">
            <Time iso={deletedAt} />
            <button type="button" class="button small" onClick={() => attempt(restore(id, onChange))}>
              {t(SHELL.restore)}
            </button>
          </span>
        )}
      </td>
    </tr>
  );
}
