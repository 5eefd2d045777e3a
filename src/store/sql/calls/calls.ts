import type { StoredLanguage } from '../../../core/text/language/language.ts';
import { Deadline } from '../../../core/time/deadline.ts';
import type { Timestamp } from '../../../core/types.ts';
import type { NamespaceStats } from '../../admin-model.ts';
import type { GraphState } from '../../graph-model.ts';
import { findSeparate, type SeparateLookUp } from '../../lexical/look-up.ts';
import { ADMIN_NAMESPACE, type AdminNamespace } from '../../rules/admin-namespace.ts';
import type {
  GenerationChange,
  LoadedPassages,
  NeighbourReach,
  QueryVector,
  RetrievalRequest,
  SearchFilter,
  SentenceVectors,
  SimilarRecord,
  VectorWrite,
  NamespaceVocabulary,
} from '../../search-model.ts';
import { readAudit } from '../admin/audit.ts';
import {
  allPending,
  dueNamespaces,
  recordCounts,
  size,
  stats,
  totals,
  writtenNamespaces,
} from '../admin/figures.ts';
import { lease } from '../admin/leases.ts';
import {
  compact,
  isTextDamaged,
  resetDerived,
  verifyNamespace,
  verifyNamespaces,
  verifyStorage,
} from '../admin/maintenance.ts';
import {
  countNamespaceRows,
  readmitNamespace,
  removeNamespace,
  unfinishedRemovals,
} from '../admin/remove-namespace.ts';
import type { Scope } from '../driver.ts';
import { passageFilter } from '../filter.ts';
import { assertQueryVectors, generationById, generations, setGeneration } from '../generations.ts';
import { conceptNames, linePlaces, namings, recordConcepts } from '../graph/concepts.ts';
import { contributions, counts, edges, graphState, neighbours, nodes, outline } from '../graph/read.ts';
import { readItems } from '../item.ts';
import { lockNamespace } from '../namespace.ts';
import { admitRequest, quotaOf, readQuota } from '../quota.ts';
import {
  countRecords,
  facet,
  facets,
  histogram,
  listRecords,
  sourceEntries,
  table,
  timeline,
} from '../read/listing.ts';
import {
  NO_COMPARISON,
  NO_PASSAGES,
  type PackedPassages,
  type PackedRetrieval,
  packRetrieval,
  PassageCache,
  unpackRetrieval,
} from '../read/wire.ts';
import { passagesOf, readPassages } from '../read/passages.ts';
import { belongsTo, bounds, findExisting, links, namedRecords, recordsInState } from '../read/records.ts';
import {
  pendingEmbeddings,
  retrieve,
  similarRecords,
  vectorsOf,
  vectorsOfPassages,
} from '../read/retrieve.ts';
import { atOnce, findNamespace } from '../sql.ts';
import { changes } from '../write/changes.ts';
import { commit } from '../write/commit.ts';
import { type Call, call, findScope, read, type Route, snapshot } from './define-call.ts';

const NO_BOUNDS = {
  ...{ highestId: 0, nextExpiry: null, oldestDeletion: null, nextHistoryExpiry: null, lastChange: 0 },
  belongsTo: { upTo: 0, excludedSources: [], pass: null },
};

const NO_STATS: NamespaceStats = {
  ...{ records: 0, deleted: 0, passages: 0, terms: 0, vectors: 0, texts: 0 },
  ...{ embedded: new Map(), byOrigin: {}, bySource: {} },
};

const NO_GRAPH: GraphState = {
  ...{ upTo: 0, similarUpTo: 0, rules: '', conceptsUpTo: 0, conceptRules: '' },
  ...{ lastChange: 0, stale: 0, changedNames: 0 },
  waiting: { records: [], names: [] },
};

function emptyRetrieval({ queries }: RetrievalRequest): PackedRetrieval {
  const lists = queries.map(() => ({ scores: [], milliseconds: 0, isPartial: false }));
  return packRetrieval({ lists, cosines: [], hasAllCosines: true, compared: NO_COMPARISON }, NO_PASSAGES);
}

/** The canonical data of a namespace, and what is derived from it record by record. */
const RECORDS = {
  /**
   * Writes all of the batch or nothing. It is durable when the promise resolves. Returns the ids of the writes, then those
   * of the imports, in order; or those of the purged records.
   * @throws LociError `not_found` for an unknown id, for a deletion of a record that is not live and for a restoration of
   *   one that is not deleted; `conflict` for a taken key or UUID, a record that has changed since it was read, a used
   *   idempotency key, a lease that another holder took over, an item that must not exist or has changed, and an entry of an attached
   *   audit log that differs from the one here or belongs to the namespace's own chain, which never wrote it; `invalid_input` for an eviction of a record that came from
   *   no source, for a new record that keeps passages, for an attached audit log that is broken and for a time or count that is not a whole number; `store_full`,
   *   `store_busy`
   */
  commit: call('writer', commit),
  /** Records in the order of the ids; ids without a record in this state are skipped. */
  get: read([], recordsInState),
  /** A page may be shorter than its limit, because long contents limit it too. Only an empty page is the last. */
  list: read([], listRecords),
  /** How many records pass the filter. */
  count: { ...read(0, countRecords), isFlat: true },
  /** The documents of a source, by key. */
  sourceEntries: read([], sourceEntries),
  /** For each identity, the records that it would collide with. */
  findExisting: read((identities) => identities.map(() => ({ sameUuid: null, sameKey: null })), findExisting),
  bounds: { ...read(NO_BOUNDS, bounds), isFlat: true },
  /**
   * The values of a field among the records that pass a filter: the most frequent first, ties by code point. Reads every
   * record that passes, so it may take a while. With `newestKeys`, they are in the order of the values, each with the keys of so many
   * records that were updated last.
   */
  facet: read([], facet),
  /** Several facets of fields that each record has once, in the order of the fields. Reads the records once. */
  facets: read((fields, _) => fields.map(() => []), facets),
  /** The records nearest in time to a record or a moment, in the order of their time. */
  timeline: read({ anchor: null, before: [], after: [] }, timeline),
  /** Records that pass the filter, sorted by a key. It reads every one of them unless the key is the time of live records. */
  table: read([], table),
  /**
   * How many records each source has in each span of the timeline; spans without any are left out. The spans are in order, each from
   * its start to the next; the last ends them.
   */
  histogram: read([], histogram),
  /** The passages of each record by ordinal; an empty list for an unknown record. */
  passagesOf: read((ids) => new Map(ids.map((id) => [id, []])), passagesOf),
  /**
   * Links between the documents of a source, by record and position. They are current when `commit` resolves: a document
   * that is added, moved or removed also changes what the links of other documents mean.
   */
  links: read([], links),
  /**
   * To which notes documents of sources belong, by document and position. The caller derives these edges and commits them;
   * the store removes those of records that are deleted or removed.
   */
  belongsTo: read([], belongsTo),
  /**
   * The changes of records after a sequence number, oldest first, so that derived state can follow. Each is durable in the
   * transaction that makes it. Each record has only its last change; without a cursor, the changes name every
   * record. The newest 10,000 removals remain.
   */
  changes: snapshot(({ after }) => ({ changes: [], mustRestart: after !== null && after > 0 }), changes),
  /** Items of one kind. `items/kinds.ts` reads what each kind has. */
  items: call('reader', readItems),
};

function noTerms(words: readonly string[], ..._: unknown[]): NamespaceVocabulary {
  return {
    terms: words.map((word) => ({ word, passages: 0, near: [] })),
    ...{ languages: [], hasSessions: false },
  };
}

async function terms(
  { sql, text, ns }: Scope,
  words: readonly string[],
  budgetMs?: number,
  languages: readonly StoredLanguage[] = [],
  separateAt?: Timestamp,
): Promise<NamespaceVocabulary> {
  const deadline = new Deadline(budgetMs);
  const { isRemote } = sql.dialect;
  const find: SeparateLookUp['find'] = (asked) =>
    findSeparate(asked, (phrases) =>
      text.countPhrases(ns, phrases, passageFilter(sql.dialect, { now: separateAt! }, true), deadline),
    );
  const separate = separateAt === undefined ? undefined : { isRemote, find };
  const [vocabulary, sessions] = await atOnce(sql, [
    () => text.terms(ns, words, languages, deadline, separate),
    () => sql.within(deadline, () => sql.all(HAS_SESSIONS, { ns })),
  ]);
  return { ...vocabulary, hasSessions: sessions?.length !== 0 };
}

const HAS_SESSIONS = 'SELECT 1 FROM record WHERE ns = :ns AND session IS NOT NULL LIMIT 1';

/** The stages of a search, one call each. */
const SEARCH = {
  /**
   * Looks folded words up in the namespace's vocabulary. The budget is how long the corrections of unknown words may take, in
   * milliseconds; unlimited unless given. Words are known by their inflections in those of the languages that the namespace has. With a
   * time, unknown words are looked up as two words in what has not expired then.
   */
  terms: {
    ...snapshot(noTerms, terms),
    isFlat: true,
  },
  /**
   * Answers all queries from one state of the namespace.
   * @throws LociError `embedding_mismatch` for a vector of other dimensions, `not_found` for an unknown generation
   */
  retrieve: {
    ...call('reader', async (driver, namespace: string, request: RetrievalRequest) => {
      const scope = await findScope(driver, namespace);
      if (scope === null) {
        await assertQueryVectors(driver.sql, vectorsOf(request.queries, request.cosines));
        return emptyRetrieval(request);
      }
      return driver.sql.snapshot(() => retrieve(scope, request));
    }),
    unpack: unpackRetrieval,
    isFlat: true,
  },
  /**
   * For each record, the other live records with the passages nearest to its first passage: the nearest first, ties by id. A
   * record without a vector is not in the map.
   * @throws LociError `not_found` for an unknown generation
   */
  similar: call(
    'reader',
    async (
      driver,
      namespace: string,
      generation: number,
      records: readonly number[],
      options: { readonly now: Timestamp; readonly limit: number },
    ): Promise<Map<number, SimilarRecord[]>> => {
      await generationById(driver.sql, generation);
      const scope = await findScope(driver, namespace);
      if (scope === null) return new Map();
      return driver.sql.snapshot(() => similarRecords(scope, generation, records, options));
    },
  ),
  /**
   * The records that a text may mean by one of these names (`mentionNames`), of all that are not deleted. A name that more
   * than `MAX_BEARERS` records have is left out.
   */
  named: read([], namedRecords),
  /** Reads the passages that the caller's cache does not have. `PassageCache` implements `passages` with it. */
  readPassages: { ...read(NO_PASSAGES, readPassages), isFlat: true },
};

/** Embeddings. Generations belong to the whole store, vectors to a namespace and generation. */
const VECTORS = {
  generations: call('reader', ({ sql }, _namespace: AdminNamespace) => generations(sql)),
  /** @throws LociError `conflict` for the removal of the active generation, `not_found` for an unknown one */
  setGeneration: call('writer', ({ sql, vectors }, _namespace: AdminNamespace, change: GenerationChange) =>
    setGeneration(sql, vectors, change),
  ),
  /** Whether searches of a generation would be faster with an index that it has not. Until it is made, they compare all vectors. */
  needsIndex: call('reader', async ({ sql, vectors }, _namespace: AdminNamespace, generation: number) =>
    vectors.needsIndex(await generationById(sql, generation)),
  ),
  /** The namespaces that have texts without a vector of the generation, by name. Searches do not wait for it. */
  allPending: call('writer', allPending),
  /** Passages without a vector. */
  pending: {
    ...snapshot({ passages: [], texts: 0, bytes: 0 }, pendingEmbeddings),
    // Searches do not wait for it.
    route: 'writer',
  } as const,
  /**
   * Stores vectors by content. A content that has a vector keeps it. The vectors of sentences are removed together with the vector
   * of their passage. A content that has them keeps them, and a content without a vector gets none.
   * @throws LociError `embedding_mismatch` for a vector of other dimensions, `invalid_input` for a component that is not
   *   finite, `not_found` for a generation that is unknown or was removed
   */
  put: call(
    'writer',
    async (
      { sql, text, vectors: index },
      namespace: string,
      generation: number,
      vectors: readonly VectorWrite[],
      sentences: SentenceVectors = new Map(),
    ): Promise<void> => {
      const known = await findNamespace(sql, namespace);
      if (known === null && vectors.length === 0) return;
      const ns = known ?? (await sql.transaction(() => lockNamespace(sql, text, namespace))).id;
      await index.put(ns, generation, vectors, sentences);
    },
  ),
  /** The vectors of those passages that have one in the generation, by passage. */
  ofPassages: read(new Map(), vectorsOfPassages),
  /**
   * The vectors of the sentences of passages, by which no search retrieves them. Contents without any stored are left out.
   * @throws LociError `not_found` for an unknown generation
   */
  sentences: call(
    'reader',
    async (
      driver,
      namespace: string,
      generation: number,
      hashes: readonly string[],
    ): Promise<SentenceVectors> => {
      const { dimensions } = await generationById(driver.sql, generation);
      const ns = await findNamespace(driver.sql, namespace);
      return ns === null ? new Map() : driver.vectors.sentences(ns, generation, dimensions, hashes);
    },
  ),
  /**
   * For those of the passages that have vectors of sentences: the highest cosine of one of them with the query. Empty where the
   * comparison takes longer than `budgetMs`.
   */
  sentenceCosines: snapshot(
    new Map<number, number>(),
    async (
      { sql, vectors, ns }: Scope,
      query: QueryVector,
      passages: readonly number[],
      budgetMs?: number,
    ): Promise<ReadonlyMap<number, number>> =>
      (await sql.within(new Deadline(budgetMs), () => vectors.sentenceCosines(ns, query, passages))) ??
      new Map<number, number>(),
  ),
};

/**
 * The graph of a namespace, and the names of its concepts. The caller derives them from the change feed and commits them in batches
 * (`CommitBatch.graph`, `CommitBatch.concepts`); the store removes what belongs to a record in the transaction that deletes or
 * removes the record. The edges of concepts are not stored: see `graph/concepts/concept-graph.ts`.
 */
const GRAPH = {
  /** With a limit, so much of what must be derived again to read, of each kind. Default none. */
  state: read(NO_GRAPH, graphState),
  /** Nodes that pass the filter. Unknown ids and records are skipped. */
  nodes: read([], nodes),
  /** Edges whose two nodes pass the filter, by the id of the source, the type and the id of the target. */
  edges: read([], edges),
  /** What the store has of the graph, read in the shortest time: without the concepts and edges that follow from names. */
  outline: read({ nodes: [], edges: [] }, outline),
  /** One step of a walk from several nodes, both ways along their edges. */
  neighbours: read({ out: [], in: [], nodes: [], degrees: [], tags: [] }, neighbours),
  /** Counts all nodes and edges that pass the filter, so it may take a while. */
  counts: snapshot({ nodes: [], edges: [], tags: [] }, counts),
  /** What each record contributes to a lane. */
  contributions: snapshot(
    (_, records) => new Map(records.map((record) => [record, { nodes: [], edges: [], isSharing: false }])),
    contributions,
  ),
  /** Names of records, by record, key, kind and text. */
  conceptNames: read([], conceptNames),
  /** What was derived from each of these records; records without it are left out. */
  recordConcepts: read(new Map(), recordConcepts),
  /** How many records of a project name each of these keys, and where they do. */
  namings: read(({ keys }) => new Map(keys.map((key) => [key, { records: 0, places: [] }])), namings),
  /** The places of these lines, in this order; of the whole record for the line `null`. Records that are gone are left out. */
  linePlaces: read([], linePlaces),
};

/** Audit log, leases, and the maintenance of the store. */
const ADMIN = {
  /** The namespaces that have a record, by name; or the given one only, if it has. */
  namespaces: call('reader', writtenNamespaces),
  recordCounts: call('reader', recordCounts),
  dueNamespaces: call('reader', dueNamespaces),
  size: call('reader', size),
  /** Both count texts without a vector, which takes a while. Searches do not wait for it. */
  totals: call('writer', totals),
  stats: { ...read(NO_STATS, stats), route: 'writer' } as const,
  /**
   * Compares derived state with the canonical rows. For the administrative namespace, checks the file itself. Returns the
   * differences in words; nothing if there are none.
   */
  verify: call(
    // It creates temporary tables.
    'writer',
    async (driver, namespace: string): Promise<string[]> => {
      if (namespace === ADMIN_NAMESPACE) return verifyStorage(driver);
      const scope = await findScope(driver, namespace);
      return scope === null ? [] : driver.sql.snapshot(() => verifyNamespace(scope));
    },
  ),
  /** Compares a few namespaces at a time, as `verify` does. Creates temporary tables. */
  verifyNamespaces: call('writer', verifyNamespaces),
  /** Removes vectors that no passage uses if they are more than a tenth of all, and frees space. Cheap if there is nothing to do. */
  compact: { ...read(undefined, compact), route: 'writer' } as const,
  /**
   * Marks the passages of every record as stale; searches still find them until `replacePassages` replaces them. With
   * `text`, indexes all of them again, however damaged the full-text index is. `vectors` removes these too.
   */
  resetDerived: { ...read(undefined, resetDerived), route: 'writer' } as const,
  /** Whether the full-text index of the namespace differs from its passages. */
  isTextDamaged: call(
    // It creates temporary tables.
    'writer',
    async (driver, namespace: string): Promise<boolean> => {
      const scope = await findScope(driver, namespace);
      return scope !== null && driver.sql.snapshot(() => isTextDamaged(scope));
    },
  ),
  /** Makes again what is missing or damaged below the rows: the indexes of tables. */
  repairIndexes: call('writer', ({ storage }, _namespace: AdminNamespace) => storage.repairIndexes()),
  quota: read(quotaOf(undefined), readQuota),
  admitRequest: call('writer', admitRequest),
  namespaceRows: call('reader', countNamespaceRows),
  /** @throws LociError `not_found` */
  removeNamespace: call('writer', removeNamespace),
  unfinishedRemovals: call('reader', unfinishedRemovals),
  /** @throws LociError `conflict` */
  readmitNamespace: call('writer', readmitNamespace),
  audit: snapshot({ entries: [], chains: [], faults: [] }, readAudit),
  /**
   * Returns who has a lease after the operation; `null` if it is free. While another holder has a lease, it cannot be taken. One that
   * has more than twice the requested time left was taken under another clock and counts as expired.
   */
  lease: call(
    // It is read in read-only stores too.
    (_namespace, operation) => ('at' in operation ? 'reader' : 'writer'),
    lease,
  ),
};

/** Every call takes a namespace first, and nothing in another namespace can change its answer, scores included. */
const CALLS = { records: RECORDS, search: SEARCH, vectors: VECTORS, graph: GRAPH, admin: ADMIN };

/** The name of a call, such as `records.commit`. */
export type CallName = {
  [Role in keyof typeof CALLS]: `${Role}.${keyof (typeof CALLS)[Role] & string}`;
}[keyof typeof CALLS];

type Offered<Calls> = {
  [Name in keyof Calls]: Calls[Name] extends Call<infer Parameters, infer Answer, infer Result>
    ? (...parameters: Parameters) => Promise<unknown extends Result ? Answer : Result>
    : never;
};

/** The calls as a store offers them. */
export interface StoreCalls {
  readonly records: Offered<typeof RECORDS>;
  readonly search: Omit<Offered<typeof SEARCH>, 'readPassages'> & {
    /** Loads passages with the headers of their records, and the neighbours of each within reach, if any is given. */
    readonly passages: (
      namespace: string,
      ids: readonly number[],
      filter: SearchFilter,
      reach?: NeighbourReach,
    ) => Promise<LoadedPassages>;
  };
  readonly vectors: Offered<typeof VECTORS>;
  readonly graph: Offered<typeof GRAPH>;
  readonly admin: Offered<typeof ADMIN>;
}

type AnyCall = Call<unknown[], unknown>;

const BY_NAME: ReadonlyMap<string, AnyCall> = new Map(
  Object.entries(CALLS).flatMap(([role, calls]) =>
    Object.entries(calls).map(([name, each]) => [`${role}.${name}`, each as unknown as AnyCall]),
  ),
);

export function callNamed(name: CallName): AnyCall {
  return BY_NAME.get(name)!;
}

/** Runs a call on a connection of this route. Returns its answer. */
export type RunCall = (name: CallName, route: Route, parameters: readonly unknown[]) => Promise<unknown>;

/** A store whose calls all go through `run`. */
export function createStore(run: RunCall): StoreCalls {
  const store: Record<string, Record<string, (...parameters: unknown[]) => Promise<unknown>>> = {};
  for (const [name, { route, unpack }] of BY_NAME) {
    const [role = '', own = ''] = name.split('.');
    (store[role] ??= {})[own] = async (...parameters) => {
      const chosen = typeof route === 'string' ? route : route(...parameters);
      const answer = await run(name as CallName, chosen, parameters);
      return unpack === undefined ? answer : unpack(answer, String(parameters[0]));
    };
  }
  const { readPassages, ...search } = store['search']!;
  const cache = new PassageCache(readPassages as (...request: unknown[]) => Promise<PackedPassages>);
  store['search'] = { ...search, passages: cache.passages.bind(cache) as (typeof search)[string] };
  return store as unknown as StoreCalls;
}
