import { describe, expect, it } from 'vitest';
import { ABSENT, type EvalSet, type Half, loadSet } from './sets.ts';
import type { QueryScore, Run } from './run.ts';
import { unsureOf } from './unsure.ts';

describe('unsureOf', () => {
  it('counts by category and half the queries whose best result of ten scores below 0.3', () => {
    const query = (id: string, cat: string, gold: string[], half: Half) => ({ id, q: id, cat, gold, half });
    const queries = [
      query('a', 'keyword', ['d'], 'dev'),
      query('b', 'question', ['d'], 'test'),
      query('c', 'near', [], 'dev'),
      query('e', 'near', [], 'test'),
      query('f', 'near', [], 'test'),
    ];
    const set: EvalSet = {
      ...{ name: 'small', hash: '', root: '.' },
      collections: [{ id: 'x', docs: [], queries }],
    };
    const scored = (id: string, highest: number | null) =>
      ({ key: `x/${id}`, highest }) as unknown as QueryScore & Run['absent'][number];
    const run: Run = {
      ...{ system: 'table', unanswered: 0, milliseconds: [] },
      queries: [scored('a', 0.3), scored('b', 0.29)],
      // The last query was not run.
      absent: [scored('c', 0.1), scored('e', null)],
    };
    const [one, none] = [
      { queries: 1, unsure: 1 },
      { queries: 1, unsure: 0 },
    ];
    expect(unsureOf(set, run)).toEqual({
      answered: { all: { queries: 2, unsure: 1 }, dev: none, test: one },
      near: { all: { queries: 2, unsure: 2 }, dev: one, test: one },
    });
  });
});

describe('the set absent', () => {
  const { collections } = loadSet(ABSENT);

  it('has near, far and answered queries, each alternating between the halves', () => {
    const all = collections.flatMap(({ queries }) => queries);
    const count = (cat: string): number => all.filter((query) => query.cat === cat).length;
    expect([count('near'), count('far'), count('answered')]).toEqual([60, 60, 129]);
    for (const { queries } of collections)
      for (const ofCategory of Object.values(Object.groupBy(queries, ({ cat }) => cat)))
        expect(ofCategory?.map(({ half }) => half)).toEqual(
          ofCategory?.map((_, i) => (i % 2 === 0 ? 'dev' : 'test')),
        );
    for (const { cat, gold } of all) expect(gold.length > 0).toBe(cat === 'answered');
  });
});
