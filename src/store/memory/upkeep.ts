import { isDeepStrictEqual } from 'node:util';
import { LociError } from '../../core/errors.ts';
import type { LociRecord, Origin } from '../../core/types.ts';
import { firstOfPage, isAsCut, type CutPassages, type RecordPage } from '../derivation.ts';
import type { NamespaceStats, StoreStats } from '../stats.ts';
import {
  byCodePoint,
  change,
  passagesOfRecord,
  replacePassages,
  type HeldRecord,
  type Namespace,
  type State,
} from './state.ts';
import { countWords } from './vocabulary.ts';

export function stats(state: State): StoreStats {
  const namespaces = [...state.namespaces.values()].sort((a, b) => byCodePoint(a.name, b.name));
  return { bytes: 0, schemaVersion: 0, namespaces: namespaces.map(namespaceStats) };
}

function namespaceStats(namespace: Namespace): NamespaceStats {
  const all = [...namespace.records.values()].map(({ record }) => record);
  const live = all.filter(({ deletedAt }) => deletedAt === null);
  const byOrigin = new Map<Origin, number>();
  const bySource = new Map<string, number>();
  for (const { origin, source } of live) {
    byOrigin.set(origin, (byOrigin.get(origin) ?? 0) + 1);
    bySource.set(source, (bySource.get(source) ?? 0) + 1);
  }
  return {
    namespace: namespace.name,
    records: live.length,
    deleted: all.length - live.length,
    passages: namespace.passages.size,
    terms: countWords(namespace).size,
    vectors: [...namespace.vectors.values()].reduce((sum, vectors) => sum + vectors.size, 0),
    byOrigin: Object.fromEntries(byOrigin),
    bySource: Object.fromEntries(bySource),
  };
}

export function staleRecords(namespace: Namespace, chunking: string, page: RecordPage): LociRecord[] {
  return pageOf(namespace, page, (held) => held.chunking !== chunking);
}

export function scanRecords(namespace: Namespace, page: RecordPage): LociRecord[] {
  return pageOf(namespace, page, () => true);
}

function pageOf(namespace: Namespace, page: RecordPage, wanted: (held: HeldRecord) => boolean): LociRecord[] {
  const records = [...namespace.records.values()]
    .filter((held) => held.record.deletedAt === null && held.record.id > (page.after ?? 0) && wanted(held))
    .map(({ record }) => record)
    .sort((a, b) => a.id - b.id)
    .slice(0, page.limit);
  return firstOfPage(records, structuredClone);
}

export function putPassages(
  state: State,
  name: string,
  chunking: string,
  passages: ReadonlyMap<number, CutPassages>,
): void {
  if (!state.namespaces.has(name)) throw new LociError('not_found', `no namespace ${name}`);
  change(state, name, (namespace, nextPassage) => {
    for (const [id, { from, passages: replacement }] of passages) {
      const held = namespace.records.get(id);
      if (held?.record.deletedAt !== null || held.chunking === chunking) continue;
      if (!isAsCut(held.record, from)) continue;
      const present = passagesOfRecord(namespace, id)
        .map(({ passage }) => passage)
        .sort((a, b) => a.ordinal - b.ordinal);
      if (!isDeepStrictEqual(present, replacement)) {
        replacePassages(namespace, held.record, replacement, nextPassage);
      }
      namespace.records.set(id, { record: held.record, chunking });
    }
  });
}

export function markStale(state: State, name: string, options: { readonly vectors: boolean }): void {
  change(state, name, (namespace) => {
    for (const [id, { record }] of namespace.records) namespace.records.set(id, { record, chunking: null });
    if (options.vectors) namespace.vectors.clear();
  });
}

export function dropDerived(state: State, name: string, options: { readonly vectors: boolean }): void {
  change(state, name, (namespace) => {
    namespace.passages.clear();
    for (const [id, { record }] of namespace.records) namespace.records.set(id, { record, chunking: null });
    if (options.vectors) namespace.vectors.clear();
  });
}

/** Vectors of contents that are gone, where they are more than a tenth. */
export function sweep(state: State): void {
  for (const { name } of state.namespaces.values()) {
    change(state, name, ({ passages, vectors }) => {
      const contents = new Set([...passages.values()].map(({ passage }) => passage.hash));
      const held = [...vectors.values()].flatMap((generation) => [...generation.keys()]);
      const orphans = held.filter((hash) => !contents.has(hash));
      if (orphans.length * 10 <= held.length) return;
      for (const generation of vectors.values()) for (const hash of orphans) generation.delete(hash);
    });
  }
}
