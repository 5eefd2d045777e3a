import { LociError } from '../../core/errors.ts';
import type { Embeddings } from '../embeddings.ts';
import type { Canonical, SearchFilter, SearchStages, Store, Upkeep } from '../store.ts';
import type { Facets } from '../facets.ts';
import type { SourceStates } from '../source-states.ts';
import type { Tokens } from '../tokens.ts';
import { wellFormed } from '../well-formed.ts';
import type { Portability } from '../portability.ts';
import { assertVectorDimensions } from '../vector-check.ts';
import { appendAudit } from './audit.ts';
import { holdFence } from './leases.ts';
import { facet, writtenWith } from './facets.ts';
import { neighbours, newest, passages, passagesOf } from './passage-reads.ts';
import { commit, countByKey, records, recordsByKey, sourceEntries } from './records.ts';
import { byCodePoint, change, emptyNamespace, emptyState, type Namespace, type State } from './state.ts';
import { addHits, sourceStates, writeSourceState } from './source-states.ts';
import { searchText } from './text-search.ts';
import { addToken, revokeToken, tokenByHash, tokens } from './tokens.ts';
import { dropDerived, markStale, putPassages, scanRecords, staleRecords, stats, sweep } from './upkeep.ts';
import {
  activateGeneration,
  addGeneration,
  countPending,
  generationById,
  pendingEmbeddings,
  putVectors,
  scoreVectors,
  vectorOf,
  searchVectors,
} from './vectors.ts';
import { heldPage, historyFrom, standIns } from './portability.ts';
import { lookUpTerms } from './vocabulary.ts';
import { besideCalls, writtenCalls } from './written.ts';

/**
 * A store that ends with the process: every answer is found by looking at everything. For tests, as the store that
 * the others are compared with, and for a few thousand records.
 */
export function openMemoryStore(): Store {
  const state = emptyState();
  let closed = false;
  const open = (): State => {
    if (closed) throw new LociError('store_failed', 'the store in memory is closed');
    return state;
  };
  return {
    capabilities: { name: 'memory', durable: false, shared: false },
    ...recordCalls(open),
    ...writtenCalls(open),
    ...besideCalls(open),
    ...searchCalls(open),
    ...embeddingCalls(open),
    ...upkeepCalls(open),
    ...tokenCalls(open),
    ...portabilityCalls(open),
    close: async () => {
      closed = true;
    },
  };
}

function within(state: State, name: string): Namespace {
  return state.namespaces.get(name) ?? emptyNamespace(name);
}

function portabilityCalls(open: () => State): Portability {
  return {
    heldPage: async (namespace, now, page) => heldPage(within(open(), namespace), now, page),
    standIns: async (namespace, records) => standIns(within(open(), namespace), records),
    historyFrom: async (namespace, category, now, page) =>
      historyFrom(within(open(), namespace), category, now, page),
  };
}

function recordCalls(open: () => State): Canonical {
  return {
    commit: async (namespace, batch) => commit(open(), namespace, batch),
    records: async (namespace, ids, now) => records(within(open(), namespace), ids, now),
    recordsByKey: async (namespace, key, now) => recordsByKey(within(open(), namespace), key, now),
    countByKey: async (namespace, keys, now) => countByKey(within(open(), namespace), keys, now),
    sourceEntries: async (namespace, source, page) => sourceEntries(within(open(), namespace), source, page),
    namespaces: async () => {
      const written = [...open().namespaces.values()].filter((namespace) => namespace.records.size > 0);
      return written.map(({ name }) => name).sort(byCodePoint);
    },
    ...sourceStateCalls(open),
  };
}

function sourceStateCalls(open: () => State): SourceStates {
  return {
    sourceStates: async (namespace) => sourceStates(within(open(), namespace)),
    changeSourceState: async (namespace, source, given, fence) => {
      if (fence !== undefined) holdFence(open(), fence);
      change(open(), namespace, (copy) => {
        writeSourceState(copy, source, given);
      });
    },
    dropSourceState: async (namespace, source) => {
      change(open(), namespace, ({ sources }) => {
        sources.delete(wellFormed(source));
      });
    },
    addHits: async (namespace, hits, at) => {
      change(open(), namespace, (copy) => {
        addHits(copy, hits, at);
      });
    },
  };
}

function searchCalls(open: () => State): SearchStages & Facets<SearchFilter> {
  return {
    lookUpTerms: async (namespace, words) => lookUpTerms(within(open(), namespace), words),
    searchText: async (namespace, query, filter, limit) =>
      searchText(within(open(), namespace), query, filter, limit),
    searchVectors: async (namespace, generation, vector, filter, limit) => {
      assertVectorDimensions(generationById(open(), generation), vector);
      return searchVectors(within(open(), namespace), generation, vector, filter, limit);
    },
    scoreVectors: async (namespace, generation, vector, ids) => {
      assertVectorDimensions(generationById(open(), generation), vector);
      return scoreVectors(within(open(), namespace), generation, vector, ids);
    },
    vectorOf: async (namespace, generation, passage) => {
      generationById(open(), generation);
      return vectorOf(within(open(), namespace), generation, passage);
    },
    newest: async (namespace, filter, limit) => newest(within(open(), namespace), filter, limit),
    neighbours: async (namespace, ids, reach) => neighbours(within(open(), namespace), ids, reach),
    passages: async (namespace, ids, filter) => passages(within(open(), namespace), ids, filter),
    writtenWith: async (namespace, contentHash, now) =>
      writtenWith(within(open(), namespace), contentHash, now),
    facet: async (namespace, field, filter) => facet(within(open(), namespace), field, filter),
  };
}

function embeddingCalls(open: () => State): Embeddings {
  return {
    generations: async () => open().generations.map((generation) => ({ ...generation })),
    addGeneration: async (spec) => addGeneration(open(), spec),
    activateGeneration: async (id) => {
      activateGeneration(open(), id);
    },
    pendingEmbeddings: async (generation, page) => pendingEmbeddings(open(), generation, page),
    countPending: async (generation, namespace) => countPending(open(), generation, namespace),
    putVectors: async (generation, vectors) => {
      putVectors(open(), generationById(open(), generation), vectors);
    },
  };
}

function upkeepCalls(open: () => State): Upkeep {
  return {
    stats: async () => stats(open()),
    staleRecords: async (namespace, chunking, page) =>
      staleRecords(within(open(), namespace), chunking, page),
    scanRecords: async (namespace, page) => scanRecords(within(open(), namespace), page),
    passagesOf: async (namespace, ids) => passagesOf(within(open(), namespace), ids),
    putPassages: async (namespace, chunking, replacement) => {
      putPassages(open(), namespace, chunking, replacement);
    },
    markStale: async (namespace, options) => {
      if (open().namespaces.has(namespace)) markStale(open(), namespace, options);
    },
    dropDerived: async (namespace, options) => {
      if (open().namespaces.has(namespace)) dropDerived(open(), namespace, options);
    },
    sweep: async () => {
      sweep(open());
    },
    verify: async () => {
      open();
      // Nothing is derived here that could differ.
      return [];
    },
  };
}

function tokenCalls(open: () => State): Tokens {
  return {
    addToken: async (token, audit) => {
      addToken(open().tokens, token);
      change(open(), token.subject, (copy) => {
        appendAudit(copy, audit);
      });
    },
    tokens: async () => tokens(open().tokens),
    tokenByHash: async (hash) => tokenByHash(open().tokens, hash),
    revokeToken: async (id, at, audit) => {
      const token = open().tokens.get(id);
      if (token?.revokedAt === null) {
        change(open(), token.subject, (copy) => {
          appendAudit(copy, audit);
        });
      }
      return revokeToken(open().tokens, id, at);
    },
  };
}
