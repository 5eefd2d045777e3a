import type { LociRecord, Timestamp } from '../../core/types.ts';
import type { FacetField, FacetValue } from '../facets.ts';
import type { SearchFilter } from '../store.ts';
import { admits } from '../admits.ts';
import { byCodePoint, type Namespace } from './state.ts';

export function facet(namespace: Namespace, field: FacetField, filter: SearchFilter): FacetValue[] {
  const counts = new Map<string, number>();
  for (const { record } of namespace.records.values()) {
    if (!admits(record, filter)) continue;
    for (const value of valuesOf(record, field)) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts]
    .map(([value, records]) => ({ value, records }))
    .sort((a, b) => b.records - a.records || byCodePoint(a.value, b.value));
}

function valuesOf(record: LociRecord, field: FacetField): Iterable<string> {
  return field === 'tag' ? new Set(record.tags) : [record[field]];
}

export function writtenWith(namespace: Namespace, contentHash: string, now: Timestamp): number[] {
  return [...namespace.records.values()]
    .filter(
      ({ record }) => admits(record, { now, origins: ['memory'] }) && record.contentHash === contentHash,
    )
    .map(({ record }) => record.id)
    .sort((a, b) => a - b);
}
