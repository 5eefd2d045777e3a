import { LociError } from '../src/core/errors.ts';
import type { Embedder } from '../src/embed/embedder.ts';
import type { Reranker } from '../src/embed/rerank/reranker.ts';
import type { Evidence, Ranking, SourcePolicy } from '../src/search/rank/ranking.ts';
import { runSearch, type SearchOutcome } from '../src/search/search.ts';
import type { PassageScore } from '../src/store/search-model.ts';
import type { Store } from '../src/store/store.ts';
import { type IndexedSet, namespaceOf, storedRecords } from './index-cache.ts';
import { documentIds } from './records.ts';
import type { EvalSet } from './sets.ts';
import { RESULTS, type System } from './system.ts';

/** The store as it answers without these records. A signal may return fewer passages than it was asked for. */
function withoutRecords(store: Store, hidden: ReadonlySet<number>): Store {
  const isShown = ({ record }: PassageScore): boolean => !hidden.has(record);
  const retrieve: Store['search']['retrieve'] = async (namespace, request) => {
    const { lists, cosines, passages, ...rest } = await store.search.retrieve(namespace, request);
    return {
      ...rest,
      lists: lists.map((list) => ({ ...list, scores: list.scores.filter(isShown) })),
      cosines: cosines.filter(isShown),
      passages: passages.filter(({ record }) => !hidden.has(record.id)),
    };
  };
  const passages: Store['search']['passages'] = async (...args) => {
    const loaded = await store.search.passages(...args);
    return { ...loaded, passages: loaded.passages.filter(({ record }) => !hidden.has(record.id)) };
  };
  const named: Store['search']['named'] = async (...args) =>
    (await store.search.named(...args)).filter(({ record }) => !hidden.has(record));
  return { ...store, search: { ...store.search, retrieve, passages, named } };
}

/** The time of all searches of a set without a time, so that ages and "last week" mean the same in every run. */
const NOW: number = Date.UTC(2026, 10, 21);

/** The default of `search.related`. */
const RELATED_LIMIT = 5;

export interface EngineOptions {
  readonly name: string;
  readonly ranking: Ranking;
  /** Results of a lower confidence are left out. */
  readonly minScore: number;
  readonly sources: Readonly<Record<string, SourcePolicy>>;
  /** The last stage; none unless given. */
  readonly reranker?: Reranker | null;
  /** Whether some passages have no vector on purpose. */
  readonly isPartlyEmbedded?: boolean;
}

/** Loci itself on an indexed set. Closing the system leaves the store open. */
export function engineSystem(
  set: EvalSet,
  indexed: IndexedSet,
  embedder: Embedder | null,
  options: EngineOptions,
): System {
  const search = engineSearch(set, indexed, embedder, options);
  const { name, minScore } = options;
  return {
    name,
    rank: async (collection, query, src, hidden, now) => {
      const { hits, related, documentId } = await search(collection, query, {
        limit: RESULTS,
        ...(src !== undefined && { src }),
        ...(hidden !== undefined && { hidden }),
        ...(now !== undefined && { now }),
      });
      const shown = hits.filter((hit) => hit.confidence >= minScore);
      return {
        ids: shown.map(({ passage }) => documentId(passage.record)),
        related: shown.length === 0 ? [] : related.map(({ passage }) => documentId(passage.record)),
        judged: hits.map(({ passage, confidence, confidenceParts: { parts } }) => ({
          id: documentId(passage.record),
          confidence,
          evidence: Object.fromEntries(parts.map(({ name, value }) => [name, value])) as unknown as Evidence,
        })),
      };
    },
    close: () => Promise.resolve(),
  };
}

interface EngineSearchOptions {
  readonly limit: number;
  /** See `System.rank`. */
  readonly src?: string;
  readonly hidden?: readonly string[];
  readonly now?: number;
}

interface EngineSearchResult extends SearchOutcome {
  readonly documentId: ReturnType<typeof documentIds>;
}

/** A search of the engine in a collection. */
export function engineSearch(
  set: EvalSet,
  { store, generation }: IndexedSet,
  embedder: Embedder | null,
  { ranking, sources, reranker = null, isPartlyEmbedded = false }: Omit<EngineOptions, 'name' | 'minScore'>,
): (collection: string, query: string, options: EngineSearchOptions) => Promise<EngineSearchResult> {
  const policies = new Map(Object.entries(sources));
  const vectors = embedder === null || generation === null ? null : { embedder, generation };
  const idsOf = new Map(set.collections.map((collection) => [collection.id, documentIds(collection)]));
  const recordIds = recordIdsOf(set, store);
  return async (collection, query, { limit, src, hidden, now = set.now ?? NOW }) => {
    const documentId = idsOf.get(collection)!;
    // The document that a query was made from must not lead to others either.
    const unseen = [...(hidden ?? []), ...(src === undefined ? [] : [src])];
    const visible = unseen.length === 0 ? store : withoutRecords(store, await recordIds(collection, unseen));
    const outcome = await runSearch({
      store:
        src === undefined ? visible : withoutLinksOf(visible, (key) => documentId(noteWith(key)) === src),
      namespace: namespaceOf(set, collection),
      query,
      filter: { now },
      limit,
      ranking,
      reranker,
      policies,
      sourceNames: namesOf(set),
      related: { resultLimit: 10, limit: RELATED_LIMIT, excludedSources: [] },
      vectors,
    });
    const [notice] = outcome.notices;
    if (notice !== undefined) throw new LociError('embedding_unavailable', notice);
    const [absent] = outcome.retrieved.missing;
    // Figures without one of the signals would be mistaken for those of all signals.
    if (absent !== undefined && !isPartlyEmbedded)
      throw new LociError('embedding_unavailable', `${absent.signal}: ${absent.why}`);
    return { ...outcome, documentId };
  };
}

/** Finds the records of documents; reads each collection once. */
function recordIdsOf(
  set: EvalSet,
  store: Store,
): (collection: string, documents: readonly string[]) => Promise<Set<number>> {
  const recordsById = new Map<string, ReadonlyMap<string, number>>();
  return async (id, documents) => {
    let records = recordsById.get(id);
    if (records === undefined) {
      const documentId = documentIds(set.collections.find((collection) => collection.id === id)!);
      const stored = await storedRecords(store, namespaceOf(set, id));
      records = new Map([...stored.values()].map((record) => [documentId(record), record.id]));
      recordsById.set(id, records);
    }
    return new Set(documents.flatMap((document) => records.get(document) ?? []));
  };
}

/** The store without the links of one note. */
function withoutLinksOf(store: Store, isExcluded: (key: string) => boolean): Store {
  const links: Store['records']['links'] = async (...args) =>
    (await store.records.links(...args)).filter(({ key }) => !isExcluded(key));
  return { ...store, records: { ...store.records, links } };
}

function noteWith(key: string): Parameters<ReturnType<typeof documentIds>>[0] {
  return { origin: 'vault', source: 'eval', key };
}

/** The names of the sources by id. In a set, both are equal. */
function namesOf({ collections }: EvalSet): Map<string, string> {
  const sources = collections.flatMap(({ docs }) => docs.flatMap(({ from }) => from?.source ?? []));
  return new Map(sources.map((source) => [source, source]));
}

type RankingChange = (ranking: Ranking) => Ranking;

/** The ranking with each named stage or signal disabled. A new stage of `Ranking` gets a line here. */
export const ABLATIONS: Readonly<Record<string, RankingChange>> = {
  smoothing: withSettings({ smoothing: null }),
  anchorText: withSettings({ anchorText: null }),
  bridging: withSettings({ bridging: null }),
  shortTurns: withSettings({ shortTurns: null }),
  statements: withSettings({ statementShare: 0 }),
  coverageFloor: withSettings({ coverageFloor: null }),
  confidenceOrder: withSettings({ confidenceOrder: null }),
  fields: withSettings({ fields: { title: 1, headings: 1, body: 1, tags: 1 } }),
  dateBoost: withSettings({ dateBoost: 0 }),
  relativeDateBoost: withSettings({ relativeDateBoost: 0 }),
  speakerBoost: withSettings({ speakerBoost: 0 }),
  sessionPrior: withSettings({ sessionPrior: 0 }),
  userPrior: withSettings({ userPrior: 0 }),
  titleBoost: withSettings({ titleBoost: 0 }),
  kindBoost: withSettings({ kindBoost: 0 }),
  completedFactor: withSettings({ completedFactor: 1 }),
  recency: withWeights({ recency: 0 }),
  newest: withSettings({ newest: null }),
  // `correctionShare` would otherwise move the weight of the text signal to this one.
  spelling: (ranking) => withSettings({ correctionShare: 0 })(withWeights({ spelling: 0 })(ranking)),
  vector: withWeights({ vector: 0 }),
  text: withWeights({ text: 0 }),
};

/** The engine with nothing but the vectors: no other signal, no later stage. */
export function vectorsAlone(ranking: Ranking): Ranking {
  const bare = Object.values(ABLATIONS).reduce((before, turnOff) => turnOff(before), ranking);
  return withWeights({ vector: 1 })(bare);
}

function withSettings(change: Partial<Ranking>): RankingChange {
  return (ranking) => ({ ...ranking, ...change });
}

function withWeights(change: Partial<Ranking['weights']>): RankingChange {
  return (ranking) => ({ ...ranking, weights: { ...ranking.weights, ...change } });
}
