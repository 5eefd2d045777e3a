import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import './record.css';
import { Chip } from '../../parts/chips.tsx';
import { call, type Output } from '../../api/client.ts';
import { useChanges } from '../../api/events.ts';
import { session } from '../../api/session.ts';
import { useRequest } from '../../api/use-request.ts';
import { Page } from '../../parts/page.tsx';
import { PlainText } from '../../parts/plain-text.tsx';
import { Loaded, Skeleton } from '../../parts/states.tsx';
import { attempt, notify } from '../../parts/toasts.tsx';
import { restore } from '../records/requests.ts';
import { href, Link, type PageProps } from '../../router.tsx';
import { RECORD } from '../../text/pages/record.ts';
import { formatAgo, formatDay, t, counted } from '../../text/text.ts';
import { Backlinks, Neighbours } from './connections.tsx';
import { Edit } from './edit.tsx';
import { History } from './history.tsx';
import { LongText, MarkdownView, type ShownRecord } from './markdown-view.tsx';
import { Properties } from './properties.tsx';
import { SHELL } from '../../text/shell.ts';
import { Time } from '../../parts/time.tsx';

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
          <Chip key={each} name={t(RECORD[each])} isOn={view === each} onClick={() => setView(each)} />
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
          {t(SHELL.facts)}
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
        {t(SHELL.restore)}
      </button>
    </div>
  );
}

type Receipts = Output<'/api/v1/receipt/list'>;
type Receipt = Receipts['receipts'][number];

const MAX_RECEIPTS = 500;
const SHOWN = 5;
const WEEK_MS = 7 * 86_400_000;

/** In which texts for agents the record was: "in 14 prompts this week". */
function Given({ record }: { readonly record: ShownRecord }): JSX.Element {
  const { id } = record;
  const request = useRequest(
    (signal) => call('/api/v1/receipt/list', { record: id, limit: MAX_RECEIPTS }, { signal }),
    id,
  );
  return (
    <section class="record-part list">
      <h2>{t(RECORD.given)}</h2>
      <Loaded request={request} loading={<Skeleton lines={2} />}>
        {(found) => <Uses found={found} />}
      </Loaded>
    </section>
  );
}

function Uses({ found: { receipts, next } }: { readonly found: Receipts }): JSX.Element {
  const since = Date.now() - WEEK_MS;
  const included = receipts.filter(({ record }) => record?.included === true);
  const recent = included.filter(({ at }) => Date.parse(at) >= since);
  const prompts = recent.filter(({ kind }) => kind === 'recall').length;
  const texts = recent.length - prompts;
  const leftOut = receipts.length - included.length;
  if (receipts.length === 0) return <p class="quiet-text">{t(RECORD.neverGiven)}</p>;
  return (
    <>
      <p>
        {[
          ...(recent.length === 0 ? [t(RECORD.notThisWeek)] : []),
          ...(prompts > 0 ? [counted(RECORD.prompts, prompts)] : []),
          ...(texts > 0 ? [counted(RECORD.packs, texts)] : []),
        ].join(' · ')}
        {next !== null && ` · ${t(RECORD.onlyNewest, { n: MAX_RECEIPTS })}`}
      </p>
      <ul class="uses">
        {included.slice(0, SHOWN).map((receipt) => (
          <Use key={receipt.id} receipt={receipt} />
        ))}
      </ul>
      {leftOut > 0 && <p class="quiet-text">{counted(RECORD.leftOut, leftOut)}</p>}
    </>
  );
}

function Use({ receipt: { id, kind, at } }: { readonly receipt: Receipt }): JSX.Element {
  return (
    <li>
      <Link to={href(`/receipts/${id}`)}>{t(kind === 'recall' ? RECORD.prompt : RECORD.pack)}</Link>{' '}
      <span class="quiet-text">
        <Time iso={at} />
      </span>
    </li>
  );
}

/** UTF-16 code units of a passage that are shown. Passages are shorter, unless a line is. */
const MAX_SHOWN = 20_000;

/** The text as it is cut for searches. */
function Passages({ record }: { readonly record: ShownRecord }): JSX.Element {
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
