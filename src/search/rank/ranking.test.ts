import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  passageSamples,
  policySamples,
  rankSamples,
  recordIds,
} from '../../../test/contract/ranked-passages.ts';
import { openSqliteInMemory } from '../../../test/contract/sqlite-in-memory.ts';
import { ALL_LIVE, note, write } from '../../../test/contract/store-samples.ts';
import type { RecordWrite } from '../../store/model.ts';
import { runSearch, type SearchOutcome } from '../search.ts';
import {
  DEFAULT_RANKING,
  effectiveWeight,
  NO_POLICIES,
  SOURCE_POLICY,
  type SourcePolicies,
} from './ranking.ts';

describe('ranking of sources', () => {
  const todo = {
    passage: 1,
    record: 1,
    score: 0.5,
    rawScore: 0.5,
    ageDays: 0,
    origin: 'source',
    source: 'tasks',
  } as const;

  it('ranks a note above a todo that matches equally well, for any times of both', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        fc.integer({ min: 0, max: 9999 }),
        (score, ageDays) => {
          const note = { passage: 2, record: 2, score, rawScore: score, ageDays };
          expect(recordIds(rankSamples([{ ...todo, score, rawScore: score }, note]))).toEqual([2, 1]);
        },
      ),
    );
    const better = { passage: 2, record: 2, score: 0.2, rawScore: 0.2, ageDays: 0 };
    expect(recordIds(rankSamples([todo, better]))).toEqual([1, 2]);
  });

  it('reports what the weight and completion subtract, and ranks a completed todo below an equal open one', () => {
    const [open, done] = rankSamples([
      { ...todo, completed: true },
      { ...todo, passage: 2, record: 2, completed: false, ageDays: 400 },
    ]);
    expect([open?.passage.record.id, done?.passage.record.id]).toEqual([2, 1]);
    const source = { name: 'source', added: expect.closeTo(-0.25, 12), factor: 0.5 };
    expect(open?.boosts).toEqual([source]);
    expect(done?.boosts).toEqual([
      source,
      { name: 'completed', added: expect.closeTo(-0.125, 12), factor: 0.5 },
    ]);
  });

  it('applies a policy to vaults and sources, and not to memories with the same source', () => {
    const entries = (['vault', 'source', 'memory', 'fact'] as const).map((origin, i) => {
      return { ...todo, passage: i + 1, record: i + 1, origin, completed: true };
    });
    const added = (policies?: SourcePolicies): (readonly [number, readonly unknown[]])[] =>
      rankSamples(entries, DEFAULT_RANKING, policies)
        .map(({ passage, boosts }) => [passage.id, boosts.map(({ name, factor }) => [name, factor])] as const)
        .toSorted(([a], [b]) => a - b);
    const done = ['completed', 0.5];
    expect(added()).toEqual([
      [1, []],
      [2, [['source', 0.5], done]],
      [3, []],
      [4, []],
    ]);
    const heavy = new Map([['tasks', { ...SOURCE_POLICY, weight: 1.5 }]]);
    expect(added(heavy)).toEqual([
      [1, [['source', 1.5]]],
      [2, [['source', 1.5], done]],
      [3, []],
      [4, []],
    ]);
  });

  it('reports contributions and boosts that add up to the score, for any policies', () => {
    fc.assert(
      fc.property(passageSamples, policySamples, (entries, policies) => {
        const best = new Map<number, number>();
        const hits = rankSamples(entries, DEFAULT_RANKING, policies);
        for (const { record, score } of entries) best.set(record, Math.max(score, best.get(record) ?? 0));
        for (const { passage, score, contributions, boosts } of hits) {
          const isOnlyPassage = entries.filter(({ record }) => record === passage.record.id).length === 1;
          if (!isOnlyPassage) continue;
          const added = [...contributions, ...boosts].reduce((sum, { added }) => sum + added, 0);
          expect(score).toBeCloseTo(best.get(passage.record.id)! + added, 9);
          expect(score).toBeGreaterThanOrEqual(-1e-12);
        }
      }),
    );
  });
});

describe('search of sources', () => {
  const task = (text: string, title = text): RecordWrite =>
    note(text, { title, origin: 'source', source: 'tasks', trust: 'external' });

  async function found(
    writes: readonly RecordWrite[],
    policies: SourcePolicies = NO_POLICIES,
    limit = 10,
  ): Promise<SearchOutcome> {
    const store = openSqliteInMemory();
    await write(store, 'n', ...writes);
    const request = { store, namespace: 'n', query: 'marble worktop', filter: ALL_LIVE, vectors: null };
    return runSearch({ ...request, limit, ranking: DEFAULT_RANKING, policies });
  }

  const titles = (hits: SearchOutcome['hits']): string[] => hits.map(({ passage }) => passage.record.title);

  it('has the same confidence in a single todo as in a note', async () => {
    const [todo] = (await found([task('marble worktop')])).hits;
    const [memory] = (await found([note('marble worktop', { title: 'marble worktop', origin: 'memory' })]))
      .hits;
    expect(todo?.confidence).toBeCloseTo(memory!.confidence, 9);
    const both = await found([task('marble worktop'), note('marble worktop', { title: 'marble worktop' })]);
    expect(both.hits.map(({ passage }) => passage.record.origin)).toEqual(['vault', 'source']);
    expect(both.hits[1]?.confidence).toBeGreaterThan(SOURCE_POLICY.minScore);
  });

  it('judges the match of a document without the weight of its source', async () => {
    const others = Array.from({ length: 40 }, () => note('bees'));
    const done = note('marble worktop', {
      origin: 'source',
      source: 'tasks',
      metadata: { completed: true },
    });
    const agreementWith = async (weight: number): Promise<number> => {
      const policies = new Map([['tasks', { ...SOURCE_POLICY, weight, minScore: 0 }]]);
      const { hits } = await found([done, note('marble'), ...others], policies);
      const document = hits.find(({ passage }) => passage.record.origin === 'source');
      return document!.confidenceParts.parts.find(({ name }) => name === 'agreement')!.value;
    };
    // Recency is a share of the weighted score.
    expect(await agreementWith(0.01)).toBeCloseTo(await agreementWith(2), 1);
  });

  it('drops hits below the minimum score of their source, without counting them towards the limit', async () => {
    const writes = [
      task('marble worktop'),
      task('marble for the bath', 'weak'),
      note('marble, some day', { title: 'note', createdAt: 0 }),
    ];
    const all = await found(writes, new Map([['tasks', { ...SOURCE_POLICY, minScore: 0 }]]));
    expect(titles(all.hits)).toEqual(['marble worktop', 'note', 'weak']);
    expect(all.belowSourceMinScore).toEqual([]);
    const [best = 0, , weakest = 0] = all.hits.map(({ confidence }) => confidence);
    const atLeast = (minScore: number): SourcePolicies =>
      new Map([['tasks', { ...SOURCE_POLICY, minScore, allWordsSuffice: false }]]);
    const few = await found(writes, atLeast((best + weakest) / 2));
    expect(titles(few.hits)).toEqual(['marble worktop', 'note']);
    expect(titles(few.belowSourceMinScore)).toEqual(['weak']);
    expect(few.belowSourceMinScore[0]?.confidence).toBe(weakest);
    const none = await found(writes, atLeast(1), 1);
    expect(titles(none.hits)).toEqual(['note']);
    expect(titles(none.belowSourceMinScore)).toEqual(['marble worktop']);
    expect(titles((await found(writes, atLeast(best))).hits)).toContain('marble worktop');
  });

  it('keeps a document with all words of the query below the default minimum, and drops it below a configured one', async () => {
    const writes = [
      note('marble worktop', { title: 'marble worktop' }),
      task('marble worktop', 'all words'),
      task('marble for the bath', 'one word'),
    ];
    const lenient = { ...SOURCE_POLICY, minScore: 0.9 };
    const byDefault = await found(writes, new Map([['tasks', lenient]]));
    expect(titles(byDefault.hits)).toEqual(['marble worktop', 'all words']);
    expect(titles(byDefault.belowSourceMinScore)).toEqual(['one word']);
    const configured = { ...lenient, allWordsSuffice: false };
    expect(titles((await found(writes, new Map([['tasks', configured]]))).hits)).toEqual(['marble worktop']);
  });
});

describe('effectiveWeight', () => {
  it.each([
    ['as near as the best notes', 0.5, 0.5, 0.4],
    ['far from them', 0.1, 0.7, 0.4],
    ['nearer by the margin', 0.55, 0.5, 0.5],
    ['much nearer', 0.75, 0.5, 0.9],
    ['nearer still', 0.99, 0.5, 1],
  ])('depends on the cosine of the document: %s', (_, cosine, ofNotes, weight) =>
    expect(effectiveWeight(0.5, cosine, ofNotes)).toBeCloseTo(weight, 9),
  );

  it('is the configured weight without vectors, without notes, and from 1 on', () => {
    expect(effectiveWeight(0.5, null, 0.5)).toBe(0.5);
    expect(effectiveWeight(0.5, 0.9, null)).toBe(0.5);
    expect(effectiveWeight(1.5, 0.9, 0.1)).toBe(1.5);
    expect(effectiveWeight(0, 0.9, 0.1)).toBe(0);
  });
});
