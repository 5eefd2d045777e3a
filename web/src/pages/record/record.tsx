import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import './record.css';
import { call } from '../../api/client.ts';
import { useChanges } from '../../api/events.ts';
import { session } from '../../api/session.ts';
import { useRequest } from '../../api/use-request.ts';
import { Page } from '../../parts/page.tsx';
import { PlainText } from '../../parts/plain-text.tsx';
import { Loaded } from '../../parts/states.tsx';
import { attempt, notify } from '../../parts/toasts.tsx';
import { restore } from '../records/restore.ts';
import { href, Link } from '../../router.tsx';
import { RECORD } from '../../text/pages/record.ts';
import { formatAgo, formatDay, t } from '../../text/text.ts';
import type { PageProps } from '../pages.ts';
import { Backlinks, Neighbours } from './connections.tsx';
import { Edit } from './edit.tsx';
import { Given } from './given.tsx';
import { History } from './history.tsx';
import { LongText, MarkdownView, type ShownRecord } from './markdown-view.tsx';
import { Passages } from './passages.tsx';
import { Properties } from './properties.tsx';

/** A record, by its number (`/record/12`) or by a citation (`/record?citation=…`). */
export function RecordPage({ rest, query }: PageProps): JSX.Element {
  const citation = query.get('citation') ?? `record/${rest}`;
  const request = useRequest((signal) => call('/api/v1/record/show', { citation }, { signal }), citation);
  const { data, reload } = request;
  useChanges(({ kinds }) => {
    if (kinds.includes('records')) reload();
  });
  if (data === undefined)
    return (
      <Page title={citation}>
        <Loaded request={request}>{() => null}</Loaded>
      </Page>
    );
  return <RecordView key={`${String(data.id)} ${citation}`} record={data} onChange={reload} />;
}

interface RecordViewProps {
  readonly record: ShownRecord;
  /** Reads the record again. */
  readonly onChange: () => void;
}

function RecordView({ record, onChange }: RecordViewProps): JSX.Element {
  const [editing, setEditing] = useState(false);
  const isDeleted = record.deleted_at !== null;
  return (
    <Page
      title={record.title === '' ? t(RECORD.untitled) : record.title}
      actions={
        <Actions record={record} onChange={onChange} onEdit={editing ? undefined : () => setEditing(true)} />
      }
    >
      {isDeleted && <Deleted record={record} onChange={onChange} />}
      {record.valid_until !== undefined && (
        <p class="notice">{t(RECORD.ended, { day: formatDay(record.valid_until) })}</p>
      )}
      <div class="record">
        <div class="record-main">
          {editing ? (
            <Edit record={record} onChange={onChange} onClose={() => setEditing(false)} />
          ) : (
            <Content record={record} />
          )}
          {!isDeleted && record.origin === 'vault' && <Backlinks record={record} />}
          <History record={record} />
        </div>
        <aside class="record-aside">
          <Properties record={record} />
          <Given record={record} />
          {!isDeleted && <Neighbours record={record} />}
        </aside>
      </div>
    </Page>
  );
}

const VIEWS = ['read', 'source', 'passages'] as const;

/** The text, formatted, as it is written, or cut as searches see it. */
function Content({ record }: { readonly record: ShownRecord }): JSX.Element {
  const [view, setView] = useState<(typeof VIEWS)[number]>('read');
  return (
    <article class="stack">
      <div class="chips" role="group" aria-label={t(RECORD.view)}>
        {VIEWS.filter((each) => each !== 'passages' || record.deleted_at === null).map((each) => (
          <button
            key={each}
            type="button"
            class="chip"
            aria-pressed={view === each}
            onClick={() => setView(each)}
          >
            {t(RECORD[each])}
          </button>
        ))}
      </div>
      {view === 'read' && <MarkdownView record={record} />}
      {view === 'source' && <LongText text={record.text} />}
      {view === 'passages' && <Passages record={record} />}
    </article>
  );
}

interface ActionsProps extends RecordViewProps {
  readonly onEdit: (() => void) | undefined;
}

function Actions({ record, onChange, onEdit }: ActionsProps): JSX.Element {
  const { changed_by: changedBy, deleted_at: deletedAt, obsidian } = record;
  const isWritten = changedBy === 'update' || changedBy === 'fact-store';
  return (
    <>
      {obsidian !== null && session.isOnMachine && (
        <a class="button" href={obsidian}>
          {t(RECORD.openInObsidian)}
        </a>
      )}
      {changedBy === 'fact-store' && (
        <Link class="button" to={href('/facts')}>
          {t(RECORD.toFacts)}
        </Link>
      )}
      {deletedAt === null && changedBy === 'update' && onEdit !== undefined && (
        <button type="button" class="button" onClick={onEdit}>
          {t(RECORD.edit)}
        </button>
      )}
      {deletedAt === null && isWritten && (
        <button type="button" class="button danger" onClick={() => attempt(remove(record, onChange))}>
          {t(RECORD.remove)}
        </button>
      )}
    </>
  );
}

/** There is no question before: it can be undone here, and for weeks. */
async function remove({ id }: ShownRecord, onChange: () => void): Promise<void> {
  await call('/api/v1/memory/delete', { id });
  notify(t(RECORD.removed), () => restore(id, onChange));
  onChange();
}

function Deleted({ record, onChange }: RecordViewProps): JSX.Element {
  const { id, deleted_at: deletedAt, purged_after: purgedAfter } = record;
  return (
    <div class="notice row" role="status">
      <p>
        <PlainText text={t(RECORD.deletedAgo, { ago: formatAgo(deletedAt!) })} />{' '}
        {purgedAfter !== null && t(RECORD.purgedAfter, { day: formatDay(purgedAfter) })}
      </p>
      <button type="button" class="button small" onClick={() => attempt(restore(id, onChange))}>
        {t(RECORD.restore)}
      </button>
    </div>
  );
}
