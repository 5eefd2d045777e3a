import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import './search.css';
import { Notices } from '../../parts/plain-text.tsx';
import { call, type Output } from '../../api/client.ts';
import { session } from '../../api/session.ts';
import { useRequest } from '../../api/use-request.ts';
import { AddFolder } from '../../parts/add-folder.tsx';
import { takeEarlyKeys, useKeys } from '../../parts/keys.tsx';
import { Filters, selectionOf } from '../../parts/filters.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { href, Link, navigate, usePlace, type PageProps } from '../../router.tsx';
import { FOLDER, SEARCH } from '../../text/pages/search.ts';
import { counted, t } from '../../text/text.ts';
import { SHELL } from '../../text/shell.ts';
import { ResultCard } from './result.tsx';

type Found = Output<'/api/v1/memory/search'>;

const FILTERS = ['source', 'project', 'tag', 'record_type', 'category'] as const;
const PAGE_SIZE = 20;
const MAX_RESULTS = 200;
/** How long to wait after a key, in milliseconds. A search takes a few. */
const TYPING_MS = 60;

/** Searches while the reader types. The query is in the address, so that a search can be kept and sent to somebody. */
export function SearchPage({ query }: PageProps): JSX.Element {
  const text = query.get('q') ?? '';
  const limit = Math.min(MAX_RESULTS, Number(query.get('limit') ?? PAGE_SIZE) || PAGE_SIZE);
  const weak = query.get('weak') === '1';
  const { trust: _, ...selection } = selectionOf(query);
  const asked = {
    ...selection,
    query: withFolder(text.trim(), query.get('path') ?? ''),
    limit,
    explain: true,
    ...(weak && { min_score: 0 }),
  };
  const request = useRequest(
    async (signal) => (asked.query === '' ? null : call('/api/v1/memory/search', asked, { signal })),
    asked,
    TYPING_MS,
  );
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    const early = takeEarlyKeys();
    field.current?.focus();
    if (early !== '') change({ q: text + early });
  }, []);
  const change = (changes: Readonly<Record<string, string>>): void => {
    const values = new URLSearchParams(query);
    values.delete('limit');
    for (const [name, value] of Object.entries(changes)) values.set(name, value);
    navigate(`${href('/search')}?${values.toString()}`, { replace: true });
  };
  const more = (): void => change({ limit: String(limit + PAGE_SIZE) });
  return (
    <Page title={t(SHELL.search)} narrow>
      <form
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          firstResult()?.focus();
        }}
      >
        <input
          ref={field}
          type="search"
          class="input search-field"
          value={text}
          placeholder={t(SEARCH.placeholder)}
          aria-label={t(SHELL.search)}
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => change({ q: currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key !== 'ArrowDown') return;
            event.preventDefault();
            firstResult()?.focus();
          }}
        />
      </form>
      <Filters
        path="/search"
        query={query}
        counted={{ ...selection, ...(asked.query !== '' && { query: asked.query }) }}
        offered={FILTERS}
        hasFolder
      />
      {asked.query === '' ? (
        <Start />
      ) : (
        <Loaded request={request}>
          {(found) =>
            found !== null && (
              <Results
                found={found}
                stale={request.loading}
                onMore={limit < MAX_RESULTS && found.results.length === limit ? more : undefined}
              />
            )
          }
        </Loaded>
      )}
    </Page>
  );
}

/** The query of a search in paths that contain this: `path:Home oven`, `path:"Old notes" oven`. */
function withFolder(query: string, folder: string): string {
  if (folder === '') return query;
  return `path:${/^[\w./-]+$/.test(folder) ? folder : `"${folder.replaceAll('"', '')}"`} ${query}`.trim();
}

/** What to do first: add notes to an empty memory, or ask. */
function Start(): JSX.Element | null {
  const { data, error, reload } = useRequest(
    (signal) => call('/api/v1/record/table', { limit: 1 }, { signal }),
    null,
  );
  if (data === undefined && error === undefined) return null;
  if (data?.total === 0 && session.namespace === session.own)
    return (
      <Empty title={t(FOLDER.title)}>
        <p>{t(FOLDER.about)}</p>
        <AddFolder onDone={reload} />
      </Empty>
    );
  return (
    <Empty title={t(SEARCH.emptyTitle)}>
      <p>{t(SEARCH.empty)}</p>
    </Empty>
  );
}

function results(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>('[data-result]')];
}

function firstResult(): HTMLElement | undefined {
  return results()[0];
}

interface ResultsProps {
  readonly found: Found;
  /** Shows further results; undefined if there are none. */
  readonly onMore: (() => void) | undefined;
  /** Whether a search for another query is under way. */
  readonly stale: boolean;
}

function Results({ found, onMore, stale }: ResultsProps): JSX.Element {
  const [explained, setExplained] = useState<number | null>(null);
  const current = (): HTMLElement | undefined =>
    results().find((element) => element.contains(document.activeElement));
  const move = (step: number): void => {
    const all = results();
    const here = current();
    const next = all[here === undefined ? 0 : all.indexOf(here) + step];
    if (next !== undefined) next.focus();
    else if (step < 0) document.querySelector<HTMLElement>('input[type=search]')?.focus();
  };
  useKeys([
    { key: 'ArrowDown', does: t(SEARCH.keyNext), run: () => move(1) },
    { key: 'ArrowUp', does: t(SEARCH.keyPrevious), run: () => move(-1) },
    {
      key: 'w',
      does: t(SEARCH.keyWhy),
      run: () => {
        const id = Number(current()?.dataset['result']);
        if (id > 0) setExplained((before) => (before === id ? null : id));
      },
    },
  ]);
  const { results: all, related } = found;
  // Where nothing surely fits, all are shown in one list under a line that says so.
  const strong = found.strong === 0 ? all : all.slice(0, found.strong);
  const weak = all.slice(strong.length);
  const card = (result: Found['results'][number]): JSX.Element => (
    <ResultCard
      key={result.id}
      result={result}
      explained={explained === result.id}
      onExplain={() => setExplained(explained === result.id ? null : result.id)}
    />
  );
  return (
    <div class={stale ? 'results stale' : 'results'}>
      <About found={found} />
      <p class="quiet-text" role="status">
        {all.length > 0 && counted(SEARCH.results, all.length)}
        {all.length > 0 && found.strong === 0 && ` · ${t(SEARCH.unsure)}`}
      </p>
      <ol class="list">{strong.map(card)}</ol>
      {weak.length > 0 && (
        <section>
          <h2 class="divider">{t(SEARCH.weaker)}</h2>
          <ol class="list">{weak.map(card)}</ol>
        </section>
      )}
      {onMore !== undefined && (
        <button type="button" class="button" onClick={onMore}>
          {t(SEARCH.more)}
        </button>
      )}
      {related.length > 0 && (
        <section>
          <h2 class="divider">{t(SEARCH.related)}</h2>
          <ol class="list">{related.map(card)}</ol>
        </section>
      )}
    </div>
  );
}

/** What the search could not do, what it corrected, and why it found nothing. */
function About({ found }: { readonly found: Found }): JSX.Element {
  const { missing, notices, corrections, results: all, nothing } = found;
  const withWeak = new URLSearchParams(usePlace().query);
  withWeak.set('weak', '1');
  return (
    <>
      {corrections.map(({ word, instead }) => (
        <p class="quiet-text" key={word}>
          {t(SEARCH.corrected, { word, instead: instead.join(', ') })}
        </p>
      ))}
      {missing.map(({ signal, why }) => (
        <p class="quiet-text" key={signal}>
          {t(SEARCH.missing, { signal: t(SEARCH[signal]), why })}
        </p>
      ))}
      <Notices notices={notices} />
      {all.length === 0 && (
        <Empty title={t(SEARCH.nothing)}>
          {reasons(nothing).map((reason) => (
            <p key={reason}>{reason}</p>
          ))}
          {(nothing?.hidden ?? null) !== null && (
            <Link class="button" to={`${href('/search')}?${withWeak.toString()}`}>
              {t(SEARCH.showWeak)}
            </Link>
          )}
        </Empty>
      )}
    </>
  );
}

/** Why a search returned nothing, in sentences. */
function reasons(nothing: Found['nothing']): readonly string[] {
  if (nothing === null) return [t(SEARCH.nothingHint)];
  if (nothing.empty) return [t(SEARCH.nothingStored)];
  const { unread_vaults: unread, unmet_filters: unmet, hidden, hidden_of_sources: ofSources } = nothing;
  const weak = [hidden, ...ofSources].reduce((sum, each) => sum + (each?.results ?? 0), 0);
  const known = [
    ...(unread.length > 0 ? [t(SEARCH.nothingUnread, { names: unread.join(', ') })] : []),
    ...(unmet.length > 0 ? [t(SEARCH.nothingFilters, { names: unmet.join(', ') })] : []),
    ...(weak > 0 ? [counted(SEARCH.nothingHidden, weak)] : []),
  ];
  return known.length > 0 ? known : [t(SEARCH.nothingHint)];
}
