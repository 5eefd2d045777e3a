import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import './log.css';
import { call, type Output } from '../../api/client.ts';
import { usePages } from '../../api/use-pages.ts';
import { useRequest } from '../../api/use-request.ts';
import { Diff } from '../../parts/diff.tsx';
import { PlainText } from '../../parts/plain-text.tsx';
import { Empty, Loaded, More } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { href, Link } from '../../router.tsx';
import { AUDIT } from '../../text/pages/audit.ts';
import { counted, t } from '../../text/text.ts';
import { type AuditFilters, Filters, filtersOf, LOG, show, wordFor } from './log-filters.tsx';

type Page = Output<'/api/v1/audit'>;
type Entry = Page['entries'][number];

const PAGE_SIZE = 50;

/** Who changed what, when and through what. The filters are in the address. */
export function Log({ query }: { readonly query: URLSearchParams }): JSX.Element {
  const filters = filtersOf(query);
  const { record, ...rest } = filters;
  const list = usePages(
    (after: string | undefined, signal) =>
      call(
        '/api/v1/audit',
        {
          ...rest,
          limit: PAGE_SIZE,
          ...(record !== undefined && { record: Number(record) }),
          ...(after !== undefined && { after }),
        },
        { signal },
      ),
    ({ entries, next }: Page) => ({ items: entries, next }),
    filters,
  );
  return (
    <>
      <p class="quiet-text">{t(AUDIT.about)}</p>
      <Chain />
      <Filters filters={filters} />
      <Loaded request={list}>
        {() =>
          list.items.length === 0 ? (
            <Nothing isFiltered={Object.keys(filters).length > 0} />
          ) : (
            <>
              <ol class={list.loading ? 'entries stale' : 'entries'}>
                {list.items.map((entry) => (
                  <EntryRow key={`${entry.chain} ${String(entry.seq)}`} entry={entry} filters={filters} />
                ))}
              </ol>
              <More list={list} />
            </>
          )
        }
      </Loaded>
    </>
  );
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }): JSX.Element {
  if (!isFiltered)
    return (
      <Empty title={t(AUDIT.emptyTitle)}>
        <p>{t(AUDIT.empty)}</p>
      </Empty>
    );
  return (
    <Empty title={t(AUDIT.noneTitle)}>
      <p>{t(AUDIT.none)}</p>
      <button type="button" class="button" onClick={() => show({})}>
        {t(AUDIT.clear)}
      </button>
    </Empty>
  );
}

/** Whether an entry is missing or changed. */
function Chain(): JSX.Element {
  const request = useRequest((signal) => call('/api/v1/audit', { limit: 1, verify: true }, { signal }), null);
  return (
    <Loaded request={request} loading={<p class="quiet-text">{t(AUDIT.verifying)}</p>}>
      {({ verified }) => {
        if (verified === undefined) return null;
        const { entries, faults } = verified;
        if (faults.length === 0)
          return (
            <p class="row quiet-text" title={t(AUDIT.wholeAbout)}>
              <span class="label good">{counted(AUDIT.whole, entries)}</span>
              <span>{t(AUDIT.wholeAbout)}</span>
            </p>
          );
        return (
          <div class="card chain-broken" role="alert">
            <h2>{t(AUDIT.broken)}</h2>
            <p>{t(AUDIT.brokenAbout)}</p>
            <ul>
              {faults.map((fault) => (
                <li key={fault}>
                  <PlainText text={fault} />
                </li>
              ))}
            </ul>
          </div>
        );
      }}
    </Loaded>
  );
}

interface EntryRowProps {
  readonly entry: Entry;
  readonly filters: AuditFilters;
}

function EntryRow({ entry, filters }: EntryRowProps): JSX.Element {
  const { at, actor, surface, action, diff, erased, seq, hash } = entry;
  const [isOpen, setOpen] = useState(false);
  return (
    <li class="entry">
      <div class="row">
        <button
          type="button"
          class="actor"
          title={t(AUDIT.onlyActor, { who: actor })}
          onClick={() => show({ ...filters, actor })}
        >
          <PlainText text={actor} />
        </button>
        <span>
          <PlainText text={wordFor(action)} />
        </span>
        <Subject entry={entry} />
        <span class="quiet-text">
          {t(AUDIT.via, { surface: wordFor(surface) })} · <Time iso={at} />
        </span>
        <button
          type="button"
          class="button quiet small unfold"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {t(AUDIT.change)}
        </button>
      </div>
      {isOpen && (
        <div class="entry-details">
          {diff !== null && <Diff diff={diff} />}
          {diff === null && <p class="quiet-text">{t(erased ? AUDIT.erased : AUDIT.noChange)}</p>}
          <p class="row separated quiet-text">
            <span>{t(AUDIT.entryOf, { seq })}</span>
            <span>
              <code title={hash}>{hash.slice(0, 12)}</code>
            </span>
            {typeof entry.session === 'string' && (
              <span>
                <Link to={href(LOG, { ...filters, session: entry.session })}>
                  <PlainText text={t(AUDIT.sessionName, { name: entry.session })} />
                </Link>
              </span>
            )}
            {entry.record !== null && filters.record === undefined && (
              <span>
                <Link to={href(LOG, { ...filters, record: entry.record })}>{t(AUDIT.onlyRecord)}</Link>
              </span>
            )}
          </p>
        </div>
      )}
    </li>
  );
}

/** A link to the record; the name of what else was changed; and what says that the record is gone. */
function Subject({ entry: { record, subject, diff } }: { readonly entry: Entry }): JSX.Element {
  const title = titleIn(diff);
  if (record !== null)
    return (
      <Link to={href(`/record/${String(record)}`)}>
        <PlainText text={title ?? t(AUDIT['record/'], { n: String(record) })} />
      </Link>
    );
  const isUuid = subject !== null && /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(subject);
  return <PlainText text={isUuid ? t(AUDIT.purged) : (subject ?? '')} />;
}

function titleIn(diff: Entry['diff']): string | null {
  const title: unknown = diff?.['title'];
  if (typeof title !== 'object' || title === null || !('after' in title)) return null;
  return typeof title.after === 'string' && title.after !== '' ? title.after : null;
}
