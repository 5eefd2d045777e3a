import type { AsyncSlices } from '../../core/threads/slices.ts';
import type { NamingsOfKey } from '../concept-model.ts';
import type { Contribution, GraphState } from '../graph-model.ts';
import { ADMIN_NAMESPACE } from '../rules/admin-namespace.ts';
import { assertVectorDimensions } from '../rules/validation.ts';
import type { RetrievalRequest, TermInfo } from '../search-model.ts';
import type { StoreAdmin, StoreGraph, StoreRecords, StoreSearch, StoreVectors } from '../store.ts';
import { allNames, linePlaces, namings, recordConcepts, someNames } from '../sql/graph/concepts.ts';
import { neighbours } from '../sql/graph/neighbours.ts';
import { contributions, counts, edges, graphState, nodes, waiting } from '../sql/graph/read.ts';
import { changes } from '../sql/changes.ts';
import { CodeCache } from './vectors/code-cache.ts';
import type { Database } from './database/database.ts';
import { changeText } from './records/passages.ts';
import { SqliteSql } from './database/sqlite-sql.ts';
import { NO_AUDIT, readAudit } from '../sql/admin/audit.ts';
import { lease } from '../sql/admin/leases.ts';
import { readItems } from '../sql/item.ts';
import { findNamespace as findSqlNamespace, type Sql } from '../sql/sql.ts';
import type { TextIndex } from '../sql/text-index.ts';
import {
  activateGeneration,
  addGeneration,
  generationById,
  generations,
  removeGeneration,
} from './vectors/generations.ts';
import { belongsTo } from './records/belongs-to.ts';
import { links } from './records/links.ts';
import { namedRecordsOf } from './records/mention-names.ts';
import { bounds, findIdempotentResult, recordsInState } from './records/lifecycle.ts';
import { countRecords, facet, factCategories, findExisting, listRecords } from './records/listing.ts';
import { createTextTable, findNamespace, writtenNamespaces } from './database/namespaces.ts';
import { passagesOf, readPassages } from './search/passage-reads.ts';
import { assertQueryVectors, retrieve } from './search/retrieve.ts';
import { PostingCache } from './search/posting-cache.ts';
import { commit, purge } from '../sql/commit.ts';
import type { Driver } from '../sql/driver.ts';
import { sourceEntries } from './records/source-entries.ts';
import { timeline } from './records/timeline.ts';
import { resetDerived, stats, compact } from './admin/maintenance.ts';
import { similarRecords } from './vectors/similar.ts';
import { putSentenceVectors, sentenceVectors } from './vectors/sentence-vectors.ts';
import {
  compareRecords,
  countPending,
  pendingBytes,
  pendingEmbeddings,
  putVectors,
} from './vectors/vectors.ts';
import { VectorCache } from './vectors/vector-cache.ts';
import { verifyFile, verifyNamespace } from './admin/verify.ts';
import { VocabularyCache } from './search/vocabulary-cache.ts';
import {
  NO_PASSAGES,
  packRetrieval,
  type PackedPassages,
  type PackedRetrieval,
  type PassageRequest,
} from './search/wire.ts';

type Pausing<Role> = {
  [Name in keyof Role]: Role[Name] extends (...parameters: infer Parameters) => Promise<infer Result>
    ? (...parameters: Parameters) => Result | Promise<Result> | AsyncSlices<Result>
    : never;
};

/** The calls of the store interface on a connection. Those that may read much pause after each part. */
export interface StoreCalls {
  readonly records: Pausing<StoreRecords>;
  readonly search: Pausing<
    Pick<StoreSearch, 'terms' | 'languages' | 'compareRecords' | 'similar' | 'named'>
  > & {
    readonly retrieve: (namespace: string, request: RetrievalRequest) => PackedRetrieval;
    /** Reads the passages that the caller's cache does not have. `PassageCache` implements `passages` with it. */
    readonly readPassages: (namespace: string, request: PassageRequest) => PackedPassages;
  };
  readonly vectors: Pausing<StoreVectors>;
  readonly graph: Pausing<StoreGraph>;
  readonly admin: Pausing<StoreAdmin>;
}

export type StoreRole = keyof StoreCalls;
/** The name of a call, such as `records.commit`. */
export type StoreCall = { [Role in StoreRole]: `${Role}.${keyof StoreCalls[Role] & string}` }[StoreRole];

export function storeCalls(db: Database): StoreCalls {
  const sql = new SqliteSql(db);
  const text: TextIndex = {
    create: async (ns) => {
      createTextTable(db, ns);
    },
    change: (ns, change) => changeText(db, ns, change),
  };
  const driver: Driver = { sql, text, db };
  return {
    records: recordCalls(driver),
    search: searchCalls(db),
    vectors: vectorCalls(db),
    graph: graphCalls(db, sql),
    admin: adminCalls(driver),
  };
}

/** Reads a snapshot of a namespace. Returns `empty` if the namespace does not exist. */
function read<Result>(db: Database, namespace: string, empty: Result, work: (ns: number) => Result): Result {
  return db.snapshot(() => {
    const ns = findNamespace(db, namespace);
    return ns === null ? empty : work(ns);
  });
}

/** The same with one statement, which needs no transaction. */
async function readOnce<Result>(
  sql: Sql,
  namespace: string,
  empty: Result,
  work: (ns: number) => Promise<Result>,
): Promise<Result> {
  const ns = await findSqlNamespace(sql, namespace);
  return ns === null ? empty : work(ns);
}

/** The same for statements of both databases. */
async function readSql<Result>(
  sql: Sql,
  namespace: string,
  empty: Result,
  work: (ns: number) => Promise<Result>,
): Promise<Result> {
  return sql.snapshot(async () => {
    const ns = await findSqlNamespace(sql, namespace);
    return ns === null ? empty : work(ns);
  });
}

/** The same in slices, each of which reads a snapshot of its own. */
async function* readSlices<Result>(
  sql: Sql,
  namespace: string,
  empty: Result,
  work: (ns: number) => AsyncSlices<Result>,
): AsyncSlices<Result> {
  const ns = await findSqlNamespace(sql, namespace);
  if (ns === null) return empty;
  const slices = work(ns);
  for (;;) {
    const { done, value } = await sql.snapshot(() => slices.next());
    if (done === true) return value;
    yield;
  }
}

/** In slices of one statement each. */
async function* readEachOnce<Result>(
  sql: Sql,
  namespace: string,
  empty: Result,
  work: (ns: number) => AsyncSlices<Result>,
): AsyncSlices<Result> {
  const ns = await findSqlNamespace(sql, namespace);
  return ns === null ? empty : yield* work(ns);
}

function recordCalls(driver: Driver): StoreCalls['records'] {
  const { sql, db } = driver;
  return {
    commit: (namespace, batch) => commit(driver, namespace, batch),
    get: (namespace, ids, state) =>
      read(db, namespace, [], (ns) => recordsInState(db, namespace, ns, ids, state)),
    list: (namespace, selector, page) =>
      read(db, namespace, [], (ns) => listRecords(db, namespace, ns, selector, page)),
    count: (namespace, filters) => {
      const none = filters.map(() => 0);
      return read(db, namespace, none, (ns) => filters.map((filter) => countRecords(db, ns, filter)));
    },
    sourceEntries: (namespace, source, page) =>
      read(db, namespace, [], (ns) => sourceEntries(db, ns, source, page)),
    findExisting: (namespace, identities) => {
      const none = identities.map(() => ({ sameUuid: null, sameKey: null }));
      return read(db, namespace, none, (ns) => findExisting(db, ns, identities));
    },
    findIdempotentResult: (namespace, key, now) =>
      read(db, namespace, null, (ns) => findIdempotentResult(db, ns, key, now)),
    bounds: (namespace) => {
      return read(db, namespace, NO_BOUNDS, (ns) => bounds(db, ns));
    },
    facet: (namespace, field, filter) => read(db, namespace, [], (ns) => facet(db, ns, field, filter)),
    factCategories: (namespace, now, recent) =>
      read(db, namespace, [], (ns) => factCategories(db, ns, now, recent)),
    links: (namespace, selector, page) => read(db, namespace, [], (ns) => links(db, ns, selector, page)),
    belongsTo: (namespace, selector) => read(db, namespace, [], (ns) => belongsTo(db, ns, selector)),
    changes: (namespace, page) =>
      readSql(sql, namespace, { changes: [], mustRestart: page.after !== null && page.after > 0 }, (ns) =>
        changes(sql, ns, page),
      ),
    passagesOf: (namespace, ids) =>
      read(db, namespace, new Map(ids.map((id) => [id, []])), (ns) => passagesOf(db, ns, ids)),
    purge: async (namespace, request) => {
      if ((await findSqlNamespace(sql, namespace)) === null) return 0;
      const purged = await purge(driver, namespace, request);
      if (purged > 0) db.truncateWal();
      return purged;
    },
    timeline: (namespace, request) =>
      readSlices(sql, namespace, { anchor: null, before: [], after: [] }, (ns) =>
        timeline(db, namespace, ns, request),
      ),
    items: (namespace, selector, page) => readItems(sql, namespace, selector, page),
  };
}

function searchCalls(db: Database): StoreCalls['search'] {
  const vocabularies = new VocabularyCache(db);
  const caches = { postings: new PostingCache(db), codes: new CodeCache(db), vectors: new VectorCache(db) };
  return {
    languages: (namespace) => read(db, namespace, [], (ns) => vocabularies.languages(ns)),
    terms: (namespace, words, budgetMs, languages = []) => {
      const unknown = words.map((word): TermInfo => ({ word, passages: 0, near: [] }));
      return read(db, namespace, unknown, (ns) =>
        db.withDeadline(budgetMs, () => vocabularies.lookUp(ns, words, languages)),
      );
    },
    retrieve: (namespace, request) => {
      assertQueryVectors(db, request);
      const none = request.queries.map(() => ({
        scores: [],
        overQuota: [],
        milliseconds: 0,
        isPartial: false,
      }));
      return read(db, namespace, packRetrieval({ lists: none, cosines: [] }, NO_PASSAGES), (ns) =>
        db.withDeadline(request.budgetMs, () => retrieve(db, caches, ns, request)),
      );
    },
    compareRecords: (namespace, query, records, limit) => {
      assertVectorDimensions(generationById(db, query.generation), query.vector);
      return read(db, namespace, new Map(), (ns) =>
        compareRecords(db, caches.vectors, ns, query, records, limit),
      );
    },
    similar: (namespace, generation, records, options) => {
      const { id } = generationById(db, generation);
      return read(db, namespace, new Map(), (ns) => similarRecords(db, caches, ns, id, records, options));
    },
    named: (namespace, names) => read(db, namespace, [], (ns) => namedRecordsOf(db, ns, names)),
    readPassages: (namespace, request) =>
      read(db, namespace, NO_PASSAGES, (ns) => readPassages(db, ns, request)),
  };
}

function vectorCalls(db: Database): StoreCalls['vectors'] {
  return {
    generations: () => generations(db),
    addGeneration: (_namespace, spec) => addGeneration(db, spec),
    activateGeneration: (_namespace, id) => {
      activateGeneration(db, id);
    },
    removeGeneration: (_namespace, id) => removeGeneration(db, id),
    pending: (namespace, generation, limit) =>
      read(db, namespace, [], (ns) => pendingEmbeddings(db, ns, generation, limit)),
    countPending: (namespace, generation) => read(db, namespace, 0, (ns) => countPending(db, ns, generation)),
    pendingBytes: (namespace, generation) => read(db, namespace, 0, (ns) => pendingBytes(db, ns, generation)),
    put: (namespace, generation, writes) => {
      putVectors(db, namespace, generation, writes);
    },
    sentences: (namespace, generation, hashes) =>
      db.snapshot(() => sentenceVectors(db, namespace, generation, hashes)),
    putSentences: (namespace, generation, sentences) => {
      putSentenceVectors(db, namespace, generation, sentences);
    },
  };
}

const NO_GRAPH: GraphState = {
  ...{ upTo: 0, similarUpTo: 0, rules: '', conceptsUpTo: 0, conceptRules: '' },
  ...{ lastChange: 0, stale: 0, changedNames: 0, conceptChanges: 0 },
};

function graphCalls(db: Database, sql: Sql): StoreCalls['graph'] {
  return {
    state: (namespace) => readOnce(sql, namespace, NO_GRAPH, (ns) => graphState(sql, ns)),
    waiting: (namespace, limit) =>
      readOnce(sql, namespace, { records: [], names: [] }, (ns) => waiting(sql, ns, limit)),
    nodes: (namespace, selector, filter = {}) =>
      readOnce(sql, namespace, [], (ns) => nodes(sql, ns, selector, filter)),
    edges: (namespace, filter, page) => readOnce(sql, namespace, [], (ns) => edges(sql, ns, filter, page)),
    neighbours: (namespace, request) => {
      const none = { out: [], in: [], nodes: [], degrees: [], tags: [] };
      return readOnce(sql, namespace, none, (ns) => neighbours(sql, ns, request));
    },
    counts: (namespace, filter) =>
      readSql(sql, namespace, { nodes: [], edges: [], tags: [] }, (ns) => counts(sql, ns, filter)),
    contributions: (namespace, lane, records) => {
      const none = new Map<number, Contribution>(
        records.map((record) => [record, { nodes: [], edges: [], isSharing: false }]),
      );
      return readSql(sql, namespace, none, (ns) => contributions(sql, ns, lane, records));
    },
    conceptNames: (namespace, selector) =>
      selector.only === undefined
        ? readSlices(sql, namespace, [], (ns) => allNames(sql, ns, selector))
        : readOnce(sql, namespace, [], (ns) => someNames(sql, ns, selector)),
    recordConcepts: (namespace, records) =>
      readOnce(sql, namespace, new Map(), (ns) => recordConcepts(sql, ns, records)),
    namings: (namespace, request) => {
      const none = new Map<string, NamingsOfKey>(
        request.keys.map((key) => [key, { records: 0, places: [] }]),
      );
      return readEachOnce(sql, namespace, none, (ns) => namings(sql, ns, request));
    },
    linePlaces: (namespace, lines) => readOnce(sql, namespace, [], (ns) => linePlaces(sql, ns, lines)),
  };
}

/** The bounds of a namespace without records. */
const NO_BOUNDS = {
  highestId: 0,
  nextExpiry: null,
  oldestDeletion: null,
  nextHistoryExpiry: null,
  lastChange: 0,
  belongsTo: { upTo: 0, excludedSources: [], pass: null },
};

function adminCalls(driver: Driver): StoreCalls['admin'] {
  const { sql, db } = driver;
  return {
    namespaces: () => writtenNamespaces(db),
    stats: () => stats(db),
    verify: (namespace) =>
      namespace === ADMIN_NAMESPACE
        ? verifyFile(db)
        : readSql(sql, namespace, [], (ns) => verifyNamespace(driver, ns, namespace)),
    compact: (namespace) => {
      const ns = findNamespace(db, namespace);
      if (ns !== null) compact(db, ns);
    },
    resetDerived: async (namespace, options) => {
      const ns = findNamespace(db, namespace);
      if (ns !== null) await resetDerived(driver, ns, options);
    },
    audit: (namespace, request) => readSql(sql, namespace, NO_AUDIT, (ns) => readAudit(sql, ns, request)),
    lease: (namespace, operation) => lease(sql, namespace, operation),
  };
}
