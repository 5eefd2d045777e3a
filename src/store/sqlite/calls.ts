import { LociError } from '../../core/errors.ts';
import type { AuditLog } from '../audit.ts';
import type { History } from '../history.ts';
import type { Leases } from '../leases.ts';
import type { Listing } from '../listing.ts';
import type { RecordLifecycle } from '../mortality.ts';
import type { Portability } from '../portability.ts';
import type { SourceStates } from '../source-states.ts';
import type { StartupEntries } from '../startup.ts';
import type { Embeddings } from '../embeddings.ts';
import type { Canonical, PassageScore, SearchFilter, SearchStages, Store, Upkeep } from '../store.ts';
import type { Facets } from '../facets.ts';
import type { Tokens } from '../tokens.ts';
import { assertVectorDimensions } from '../vector-check.ts';
import { auditChain, auditChains, auditEntries, importAudit, verifyAudit } from './audit.ts';
import { CodeCache } from './code-cache.ts';
import type { Database } from './database.ts';
import { facet, writtenWith } from './facets.ts';
import { activateGeneration, addGeneration, generationById, generations } from './generations.ts';
import { history, noteHistory } from './history.ts';
import { dropLease, takeLease } from './leases.ts';
import { countRecords, factCategories, listRecords } from './listing.ts';
import { doneOnce, heldRecords, highestId, idsOf, nextExpiry, oldestDeletion, purge } from './mortality.ts';
import { findNamespace, writtenNamespaces } from './namespaces.ts';
import { neighbours, newest, passagesOf, readPassages } from './passage-reads.ts';
import { heldPage, historyFrom, standIns } from './portability.ts';
import { PostingCache } from './posting-cache.ts';
import { commit, countByKey, records, recordsByKey, sourceEntries } from './records.ts';
import { addHits, changeSourceState, dropSourceState, sourceStates } from './source-states.ts';
import { noteStartupSeen, putStartup, startupEntries, startupSeen } from './startup.ts';
import { searchText } from './text-search.ts';
import { addToken, revokeToken, tokenByHash, tokens } from './tokens.ts';
import { dropDerived, markStale, putPassages, scanRecords, staleRecords, stats, sweep } from './upkeep.ts';
import {
  countPending,
  pendingEmbeddings,
  putVectors,
  scoreVectors,
  searchVectors,
  vectorOf,
} from './vectors.ts';
import { VectorCache } from './vector-cache.ts';
import { verify } from './verify.ts';
import { VocabularyCache } from './vocabulary-cache.ts';
import {
  type AskedPassages,
  NO_PASSAGES,
  packScores,
  type PackedAnswers,
  type PackedPassages,
} from './wire.ts';

type Synchronous<Interface> = {
  [
    Name in keyof Interface as Interface[Name] extends (...args: never[]) => unknown ? Name : never
  ]: Interface[Name] extends (...args: infer Parameters) => Promise<infer Result>
    ? (...args: Parameters) => Result
    : never;
};

/** Every call of the interface, as it runs on a connection; some answers are packed, for the way out of the thread. */
export type StoreCalls = Omit<Synchronous<Store>, 'close' | 'passages' | keyof PackedAnswers> & {
  [Call in keyof PackedAnswers]: (...parameters: Parameters<Store[Call]>) => PackedAnswers[Call];
} & {
  /** For `passages`: what the caller does not hold already. */
  readonly readPassages: (namespace: string, asked: AskedPassages) => PackedPassages;
};
export type StoreCall = keyof StoreCalls;

/** What the calls of reading answer for a namespace that has never been written. */
function within<Result>(
  db: Database,
  namespace: string,
  empty: Result,
  read: (ns: number) => Result,
): Result {
  return db.snapshot(() => {
    const ns = findNamespace(db, namespace);
    return ns === null ? empty : read(ns);
  });
}

export function storeCalls(db: Database): StoreCalls {
  return {
    ...recordCalls(db),
    ...writtenCalls(db),
    ...searchCalls(db),
    ...embeddingCalls(db),
    ...upkeepCalls(db),
    ...tokenCalls(db),
    ...portabilityCalls(db),
  };
}

type Written = Listing<SearchFilter> & RecordLifecycle & AuditLog & StartupEntries & History & Leases;

function writtenCalls(db: Database): Pick<StoreCalls, keyof Written> {
  const read = <Result>(namespace: string, empty: Result, look: (ns: number) => Result): Result =>
    within(db, namespace, empty, look);
  return {
    listRecords: (namespace, filter, page) =>
      read(namespace, [], (ns) => listRecords(db, namespace, ns, filter, page)),
    countRecords: (namespace, filter) => read(namespace, 0, (ns) => countRecords(db, ns, filter)),
    factCategories: (namespace, now, recent) =>
      read(namespace, [], (ns) => factCategories(db, ns, now, recent)),
    heldRecords: (namespace, ids) => read(namespace, [], (ns) => heldRecords(db, namespace, ns, ids)),
    idsOf: (namespace, uuids) => read(namespace, new Map(), (ns) => idsOf(db, ns, uuids)),
    highestId: (namespace) => read(namespace, 0, (ns) => highestId(db, ns)),
    nextExpiry: (namespace) => read(namespace, null, (ns) => nextExpiry(db, ns)),
    oldestDeletion: (namespace) => read(namespace, null, (ns) => oldestDeletion(db, ns)),
    purge: (namespace, request) => {
      const ns = findNamespace(db, namespace);
      return ns === null ? 0 : purge(db, namespace, ns, request);
    },
    doneOnce: (namespace, key, now) => read(namespace, null, (ns) => doneOnce(db, ns, key, now)),
    auditEntries: (namespace, filter, page) =>
      read(namespace, [], (ns) => auditEntries(db, ns, filter, page)),
    auditChain: (namespace, chain, page) => read(namespace, [], (ns) => auditChain(db, ns, chain, page)),
    auditChains: (namespace) => read(namespace, [], (ns) => auditChains(db, ns)),
    importAudit: (namespace, entries) => importAudit(db, namespace, entries),
    verifyAudit: (namespace) => read(namespace, [], (ns) => verifyAudit(db, ns)),
    startupEntries: (namespace) => read(namespace, [], (ns) => startupEntries(db, ns)),
    putStartup: (namespace, entries, audit) => {
      putStartup(db, namespace, entries, audit);
    },
    startupSeen: (namespace, agent, session) =>
      read(namespace, null, (ns) => startupSeen(db, ns, agent, session)),
    noteStartupSeen: (namespace, seen) => {
      noteStartupSeen(db, namespace, seen);
    },
    noteHistory: (rows, keep) => {
      noteHistory(db, rows, keep);
    },
    history: (namespace, category, now, page) =>
      read(namespace, [], (ns) => history(db, ns, category, now, page)),
    takeLease: (request) => takeLease(db, request),
    dropLease: (name, holder) => {
      dropLease(db, name, holder);
    },
  };
}

function portabilityCalls(db: Database): Pick<StoreCalls, keyof Portability> {
  return {
    heldPage: (namespace, now, page) =>
      within(db, namespace, [], (ns) => heldPage(db, namespace, ns, now, page)),
    standIns: (namespace, records) =>
      within(
        db,
        namespace,
        records.map(() => ({ same: null, inPlace: null })),
        (ns) => standIns(db, ns, records),
      ),
    historyFrom: (namespace, category, now, page) =>
      within(db, namespace, [], (ns) => historyFrom(db, ns, category, now, page)),
  };
}

function recordCalls(db: Database): Pick<StoreCalls, keyof Canonical> {
  return {
    commit: (namespace, batch) => commit(db, namespace, batch),
    records: (namespace, ids, now) => within(db, namespace, [], (ns) => records(db, namespace, ns, ids, now)),
    recordsByKey: (namespace, key, now) =>
      within(db, namespace, [], (ns) => recordsByKey(db, namespace, ns, key, now)),
    countByKey: (namespace, keys, now) =>
      within(
        db,
        namespace,
        keys.map(() => 0),
        (ns) => countByKey(db, ns, keys, now),
      ),
    sourceEntries: (namespace, source, page) =>
      within(db, namespace, [], (ns) => sourceEntries(db, ns, source, page)),
    namespaces: () => writtenNamespaces(db),
    ...sourceStateCalls(db),
  };
}

function sourceStateCalls(db: Database): Pick<StoreCalls, keyof SourceStates> {
  return {
    sourceStates: (namespace) => within(db, namespace, new Map(), (ns) => sourceStates(db, ns)),
    changeSourceState: (namespace, source, change, fence) => {
      changeSourceState(db, namespace, source, change, fence);
    },
    dropSourceState: (namespace, source) => {
      const ns = findNamespace(db, namespace);
      if (ns !== null) dropSourceState(db, ns, source);
    },
    addHits: (namespace, hits, at) => {
      const ns = findNamespace(db, namespace);
      if (ns !== null) addHits(db, ns, hits, at);
    },
  };
}

function searchCalls(
  db: Database,
): Pick<StoreCalls, Exclude<keyof SearchStages, 'passages'> | 'readPassages' | keyof Facets<unknown>> {
  const codes = new CodeCache(db);
  const vectors = new VectorCache(db);
  const postings = new PostingCache(db);
  const vocabularies = new VocabularyCache(db);
  return {
    lookUpTerms: (namespace, words) =>
      within(
        db,
        namespace,
        words.map((word) => ({ word, passages: 0, near: [] })),
        (ns) => vocabularies.lookUp(ns, words),
      ),
    searchText: (namespace, query, filter, limit) =>
      packScores(within(db, namespace, [], (ns) => searchText(db, postings, ns, query, filter, limit))),
    searchVectors: (namespace, generation, vector, filter, limit) => {
      assertVectorDimensions(generationById(db, generation), vector);
      const search = (ns: number): PassageScore[] =>
        searchVectors(db, { codes, vectors }, ns, generation, vector, filter, limit);
      return packScores(within(db, namespace, [], search));
    },
    scoreVectors: (namespace, generation, vector, ids) => {
      assertVectorDimensions(generationById(db, generation), vector);
      const score = (ns: number): PassageScore[] => scoreVectors(db, vectors, ns, generation, vector, ids);
      return packScores(within(db, namespace, [], score));
    },
    vectorOf: (namespace, generation, passage) => {
      generationById(db, generation);
      return within(db, namespace, null, (ns) => vectorOf(db, ns, generation, passage));
    },
    newest: (namespace, filter, limit) =>
      packScores(within(db, namespace, [], (ns) => newest(db, ns, filter, limit))),
    neighbours: (namespace, ids, reach) => within(db, namespace, [], (ns) => neighbours(db, ns, ids, reach)),
    readPassages: (namespace, asked) =>
      within(db, namespace, NO_PASSAGES, (ns) => readPassages(db, ns, asked)),
    writtenWith: (namespace, contentHash, now) =>
      within(db, namespace, [], (ns) => writtenWith(db, ns, contentHash, now)),
    facet: (namespace, field, filter) => within(db, namespace, [], (ns) => facet(db, ns, field, filter)),
  };
}

function embeddingCalls(db: Database): Pick<StoreCalls, keyof Embeddings> {
  return {
    generations: () => generations(db),
    addGeneration: (spec) => addGeneration(db, spec),
    activateGeneration: (id) => {
      activateGeneration(db, id);
    },
    pendingEmbeddings: (generation, page) => pendingEmbeddings(db, generation, page),
    countPending: (generation, namespace) => countPending(db, generation, namespace),
    putVectors: (generation, vectors) => {
      putVectors(db, generationById(db, generation), vectors);
    },
  };
}

function upkeepCalls(db: Database): Pick<StoreCalls, keyof Upkeep> {
  return {
    stats: () => stats(db),
    staleRecords: (namespace, chunking, page) =>
      within(db, namespace, [], (ns) => staleRecords(db, namespace, ns, chunking, page)),
    scanRecords: (namespace, page) => within(db, namespace, [], (ns) => scanRecords(db, namespace, ns, page)),
    passagesOf: (namespace, ids) =>
      within(db, namespace, new Map(ids.map((id) => [id, []])), (ns) => passagesOf(db, ns, ids)),
    putPassages: (namespace, chunking, replacement) => {
      putPassages(db, namespace, written(db, namespace), chunking, replacement);
    },
    markStale: (namespace, options) => {
      const ns = findNamespace(db, namespace);
      if (ns !== null) markStale(db, ns, options);
    },
    dropDerived: (namespace, options) => {
      const ns = findNamespace(db, namespace);
      if (ns !== null) dropDerived(db, ns, options);
    },
    sweep: () => {
      sweep(db);
    },
    verify: () => verify(db),
  };
}

function tokenCalls(db: Database): Pick<StoreCalls, keyof Tokens> {
  return {
    addToken: (token, audit) => {
      addToken(db, token, audit);
    },
    tokens: () => tokens(db),
    tokenByHash: (hash) => tokenByHash(db, hash),
    revokeToken: (id, at, audit) => revokeToken(db, id, at, audit),
  };
}

function written(db: Database, namespace: string): number {
  const ns = findNamespace(db, namespace);
  if (ns === null) throw new LociError('not_found', `no namespace ${namespace}`);
  return ns;
}
