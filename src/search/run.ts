import type { Embedder } from '../embed/embedder.ts';
import type { Reranker } from '../embed/rerank/reranker.ts';
import type { RecordHeader, SearchFilter, TextTerm } from '../store/search-model.ts';
import type { Store } from '../store/store.ts';
import { type DateRange, detectDates, isDateOnlyQuery } from './query/dates.ts';
import { asksForReply, detectIntent, type QueryIntent, type SourceNames } from './query/intent.ts';
import { type OperatorQuery, readOperators } from './query/operators.ts';
import { type ParsedQuery, parseQuery } from './query/parse.ts';
import { NO_POLICIES, type Ranking, type SourcePolicies } from './rank/ranking.ts';

/** One search: what the caller wants and what the query means. */
export interface SearchRun {
  readonly store: Store;
  readonly namespace: string;
  /** With what the operators of the query ask for. */
  readonly filter: SearchFilter;
  /** Maximum number of hits. */
  readonly limit: number;
  /** Hits of a lower confidence are dropped. 0 to 1. */
  readonly minScore: number;
  readonly ranking: Ranking;
  /** `null` without an embedding model. */
  readonly vectors: VectorIndexRef | null;
  /** Settings of single vaults and sources; the others have the defaults of their origin. */
  readonly policies: SourcePolicies;
  /** `null` when the caller wants no related documents. */
  readonly related: RelatedOptions | null;
  /** Puts the best results into another order; `null` for none. */
  readonly reranker: Pick<Reranker, 'provider' | 'rerank'> | null;
  /** How long each call of the index may take, in milliseconds; `undefined` for no limit. */
  readonly deadlineMs: number | undefined;
  readonly signal: AbortSignal | undefined;
  /** What the caller will read of the results. */
  readonly ahead: ReadAhead | undefined;
  /** Without operators. */
  readonly query: ParsedQuery;
  /** Words and phrases that no result may have. */
  readonly excluded: readonly TextTerm[];
  /** Whether the query has operators and no words: its results are all records that pass the filter. */
  readonly listsAll: boolean;
  /** What must be said about how the query was read. */
  readonly notices: readonly string[];
  /** The index terms of the query's words. */
  readonly queryTerms: ReadonlySet<string>;
  readonly dates: readonly DateRange[];
  readonly intent: QueryIntent | null;
}

/** What is read of probable results together with what the search reads itself, from a store that remembers it. */
export interface ReadAhead {
  /** Whether the passages that are shown will be chosen: see `shownPassages`. */
  readonly shows: boolean;
  read(store: Store, records: readonly RecordHeader[]): Promise<unknown>;
}

/** The model that embeds the query, and the generation of vectors to compare it with. */
export interface VectorIndexRef {
  readonly embedder: Embedder;
  readonly generation: number;
  /** What an answer from these vectors must say. */
  readonly notice?: string;
}

/** Which documents of sources are shown in addition to the results. */
interface RelatedOptions {
  /** Results that are shown. */
  readonly resultLimit: number;
  readonly limit: number;
  /** Sources whose documents are shown only when a search asks for them. */
  readonly excludedSources: readonly string[];
}

/** A run before it is known which vectors to search. The lookup runs at the same time as the first calls of the search. */
export interface StartedRun extends Omit<SearchRun, 'vectors'> {
  readonly vectors: SearchRun['vectors'] | Promise<SearchRun['vectors']>;
}

type Required = 'store' | 'namespace' | 'filter' | 'limit' | 'ranking' | 'vectors';
type Optional = 'reranker' | 'minScore' | 'policies' | 'related' | 'deadlineMs' | 'signal' | 'ahead';

export interface SearchOptions extends Pick<StartedRun, Required>, Partial<Pick<StartedRun, Optional>> {
  readonly query: string;
  /** Whether the query may have operators, such as `path:x`. A document, or a prompt, has none. */
  readonly operators?: boolean;
  /** Names by which a query can refer to a source; without them no query has an intent. */
  readonly sourceNames?: SourceNames;
}

const NO_NAMES: SourceNames = new Map();

export function startRun({
  query: text,
  operators: hasOperators = false,
  sourceNames = NO_NAMES,
  ...options
}: SearchOptions): StartedRun {
  const ranking = asksForReply(text) ? { ...options.ranking, userPrior: 0 } : options.ranking;
  const operators = hasOperators ? readOperators(text) : null;
  const query = parseQuery(operators?.text ?? text);
  const filter = withOperators(options.filter, operators);
  const dates = ranking.dateBoost > 0 ? detectDates(query.text, filter.now) : [];
  return {
    minScore: 0,
    policies: NO_POLICIES,
    related: null,
    reranker: null,
    deadlineMs: undefined,
    signal: undefined,
    ahead: undefined,
    ...options,
    ...{ query, filter, ranking },
    excluded: operators?.excluded ?? [],
    listsAll: operators !== null && operators.text !== text && query.terms.length === 0,
    notices: operators?.notices ?? [],
    queryTerms: new Set(
      query.terms.flatMap(({ terms, alternatives = [] }) =>
        [terms, alternatives.map((each) => each.terms)].flat(2),
      ),
    ),
    dates,
    intent: ranking.kindBoost > 0 ? detectIntent(query, dates, sourceNames, filter.now) : null,
  };
}

/** Whether all records are listed, or those of dates or of a type: then none says more about the query than another. */
export function isList({ listsAll, dates, intent, query }: SearchRun): boolean {
  return listsAll || intent?.listOnly === true || (dates.length > 0 && isDateOnlyQuery(query.terms, dates));
}

/** A condition that is not given stays so: a filter of some is slower than one of none. */
function withOperators(filter: SearchFilter, operators: OperatorQuery | null): SearchFilter {
  const both = (['tags', 'excludedTags', 'paths', 'excludedPaths'] as const).flatMap((name) => {
    const given = operators?.filter[name] ?? [];
    return given.length === 0 ? [] : [[name, [...(filter[name] ?? []), ...given]] as const];
  });
  return { ...filter, ...Object.fromEntries(both) };
}
