import { LociError } from '../../core/errors.ts';
import { ADMIN_NAMESPACE } from '../rules/admin-namespace.ts';
import type { RetrievalRequest, TermInfo } from '../search-model.ts';
import type { StoreAdmin, StoreRecords, StoreSearch, StoreVectors } from '../store.ts';
import { auditChain, auditChains, auditEntries, attachAudit, verifyAudit } from './admin/audit.ts';
import { changes } from './records/changes.ts';
import { CodeCache } from './vectors/code-cache.ts';
import type { Database } from './database/database.ts';
import {
  activateGeneration,
  addGeneration,
  generationById,
  generations,
  removeGeneration,
} from './vectors/generations.ts';
import { history } from './admin/history.ts';
import { dropLease, leaseHolder, takeLease } from './admin/leases.ts';
import { belongsTo } from './records/belongs-to.ts';
import { links } from './records/links.ts';
import { bounds, findIdempotentResult, purge, recordsInState } from './records/lifecycle.ts';
import { countRecords, facet, factCategories, findExisting, listRecords } from './records/listing.ts';
import { findNamespace, writtenNamespaces } from './database/namespaces.ts';
import { passagesOf, readPassages } from './search/passage-reads.ts';
import { assertQueryVectors, retrieve } from './search/retrieve.ts';
import { PostingCache } from './search/posting-cache.ts';
import { commit, sourceEntries } from './records/commit.ts';
import { sourceStates } from './records/source-states.ts';
import { startupState } from './records/startup.ts';
import { addToken, revokeToken, tokens } from './admin/tokens.ts';
import { replacePassages, resetDerived, stats, compact } from './admin/maintenance.ts';
import { countPending, pendingBytes, pendingEmbeddings, putVectors } from './vectors/vectors.ts';
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

type Synchronous<Role> = {
  [Name in keyof Role]: Role[Name] extends (...parameters: infer Parameters) => Promise<infer Result>
    ? (...parameters: Parameters) => Result
    : never;
};

/** The calls of the store interface, which run synchronously on a connection. */
export interface StoreCalls {
  readonly records: Synchronous<StoreRecords>;
  readonly search: Synchronous<Pick<StoreSearch, 'terms'>> & {
    readonly retrieve: (namespace: string, request: RetrievalRequest) => PackedRetrieval;
    /** Reads the passages that the caller's cache does not have. `PassageCache` implements `passages` with it. */
    readonly readPassages: (namespace: string, request: PassageRequest) => PackedPassages;
  };
  readonly vectors: Synchronous<StoreVectors>;
  readonly admin: Synchronous<StoreAdmin>;
}

export type StoreRole = keyof StoreCalls;
/** The name of a call, such as `records.commit`. */
export type StoreCall = { [Role in StoreRole]: `${Role}.${keyof StoreCalls[Role] & string}` }[StoreRole];

export function storeCalls(db: Database): StoreCalls {
  return {
    records: recordCalls(db),
    search: searchCalls(db),
    vectors: vectorCalls(db),
    admin: adminCalls(db),
  };
}

/** Reads a snapshot of a namespace. Returns `empty` if the namespace does not exist. */
function read<Result>(db: Database, namespace: string, empty: Result, work: (ns: number) => Result): Result {
  return db.snapshot(() => {
    const ns = findNamespace(db, namespace);
    return ns === null ? empty : work(ns);
  });
}

function recordCalls(db: Database): StoreCalls['records'] {
  return {
    commit: (namespace, batch) => commit(db, namespace, batch),
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
      return ns === null ? 0 : purge(db, namespace, ns, request);
    },
    sourceStates: (namespace) => read(db, namespace, new Map(), (ns) => sourceStates(db, ns)),
    startup: (namespace, session) =>
      read(db, namespace, { entries: [], digest: null }, (ns) => startupState(db, ns, session)),
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
    terms: (namespace, words, budgetMs) => {
      const unknown = words.map((word): TermInfo => ({ word, passages: 0, near: [] }));
      return read(db, namespace, unknown, (ns) =>
        db.withDeadline(budgetMs, () => vocabularies.lookUp(ns, words)),
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
      putVectors(db, namespace, generationById(db, generation), writes);
    },
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

function adminCalls(db: Database): StoreCalls['admin'] {
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
    resetDerived: (namespace, options) => {
      const ns = findNamespace(db, namespace);
      if (ns !== null) resetDerived(db, ns, options);
    },
    auditEntries: (namespace, filter, page) =>
      read(db, namespace, [], (ns) => auditEntries(db, ns, filter, page)),
    auditChain: (namespace, chain, page) => read(db, namespace, [], (ns) => auditChain(db, ns, chain, page)),
    auditChains: (namespace) => read(db, namespace, [], (ns) => auditChains(db, ns)),
    attachAudit: (namespace, entries) => attachAudit(db, namespace, entries),
    verifyAudit: (namespace) => read(db, namespace, [], (ns) => verifyAudit(db, ns)),
    history: (namespace, selector, page) => read(db, namespace, [], (ns) => history(db, ns, selector, page)),
    takeLease: (namespace, request) => takeLease(db, namespace, request),
    dropLease: (namespace, name, holder) => {
      dropLease(db, namespace, name, holder);
    },
    leaseHolder: (namespace, name, now) => leaseHolder(db, namespace, name, now),
    addToken: (_namespace, token, audit) => {
      addToken(db, token, audit);
    },
    tokens: (_namespace, hash) => tokens(db, hash),
    revokeToken: (_namespace, id, at, audit) => revokeToken(db, id, at, audit),
  };
}
