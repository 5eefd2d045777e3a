import type { LociRecord, Timestamp } from '../../core/types.ts';
import { firstOfPage } from '../derivation.ts';
import type { FactCategory, ListFilter } from '../listing.ts';
import type { Page } from '../page.ts';
import type { SearchFilter } from '../store.ts';
import { admits } from '../admits.ts';
import { byCodePoint, type Namespace } from './state.ts';

export function listRecords(
  namespace: Namespace,
  filter: ListFilter<SearchFilter>,
  { after, limit }: Page<number>,
): LociRecord[] {
  const records = listed(namespace, filter)
    .filter(({ id }) => after === null || id < after)
    .sort((a, b) => b.id - a.id)
    .slice(0, limit);
  return firstOfPage(records, structuredClone);
}

export function countRecords(namespace: Namespace, filter: ListFilter<SearchFilter>): number {
  return listed(namespace, filter).length;
}

function listed(namespace: Namespace, filter: ListFilter<SearchFilter>): LociRecord[] {
  const { key, keyPrefix, deleted = false, ...rest } = filter;
  return [...namespace.records.values()]
    .map(({ record }) => record)
    .filter(
      (record) =>
        (record.deletedAt !== null) === deleted &&
        admits({ ...record, deletedAt: null }, rest) &&
        (key === undefined || record.key === key) &&
        (keyPrefix === undefined || record.key?.startsWith(keyPrefix) === true),
    );
}

export function factCategories(namespace: Namespace, now: Timestamp, recent: number): FactCategory[] {
  const facts = listed(namespace, { now, origins: ['fact'] }).sort(
    (a, b) => b.updatedAt - a.updatedAt || b.id - a.id,
  );
  const names = [...new Set(facts.map(({ category }) => category))].sort(byCodePoint);
  return names.map((name) => {
    const within = facts.filter(({ category }) => category === name);
    return { name, count: within.length, recentKeys: within.slice(0, recent).map(({ key }) => key ?? '') };
  });
}
