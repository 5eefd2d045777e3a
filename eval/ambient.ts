import { pairedDifference, type Interval } from './bootstrap.ts';
import { mean } from './metrics.ts';
import { queryKey, type QueryScore, type Run, type Top } from './run.ts';
import { isBrought, type EvalCollection, type EvalDocument, type EvalQuery, type EvalSet } from './sets.ts';

/** What a set with sources is for: their documents surface where they are relevant, and cost the notes next to nothing. */
export const GOALS = { recall: 0.9, loss: 0.01 } as const;

/** Shares are 0 to 1. */
export interface Ambient {
  /** By half; `all` for queries that are of none. */
  readonly halves: Readonly<Record<string, AmbientHalf>>;
}

export interface AmbientHalf {
  /** Share of the relevant documents of sources that a search of ten shows, among its results or beside them, by category of the query, by source, and of all. */
  readonly recall: {
    readonly categories: Readonly<Record<string, Recall>>;
    readonly sources: Readonly<Record<string, Recall>>;
    readonly all: Recall;
    /** Of todos, which tell whether they are completed. */
    readonly todos: Recall;
  };
  /** Queries that notes alone answer. */
  readonly notes: NotesAlone;
  /** Queries that nothing answers. */
  readonly nothing: Intrusion;
  readonly met: { readonly recall: boolean; readonly loss: boolean };
}

export interface Recall {
  readonly queries: number;
  /** Mean over the queries that have such a document. */
  readonly recall: number;
}

/** How many queries show a document of a source that they should not. */
export interface Intrusion {
  readonly queries: number;
  readonly first3: number;
  readonly first10: number;
  /** Documents beside the results of a query, on average. */
  readonly related: number;
}

export interface NotesAlone extends Intrusion {
  /** nDCG@10 where there is nothing but the set's own documents. */
  readonly alone: number;
  /** The same with what the sources brought. */
  readonly together: number;
  /** `alone` minus `together`, over the same queries. */
  readonly loss: Interval;
}

/** One query, with what came of it. */
interface Asked {
  readonly query: EvalQuery;
  readonly gold: readonly EvalDocument[];
  /** All that a search of ten shows: its results, then what stands beside them. */
  readonly shown: Top;
  readonly related: number;
  /** Which of the first ten a source brought. */
  readonly intruders: readonly boolean[];
  readonly together: QueryScore | undefined;
  readonly alone: QueryScore | undefined;
}

/** Both runs are of the same system and ask the same queries: one of the set, one of the set without its sources. */
export function ambientOf(set: EvalSet, together: Run, alone: Run): Ambient {
  const asked = set.collections.flatMap((collection) => pairUp(collection, together, alone));
  const groups = Object.groupBy(asked, ({ query }) => query.half ?? 'all');
  const halves = Object.entries(groups).map(([name, some]) => [name, halfOf(some)] as const);
  return { halves: Object.fromEntries(halves.sort(([a], [b]) => (a < b ? -1 : 1))) };
}

function pairUp(collection: EvalCollection, together: Run, alone: Run): Asked[] {
  const documents = new Map(collection.docs.map((doc) => [doc.id, doc]));
  const brought = new Set(collection.docs.filter(isBrought).map(({ id }) => id));
  const scored = byKey(together.queries);
  const absent = byKey(together.absent);
  const before = byKey(alone.queries);
  return collection.queries.flatMap((query): Asked[] => {
    const key = queryKey(collection, query);
    const answer = scored.get(key) ?? absent.get(key);
    if (answer === undefined) return [];
    const { top, related } = answer;
    return [
      {
        query,
        gold: query.gold.map((id) => documents.get(id)!),
        intruders: top.map((id) => brought.has(id)),
        shown: [...top, ...related],
        related: related.length,
        together: scored.get(key),
        alone: before.get(key),
      },
    ];
  });
}

function byKey<T extends { readonly key: string }>(items: readonly T[]): Map<string, T> {
  return new Map(items.map((item) => [item.key, item]));
}

function halfOf(asked: readonly Asked[]): AmbientHalf {
  const todos = recallOf(asked, ({ from }) => from?.printed.completed !== undefined);
  const ofSource = asked.filter(({ gold }) => gold.some(isBrought));
  const sources = new Set(ofSource.flatMap(({ gold }) => gold.flatMap(({ from }) => from?.source ?? [])));
  const categories = Object.entries(Object.groupBy(ofSource, ({ query }) => query.cat));
  const notes = notesAlone(asked.filter(({ gold }) => gold.length > 0 && !gold.some(isBrought)));
  return {
    recall: {
      categories: Object.fromEntries(categories.map(([cat, some = []]) => [cat, recallOf(some, isBrought)])),
      sources: Object.fromEntries(
        [...sources].sort().map((name) => [name, recallOf(asked, ({ from }) => from?.source === name)]),
      ),
      all: recallOf(asked, isBrought),
      todos,
    },
    notes,
    nothing: intrusionOf(asked.filter(({ gold }) => gold.length === 0)),
    met: { recall: todos.recall >= GOALS.recall, loss: notes.loss.mean <= GOALS.loss },
  };
}

function recallOf(asked: readonly Asked[], counts: (doc: EvalDocument) => boolean): Recall {
  const shares = asked.flatMap(({ gold, shown }) => {
    const relevant = gold.filter(counts);
    if (relevant.length === 0) return [];
    return [relevant.filter(({ id }) => shown.includes(id)).length / relevant.length];
  });
  return { queries: shares.length, recall: mean(shares) };
}

function notesAlone(asked: readonly Asked[]): NotesAlone {
  const alone = asked.map((one) => one.alone?.scores['nDCG@10'] ?? 0);
  const together = asked.map((one) => one.together?.scores['nDCG@10'] ?? 0);
  return {
    ...intrusionOf(asked),
    alone: mean(alone),
    together: mean(together),
    loss: pairedDifference(alone, together),
  };
}

function intrusionOf(asked: readonly Asked[]): Intrusion {
  const within = (places: number): number =>
    asked.filter(({ intruders }) => intruders.slice(0, places).includes(true)).length;
  return {
    queries: asked.length,
    first3: within(3),
    first10: within(10),
    related: mean(asked.map(({ related }) => related)),
  };
}
