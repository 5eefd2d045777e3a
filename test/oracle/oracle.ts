import { Deadline } from '../../src/core/time/deadline.ts';
import type { LociRecord, Timestamp } from '../../src/core/types.ts';
import type {
  RecordBounds,
  RecordFilter,
  RecordSelector,
  TimedRecord,
  TimelineRecords,
  TimelineRequest,
} from '../../src/store/model.ts';
import { recordTime } from '../../src/store/rules/record-time.ts';
import { admits, isLive, isSourced } from '../../src/store/rules/filter.ts';
import { bestOfRecords, spreadOverRecords } from '../../src/store/rules/record-spread.ts';
import type { SimilarRecord, StoredPassage } from '../../src/store/search-model.ts';
import type { Store } from '../../src/store/store.ts';
import { hasNoteName, linksOf, namedRecords, selects } from './links.ts';
import { commit, compact, purge, resetDerived } from './commit.ts';
import { languagesOf, lookUpTerms, missingCosines, neighbours, rankPassages } from './search.ts';
import { byCodePoint, headerOf, type Namespace, OracleState, passagesOf, recordsOf } from './state.ts';

/** The store with which property tests compare the others: records, and what searches read. */
export interface Oracle {
  readonly records: Omit<
    Store['records'],
    'facet' | 'facets' | 'table' | 'histogram' | 'findExisting' | 'belongsTo' | 'bounds'
  > & {
    bounds(namespace: string): Promise<Pick<RecordBounds, 'highestId' | 'nextExpiry' | 'oldestDeletion'>>;
  };
  readonly search: Store['search'];
  readonly vectors: Pick<Store['vectors'], 'put'>;
  readonly admin: Pick<Store['admin'], 'resetDerived' | 'compact'>;
}

/**
 * A store in memory without indexes: each call reads all data.
 * @param dimensions those of each generation of vectors
 */
export function openOracle(dimensions: readonly number[] = []): Oracle {
  const state = new OracleState(dimensions);
  return {
    records: recordCalls(state),
    search: searchCalls(state),
    vectors: {
      put: async (name, generation, writes) => {
        for (const { vector } of writes) state.assertVector({ generation, vector });
        state.change(name, ({ vectors }) => {
          const stored = vectors.get(generation) ?? new Map<string, Float32Array>();
          vectors.set(generation, stored);
          for (const { hash, vector } of writes) if (!stored.has(hash)) stored.set(hash, vector.slice());
        });
      },
    },
    admin: {
      resetDerived: async (name, options) => {
        if (state.isWritten(name))
          state.change(name, (namespace) => {
            resetDerived(namespace, options);
          });
      },
      compact: async (name) => {
        if (state.isWritten(name)) state.change(name, compact);
      },
    },
  };
}

function recordCalls(state: OracleState): Oracle['records'] {
  return {
    commit: async (name, batch) => {
      if (!('purge' in batch)) return commit(state, name, structuredClone(batch));
      if (!state.isWritten(name)) return [];
      return state.change(name, (namespace, next) => purge(namespace, batch.purge, next));
    },
    get: async (name, ids, condition) => {
      const { records } = state.read(name);
      const found = ids.flatMap((id) => records.get(id)?.record ?? []);
      return structuredClone(found.filter((each) => condition === 'any' || isLive(each, condition.liveAt)));
    },
    list: async (name, selector, { after, limit }) => {
      const selected = selectRecords(state.read(name), selector);
      const descending = 'filter' in selector && selector.order !== 'oldest';
      const ordered = descending ? selected.reverse() : selected;
      const rest = ordered.filter(({ id }) => after === null || (descending ? id < after : id > after));
      return structuredClone(rest.slice(0, limit));
    },
    count: async (name, filter) => filtered(state.read(name), filter).length,
    sourceEntries: async (name, source, { after, limit }) =>
      recordsOf(state.read(name))
        .filter((record) => record.source === source && isSourced(record) && record.deletedAt === null)
        .flatMap(({ id, key, identity, revision, contentHash }) =>
          key === null ? [] : [{ id, key, identity, revision, contentHash }],
        )
        .filter(({ key }) => after === null || byCodePoint(key, after) > 0)
        .sort((a, b) => byCodePoint(a.key, b.key))
        .slice(0, limit),
    bounds: async (name) => {
      const namespace = state.read(name);
      const records = recordsOf(namespace);
      return {
        highestId: namespace.nextRecord - 1,
        nextExpiry: earliest(records.map(({ expiresAt }) => expiresAt)),
        oldestDeletion: earliest(records.map(({ deletedAt }) => deletedAt)),
      };
    },
    timeline: async (name, request) => structuredClone(timeline(state.read(name), request)),
    links: async (name, selector, { after, limit }) =>
      linksOf(state.read(name))
        .filter((link) => selects(selector, link))
        .filter(
          ({ record, position }) =>
            after === null || record > after.record || (record === after.record && position > after.position),
        )
        .slice(0, limit),
    changes: async (name, { after, limit }) => {
      const { changes, lastChange } = state.read(name);
      if (after !== null && after > lastChange) return { changes: [], mustRestart: true };
      const later = [...changes.values()].filter(({ sequence }) => sequence > (after ?? 0));
      return { changes: later.slice(0, limit), mustRestart: false };
    },
    passagesOf: async (name, ids) => {
      const namespace = state.read(name);
      const passages = ids.map(
        (id) => [id, passagesOf(namespace, id).map(({ passage }) => passage)] as const,
      );
      return structuredClone(new Map(passages));
    },
    // Of the items, it has what was done for idempotency keys.
    items: async (name, { key = '', liveAt = 0 }) => {
      const { fingerprint, records, expiresAt } = state.read(name).idempotent.get(key) ?? { expiresAt: 0 };
      if (expiresAt <= liveAt) return [];
      const body = JSON.stringify({ fingerprint, records });
      return [{ kind: 'idempotency', key, position: 1, at: 0, expiresAt, type: null, ref: null, body }];
    },
  };
}

function earliest(times: readonly (Timestamp | null)[]): Timestamp | null {
  const present = times.filter((time) => time !== null);
  return present.length === 0 ? null : Math.min(...present);
}

/** The selected records, by ascending id. */
function selectRecords(namespace: Namespace, selector: RecordSelector): LociRecord[] {
  if ('filter' in selector) return filtered(namespace, selector.filter);
  const records = recordsOf(namespace);
  switch (selector.scan) {
    case 'undeleted':
      return records.filter(({ deletedAt }) => deletedAt === null);
    case 'stale':
      return records.filter(
        ({ id, deletedAt }) =>
          deletedAt === null && namespace.records.get(id)?.chunking !== selector.chunking,
      );
    case 'exportable':
      return records.filter(({ expiresAt }) => expiresAt === null || expiresAt > selector.now);
  }
}

function filtered(namespace: Namespace, filter: RecordFilter): LociRecord[] {
  const { key, keyPrefix, contentHash, noteName, deleted = false, ...rest } = filter;
  return recordsOf(namespace).filter(
    (record) =>
      (record.deletedAt !== null) === deleted &&
      admits({ ...record, deletedAt: null }, rest) &&
      (key === undefined || record.key === key) &&
      (keyPrefix === undefined || record.key?.startsWith(keyPrefix) === true) &&
      (contentHash === undefined || record.contentHash === contentHash) &&
      (noteName === undefined || hasNoteName(record, noteName)),
  );
}

function timeline(namespace: Namespace, { filter, around, before, after }: TimelineRequest): TimelineRecords {
  const all = recordsOf(namespace)
    .map((record): TimedRecord => ({ at: recordTime(record), record: headerOf(record) }))
    .filter(({ record }) => isLive(record, filter.now))
    .sort((a, b) => a.at - b.at || a.record.id - b.record.id);
  const anchor = 'record' in around ? all.find(({ record }) => record.id === around.record) : undefined;
  if ('record' in around && anchor === undefined) return { anchor: null, before: [], after: [] };
  const middle = 'time' in around ? { at: around.time, id: 0 } : { at: anchor!.at, id: around.record };
  const shown = all.filter(({ record }) => record !== anchor?.record && admits(record, filter));
  const isBefore = ({ at, record }: TimedRecord): boolean =>
    at < middle.at || (at === middle.at && record.id < middle.id);
  return {
    anchor: anchor ?? null,
    before: shown.filter(isBefore).reverse().slice(0, before),
    after: shown.filter((each) => !isBefore(each)).slice(0, after),
  };
}

function searchCalls(state: OracleState): Oracle['search'] {
  return {
    terms: async (name, words) => {
      const namespace = state.read(name);
      return {
        terms: lookUpTerms(namespace, words),
        languages: languagesOf(namespace),
        hasSessions: recordsOf(namespace).some(({ metadata }) => (metadata['session'] ?? null) !== null),
      };
    },
    retrieve: async (name, { queries, cosines, compared = [], load = false }) => {
      for (const query of queries) if (query.by === 'vector') state.assertVector(query.vector);
      if (cosines !== undefined) state.assertVector(cosines);
      const namespace = state.read(name);
      const lists = await Promise.all(
        queries.map(async (query) => ({
          scores: await spreadOverRecords(
            query,
            async (limit) => rankPassages(namespace, query, limit),
            new Deadline(),
          ),
          milliseconds: 0,
          isPartial: false,
        })),
      );
      const best = bestOfRecords(lists.flatMap(({ scores }) => scores));
      return {
        lists,
        hasAllCosines: true,
        cosines: cosines === undefined ? [] : missingCosines(namespace, queries, lists, cosines, compared),
        compared: new Map(),
        passages: load ? best.flatMap((id) => storedPassage(namespace, id)) : [],
      };
    },
    similar: async (name, generation, records, { now, limit }) => {
      state.assertGeneration(generation);
      const namespace = state.read(name);
      const vectors = namespace.vectors.get(generation);
      return new Map(
        records.flatMap((record): [number, SimilarRecord[]][] => {
          const first = passagesOf(namespace, record).find(({ passage }) => passage.ordinal === 0);
          const vector = vectors?.get(first?.passage.hash ?? '');
          if (vector === undefined) return [];
          const query = {
            by: 'vector',
            vector: { generation, vector },
            filter: { now },
            limit: 1000,
          } as const;
          const best = new Map<number, number>();
          for (const { record: other, score } of rankPassages(namespace, query, 1000))
            if (other !== record && !best.has(other)) best.set(other, score);
          const ordered = [...best].sort(([a, x], [b, y]) => y - x || a - b).slice(0, limit);
          return [[record, ordered.map(([other, cosine]) => ({ record: other, cosine }))]];
        }),
      );
    },
    named: async (name, names) => namedRecords(state.read(name), names),
    passages: async (name, ids, filter, reach) => {
      const namespace = state.read(name);
      const neighbourhoods = reach === undefined ? [] : neighbours(namespace, ids, reach);
      const near = new Set(neighbourhoods.flatMap(({ before, after }) => [...before, ...after]));
      for (const id of ids) near.delete(id);
      const passages = [...ids, ...near].flatMap((id) => storedPassage(namespace, id));
      const admitted = passages.filter(({ record }) => admits(record, filter));
      return { passages: admitted, neighbourhoods, damaged: [] };
    },
  };
}

function storedPassage(namespace: Namespace, id: number): StoredPassage[] {
  const { passage, record } = namespace.passages.get(id) ?? {};
  const owner = namespace.records.get(record ?? 0)?.record;
  if (passage === undefined || owner?.deletedAt !== null) return [];
  return [structuredClone({ ...passage, id, record: headerOf(owner) })];
}
