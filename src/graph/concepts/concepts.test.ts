import { describe, expect, it } from 'vitest';
import { nameKey } from '../../core/names/name.ts';
import type { StoredName } from '../../store/concept-model.ts';
import { withoutPauses } from '../../core/threads/slices.ts';
import { type Concepts, groupNames } from './concepts.ts';

function row(record: number, kind: StoredName['kind'], text: string): StoredName {
  const note = kind === 'title' || kind === 'alias' ? `n_${String(record)}` : null;
  return { record, project: 'p', note, key: nameKey(text), text, kind, count: 1 };
}

function grouped(rows: readonly StoredName[]): Concepts {
  return withoutPauses(groupNames(rows, 'p'));
}

function summary({ all }: Concepts): string[] {
  return all.map(({ label, names, record }) => `${label}: ${names.map(({ text }) => text).join()} ${String(record)}`); // prettier-ignore
}

describe('concepts', () => {
  it('are notes with their names, and phrases that two records share; a name that two notes claim is a conflict', () => {
    const concepts = grouped([
      ...[row(1, 'title', 'Oven'), row(1, 'alias', 'Stove')],
      ...[row(2, 'title', 'Furnace'), row(2, 'alias', 'Heater')],
      ...[row(3, 'title', 'Boiler'), row(3, 'alias', 'Heater')],
      ...[row(4, 'phrase', 'Miller Brothers'), row(5, 'phrase', 'Miller Brothers')],
      row(5, 'phrase', 'Only Here'),
    ]);
    expect(summary(concepts)).toEqual([
      'Oven: Oven,Stove 1',
      'Furnace: Furnace 2',
      'Boiler: Boiler 3',
      'Miller Brothers: Miller Brothers null',
    ]);
    expect(concepts.named('stove')).toBe(concepts.ofRecord(1));
    expect(concepts.named('heater')).toBeUndefined();
    expect(concepts.conflicts()).toEqual([{ key: 'heater', text: 'Heater', records: [2, 3] }]);
  });

  it('do not depend on the order of the rows', () => {
    const rows = [row(1, 'title', 'Oven'), row(1, 'alias', 'B'), row(2, 'title', 'Oven'), row(2, 'tag', 'b')];
    expect(grouped(rows).all).toEqual(grouped(rows.toReversed()).all);
  });

  it('are told apart if two documents have the same identity', () => {
    const twins = [row(1, 'title', 'Oven'), { ...row(2, 'title', 'Stove'), note: 'n_1' }];
    const concepts = grouped(twins);
    expect([concepts.named('oven')!.record, concepts.named('stove')!.record]).toEqual([1, 2]);
  });
});
