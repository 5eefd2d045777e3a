import { pairedDifference, type Interval } from './bootstrap.ts';
import { mean } from './metrics.ts';
import { queryKey, type QueryScore, type Run, type Top } from './run.ts';
import {
  isFromSource,
  type EvalCollection,
  type EvalDocument,
  type EvalQuery,
  type EvalSet,
} from './sets.ts';

/** Goals for a set with sources: relevant documents of sources are shown, and the results for notes hardly get worse. */
export const GOALS = { recall: 0.9, loss: 0.01 } as const;

/** Shares are 0 to 1. */
export interface Ambient {
  /** By half of the queries; `all` for queries without one. */
  readonly halves: Readonly<Record<string, AmbientHalf>>;
}

export interface AmbientHalf {
  /** The share of the relevant documents of sources that is among ten results and their related documents. */
  readonly recall: {
    readonly categories: Readonly<Record<string, Recall>>;
    readonly sources: Readonly<Record<string, Recall>>;
    readonly all: Recall;
    /** The recall of todos: documents that have a completed state. */
    readonly todos: Recall;
  };
  /** Queries whose relevant documents are all notes. */
  readonly notes: NotesAlone;
  readonly shown: Shown;
  /** The same for the related documents alone. */
  readonly relatedAlone: Shown;
  /** Queries without a relevant document. */
  readonly nothing: Intrusion;
  readonly met: { readonly recall: boolean; readonly loss: boolean };
}

export interface Recall {
  readonly queries: number;
  /** Mean over the queries with such a relevant document. */
  readonly recall: number;
}

/** What results show of the documents of sources. Shares are over documents, 0 to 1. */
interface Shown {
  /** Of the relevant documents of the openers, the share that is shown; for a half without openers, of all queries. */
  readonly recall: number;
  /** Of the shown documents of these queries, the share that is relevant. */
  readonly precision: number;
  /** Of the queries without a relevant document of a source, the share that shows one nevertheless. */
  readonly unrelated: number;
}

/** How many queries show an irrelevant document of a source. */
export interface Intrusion {
  readonly queries: number;
  readonly first3: number;
  readonly first10: number;
  /** Mean number of related documents of a query. */
  readonly related: number;
}

interface NotesAlone extends Intrusion {
  /** nDCG@10 in a store without the sources. */
  readonly alone: number;
  /** nDCG@10 in the store with the sources. */
  readonly together: number;
  /** The difference of `alone` and `together` over the same queries. */
  readonly loss: Interval;
}

/** One query with its results in both runs. */
interface PairedQuery {
  readonly query: EvalQuery;
  readonly gold: readonly EvalDocument[];
  /** Ten results, then their related documents. */
  readonly shown: Top;
  readonly related: Top;
  /** Of the shown documents, those of sources. */
  readonly shownFromSource: Top;
  /** Whether each of the ten results is of a source. */
  readonly fromSource: readonly boolean[];
  readonly together: QueryScore | undefined;
  readonly alone: QueryScore | undefined;
}

/**
 * @param together the run over the whole set
 * @param alone the run of the same system and queries over the set without its sources
 */
export function ambientOf(set: EvalSet, together: Run, alone: Run): Ambient {
  const queries = set.collections.flatMap((collection) => pairQueries(collection, together, alone));
  const groups = Object.groupBy(queries, ({ query }) => query.half ?? 'all');
  const halves = Object.entries(groups).map(([name, ofHalf]) => [name, halfOf(ofHalf)] as const);
  return { halves: Object.fromEntries(halves.sort(([a], [b]) => (a < b ? -1 : 1))) };
}

function pairQueries(collection: EvalCollection, together: Run, alone: Run): PairedQuery[] {
  const documents = new Map(collection.docs.map((doc) => [doc.id, doc]));
  const ofSources = new Set(collection.docs.filter(isFromSource).map(({ id }) => id));
  const scored = byKey(together.queries);
  const absent = byKey(together.absent);
  const scoredAlone = byKey(alone.queries);
  return collection.queries.flatMap((query): PairedQuery[] => {
    const key = queryKey(collection, query);
    const result = scored.get(key) ?? absent.get(key);
    if (result === undefined) return [];
    const { top, related } = result;
    return [
      {
        query,
        gold: query.gold.map((id) => documents.get(id)!),
        fromSource: top.map((id) => ofSources.has(id)),
        shown: [...top, ...related],
        shownFromSource: [...top, ...related].filter((id) => ofSources.has(id)),
        related,
        together: scored.get(key),
        alone: scoredAlone.get(key),
      },
    ];
  });
}

function byKey<T extends { readonly key: string }>(items: readonly T[]): Map<string, T> {
  return new Map(items.map((item) => [item.key, item]));
}

function halfOf(queries: readonly PairedQuery[]): AmbientHalf {
  const todos = recallOf(queries, ({ from }) => from?.printed.completed !== undefined);
  const withSources = queries.filter(({ gold }) => gold.some(isFromSource));
  const sources = new Set(withSources.flatMap(({ gold }) => gold.flatMap(({ from }) => from?.source ?? [])));
  const categories = Object.entries(Object.groupBy(withSources, ({ query }) => query.cat));
  const notes = notesAlone(queries.filter(({ gold }) => gold.length > 0 && !gold.some(isFromSource)));
  return {
    recall: {
      categories: Object.fromEntries(
        categories.map(([cat, ofCategory = []]) => [cat, recallOf(ofCategory, isFromSource)]),
      ),
      sources: Object.fromEntries(
        [...sources].sort().map((name) => [name, recallOf(queries, ({ from }) => from?.source === name)]),
      ),
      all: recallOf(queries, isFromSource),
      todos,
    },
    notes,
    shown: shownOf(queries, ({ shownFromSource }) => shownFromSource),
    relatedAlone: shownOf(queries, ({ related }) => related),
    nothing: intrusionOf(queries.filter(({ gold }) => gold.length === 0)),
    met: { recall: todos.recall >= GOALS.recall, loss: notes.loss.mean <= GOALS.loss },
  };
}

function shownOf(queries: readonly PairedQuery[], documentsOf: (query: PairedQuery) => Top): Shown {
  const openers = queries.filter(({ query }) => query.cat === 'opener');
  const counted = openers.length > 0 ? openers : queries;
  let [relevant, shown, both] = [0, 0, 0];
  for (const query of counted) {
    const { gold } = query;
    const documents = documentsOf(query);
    const ofSources = new Set(gold.filter(isFromSource).map(({ id }) => id));
    relevant += ofSources.size;
    shown += documents.length;
    both += documents.filter((id) => ofSources.has(id)).length;
  }
  const without = queries.filter(({ gold }) => !gold.some(isFromSource));
  const unrelated = without.filter((query) => documentsOf(query).length > 0).length;
  const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
  return {
    recall: share(both, relevant),
    precision: share(both, shown),
    unrelated: share(unrelated, without.length),
  };
}

function recallOf(queries: readonly PairedQuery[], counts: (doc: EvalDocument) => boolean): Recall {
  const shares = queries.flatMap(({ gold, shown }) => {
    const relevant = gold.filter(counts);
    if (relevant.length === 0) return [];
    return [relevant.filter(({ id }) => shown.includes(id)).length / relevant.length];
  });
  return { queries: shares.length, recall: mean(shares) };
}

function notesAlone(queries: readonly PairedQuery[]): NotesAlone {
  const alone = queries.map((query) => query.alone?.scores['nDCG@10'] ?? 0);
  const together = queries.map((query) => query.together?.scores['nDCG@10'] ?? 0);
  return {
    ...intrusionOf(queries),
    alone: mean(alone),
    together: mean(together),
    loss: pairedDifference(alone, together),
  };
}

function intrusionOf(queries: readonly PairedQuery[]): Intrusion {
  const within = (ranks: number): number =>
    queries.filter(({ fromSource }) => fromSource.slice(0, ranks).includes(true)).length;
  return {
    queries: queries.length,
    first3: within(3),
    first10: within(10),
    related: mean(queries.map(({ related }) => related.length)),
  };
}
