import { LociError } from '../../core/errors.ts';
import type { AsyncSlices } from '../../core/threads/slices.ts';
import type { StoreConcepts } from '../concept-model.ts';
import type { GraphState, RecordGraph } from '../graph-model.ts';
import { ADMIN_NAMESPACE } from '../rules/admin-namespace.ts';
import { assertVectorDimensions } from '../rules/validation.ts';
import type { RetrievalRequest, TermInfo } from '../search-model.ts';
import type { StoreAdmin, StoreGraph, StoreRecords, StoreSearch, StoreVectors } from '../store.ts';
import {
  changedNames,
  conceptKeys,
  conceptNames,
  conceptState,
  linePlaces,
  nameFrequencies,
  namings,
  recordConcepts,
  recordsNaming,
} from './graph/read-concepts.ts';
import {
  contributions,
  counts,
  degrees,
  graphState,
  neighbours,
  nodes,
  pageEdges,
  pageNodes,
} from './graph/read.ts';
import { sharingIdentity, staleRecords } from './graph/stale.ts';
import { changes } from './records/changes.ts';
import { CodeCache } from './vectors/code-cache.ts';
import type { Database } from './database/database.ts';
import { SqliteSql } from './database/sqlite-sql.ts';
import { NO_AUDIT, readAudit } from '../sql/admin/audit.ts';
import { lease } from '../sql/admin/leases.ts';
import { readItems } from '../sql/item.ts';
import { findNamespace as findSqlNamespace, type Sql } from '../sql/sql.ts';
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
import { bounds, findIdempotentResult, purge, recordsInState } from './records/lifecycle.ts';
import { countRecords, facet, factCategories, findExisting, listRecords } from './records/listing.ts';
import { findNamespace, writtenNamespaces } from './database/namespaces.ts';
import { passagesOf, readPassages } from './search/passage-reads.ts';
import { assertQueryVectors, retrieve } from './search/retrieve.ts';
import { PostingCache } from './search/posting-cache.ts';
import { commit, sourceEntries } from './records/commit.ts';
import { timeline } from './records/timeline.ts';
import { replacePassages, resetDerived, stats, compact } from './admin/maintenance.ts';
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
  return {
    records: recordCalls(db, sql),
    search: searchCalls(db),
    vectors: vectorCalls(db),
    graph: graphCalls(db, sql),
    admin: adminCalls(db, sql),
  };
}

/** Reads a snapshot of a namespace. Returns `empty` if the namespace does not exist. */
function read<Result>(db: Database, namespace: string, empty: Result, work: (ns: number) => Result): Result {
  return db.snapshot(() => {
    const ns = findNamespace(db, namespace);
    return ns === null ? empty : work(ns);
  });
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

function recordCalls(db: Database, sql: Sql): StoreCalls['records'] {
  return {
    commit: (namespace, batch) => commit(db, sql, namespace, batch),
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
      read(db, namespace, { changes: [], mustRestart: page.after !== null && page.after > 0 }, (ns) =>
        changes(db, ns, page),
      ),
    passagesOf: (namespace, ids) =>
      read(db, namespace, new Map(ids.map((id) => [id, []])), (ns) => passagesOf(db, ns, ids)),
    replacePassages: (namespace, chunking, passages) => {
      replacePassages(db, namespace, requireNamespace(db, namespace), chunking, passages);
    },
    purge: (namespace, request) => {
      const ns = findNamespace(db, namespace);
      return ns === null ? 0 : purge(db, sql, namespace, ns, request);
    },
    timeline: (namespace, request) =>
      readSlices(sql, namespace, { anchor: null, before: [], after: [] }, (ns) =>
        timeline(db, namespace, ns, request),
      ),
    items: (namespace, selector, page) => readItems(sql, namespace, selector, page),
  };
}

function requireNamespace(db: Database, namespace: string): number {
  const ns = findNamespace(db, namespace);
  if (ns === null) throw new LociError('not_found', `no namespace ${namespace}`);
  return ns;
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
  upTo: 0,
  similarUpTo: 0,
  conceptsUpTo: 0,
  rules: '',
  lastChange: 0,
  stale: 0,
};

function graphCalls(db: Database, sql: Sql): StoreCalls['graph'] {
  return {
    ...conceptCalls(db, sql),
    nodes: (namespace, selector, filter = {}) =>
      read(db, namespace, [], (ns) => nodes(db, ns, selector, filter)),
    neighbours: (namespace, request) =>
      read(db, namespace, { edges: [], nodes: [] }, (ns) => neighbours(db, ns, request)),
    degrees: (namespace, ids, types, excludedSources = []) =>
      read(db, namespace, [], (ns) => degrees(db, ns, ids, types ?? null, excludedSources)),
    pageNodes: (namespace, filter, page) => read(db, namespace, [], (ns) => pageNodes(db, ns, filter, page)),
    pageEdges: (namespace, filter, page) => read(db, namespace, [], (ns) => pageEdges(db, ns, filter, page)),
    counts: (namespace, filter) =>
      read(db, namespace, { nodes: [], edges: [], tags: [] }, (ns) => counts(db, ns, filter)),
    state: (namespace) => read(db, namespace, NO_GRAPH, (ns) => graphState(db, ns)),
    stale: (namespace, limit) => read(db, namespace, [], (ns) => staleRecords(db, ns, limit)),
    sharingIdentity: (namespace, records) =>
      read(db, namespace, [], (ns) => sharingIdentity(db, ns, records)),
    contributions: (namespace, lane, records) => {
      const none = new Map(records.map((record) => [record, { nodes: [], edges: [] }]));
      return read<Map<number, RecordGraph>>(db, namespace, none, (ns) =>
        contributions(db, ns, lane, records),
      );
    },
  };
}

function conceptCalls(db: Database, sql: Sql): Pausing<StoreConcepts> {
  return {
    conceptNames: (namespace, selector) =>
      readSlices(sql, namespace, [], (ns) => conceptNames(db, ns, selector)),
    conceptKeys: (namespace, project, firstWords) =>
      read(db, namespace, [], (ns) => conceptKeys(db, ns, project, firstWords)),
    recordConcepts: (namespace, records) =>
      read(db, namespace, new Map(), (ns) => recordConcepts(db, ns, records)),
    nameFrequencies: (namespace, project, keys, excludedSources = [], max) =>
      readSlices(sql, namespace, new Map(keys.map((key) => [key, 0])), (ns) =>
        nameFrequencies(db, ns, project, keys, excludedSources, max ?? null),
      ),
    recordsNaming: (namespace, project, keys, page, excludedSources = []) =>
      read(db, namespace, [], (ns) => recordsNaming(db, ns, project, keys, page, excludedSources)),
    conceptState: (namespace) =>
      read(db, namespace, { upTo: 0, rules: '', changed: 0 }, (ns) => conceptState(db, ns)),
    namings: (namespace, project, keys, limit, excludedSources = []) =>
      read(db, namespace, [], (ns) => namings(db, ns, project, keys, limit, excludedSources)),
    linePlaces: (namespace, lines) => read(db, namespace, [], (ns) => linePlaces(db, ns, lines)),
    changedNames: (namespace, limit) => read(db, namespace, [], (ns) => changedNames(db, ns, limit)),
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

function adminCalls(db: Database, sql: Sql): StoreCalls['admin'] {
  return {
    namespaces: () => writtenNamespaces(db),
    stats: () => stats(db),
    verify: (namespace) =>
      namespace === ADMIN_NAMESPACE
        ? verifyFile(db)
        : read(db, namespace, [], (ns) => verifyNamespace(db, ns, namespace)),
    compact: (namespace) => {
      const ns = findNamespace(db, namespace);
      if (ns !== null) compact(db, ns);
    },
    resetDerived: async (namespace, options) => {
      const ns = findNamespace(db, namespace);
      if (ns !== null) await resetDerived(db, sql, ns, options);
    },
    audit: (namespace, request) => readSql(sql, namespace, NO_AUDIT, (ns) => readAudit(sql, ns, request)),
    lease: (namespace, operation) => lease(sql, namespace, operation),
  };
}
