import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  entryOf,
  passageSamples,
  policySamples,
  NOW,
  passageOf,
  rankSamples,
  recordIds,
  type PassageSample,
} from '../../../test/contract/ranked-passages.ts';
import { searchRun } from '../../../test/contract/search-run.ts';
import { rank } from './rank.ts';
import { CLASSIC_RANKING, DEFAULT_RANKING, SOURCE_POLICY, type SourcePolicies } from './ranking.ts';

const DAY = 86_400_000;
const RUN = searchRun('oven', { filter: { now: NOW } });

function recency(rank: number, raw: number, added: number, halfLifeDays: number): unknown {
  return { signal: 'recency', rank, raw, added: expect.closeTo(added, 12), halfLifeDays };
}

/** The same policies without the recency weights of sources. */
function withoutRecency(policies: SourcePolicies): SourcePolicies {
  return new Map([...policies].map(([name, policy]) => [name, { ...policy, recency: null }]));
}

describe('rank', () => {
  it('never ranks a record above one that matches better by more than the reach of recency (R2)', () => {
    const { weights, recency } = DEFAULT_RANKING;
    const reach = recency.kind === 'tie-break' ? recency.reach : Number.NaN;
    const rankingWithoutRecency = { ...DEFAULT_RANKING, weights: { ...weights, recency: 0 } };
    fc.assert(
      fc.property(passageSamples, policySamples, (entries, policies) => {
        const scores = new Map(
          rankSamples(entries, rankingWithoutRecency, withoutRecency(policies)).map(({ passage, score }) => [
            passage.record.id,
            score,
          ]),
        );
        const order = recordIds(rankSamples(entries, DEFAULT_RANKING, policies));
        expect(order.toSorted()).toEqual([...scores.keys()].toSorted());
        const sourceWeights = [...policies.values()].map(({ recency }) => recency?.weight ?? 0);
        const weight = Math.max(weights.recency, ...sourceWeights);
        for (const [index, below] of order.entries()) {
          for (const above of order.slice(0, index)) {
            const bound = (1 + weight * reach) * scores.get(above)!;
            expect(scores.get(below)!).toBeLessThanOrEqual(bound * (1 + 1e-12));
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it('ranks the newer of two equal matches higher, and reports the contribution of recency', () => {
    const hits = rankSamples([
      { passage: 1, record: 1, score: 0.5, rawScore: 0.5, ageDays: 90 },
      { passage: 2, record: 2, score: 0.5, rawScore: 0.5, ageDays: 0 },
    ]);
    expect(recordIds(hits)).toEqual([2, 1]);
    expect(hits.map(({ contributions }) => contributions)).toEqual([
      [recency(1, NOW, 0.5 * 0.15 * 0.15, 90)],
      [recency(2, NOW - 90 * DAY, 0.25 * 0.15 * 0.15, 90)],
    ]);
  });

  it('treats the future like the past at the same distance', () => {
    const hits = rankSamples([
      { passage: 1, record: 1, score: 0.5, rawScore: 0.5, ageDays: -90 },
      { passage: 2, record: 2, score: 0.5, rawScore: 0.5, ageDays: -1 },
      { passage: 3, record: 3, score: 0.5, rawScore: 0.5, ageDays: 1 },
      { passage: 4, record: 4, score: 0.5, rawScore: 0.5, ageDays: 30 },
    ]);
    expect(recordIds(hits)).toEqual([2, 3, 4, 1]);
    const ranksAndScores = hits.map(({ contributions }) =>
      contributions.map(({ rank, added }) => [rank, added]),
    );
    expect(ranksAndScores[0]).toEqual(ranksAndScores[1]);
    expect(ranksAndScores[3]).toEqual([[3, expect.closeTo(0.25 * 0.15 * 0.15, 12)]]);
  });

  it('computes the recency of a source with its own weight and half-life, a week by default', () => {
    const weekOld = {
      passage: 1,
      record: 1,
      score: 0.5,
      rawScore: 0.5,
      ageDays: 7,
      origin: 'source',
      source: 'tasks',
    } as const;
    const contributionsOf = (policies?: SourcePolicies, given: PassageSample = weekOld): unknown =>
      rankSamples([given], DEFAULT_RANKING, policies)[0]?.contributions;
    const configured = new Map([['tasks', { ...SOURCE_POLICY, recency: { weight: 1, halfLifeDays: 14 } }]]);
    const half = 0.5 * 0.5 * 0.15;
    expect(contributionsOf()).toEqual([recency(1, NOW - 7 * DAY, (half * 0.15) / 2, 7)]);
    expect(contributionsOf(configured)).toEqual([recency(1, NOW - 7 * DAY, half * Math.SQRT1_2, 14)]);
    const memory = { ...weekOld, origin: 'memory' } as const;
    expect(contributionsOf(configured, memory)).toEqual([
      recency(1, NOW - 7 * DAY, 0.5 * 0.15 * 0.15 * 2 ** (-7 / 90), 90),
    ]);
  });

  it('fuses recency as another list of ranks in the classic ranking', () => {
    const hits = rankSamples(
      [
        { passage: 1, record: 1, score: 0.5, rawScore: 0.5, ageDays: 9 },
        { passage: 2, record: 2, score: 0.5, rawScore: 0.5, ageDays: 1 },
        { passage: 3, record: 3, score: 0.5, rawScore: 0.5, ageDays: 1 },
      ],
      CLASSIC_RANKING,
    );
    expect(recordIds(hits)).toEqual([2, 3, 1]);
    const shares = hits.map(({ score }) => Number(((score - 0.5) / 0.15).toFixed(9)));
    expect(shares).toEqual([1, 1, Number((61 / 62).toFixed(9))]);
  });

  it('returns one hit for a record, with its best score and the passage whose raw score is best', () => {
    const hits = rankSamples([
      { passage: 1, record: 7, score: 0.9, rawScore: 0.1, ageDays: 1 },
      { passage: 2, record: 7, score: 0.4, rawScore: 0.4, ageDays: 1 },
      { passage: 3, record: 8, score: 0.6, rawScore: 0.6, ageDays: 1 },
    ]);
    expect(hits.map(({ passage }) => [passage.record.id, passage.id])).toEqual([
      [7, 2],
      [8, 3],
    ]);
    expect(hits[0]!.score).toBeGreaterThan(0.9);
  });

  it('returns each record once, best first, by its best passage, for any pool in any order', () => {
    fc.assert(
      fc.property(passageSamples, fc.integer(), (entries, seed) => {
        const hits = rankSamples(entries);
        const scores = hits.map(({ score }) => score);
        expect(scores).toEqual(scores.toSorted((a, b) => b - a));
        expect(recordIds(hits).toSorted()).toEqual(
          [...new Set(entries.map(({ record }) => record))].toSorted(),
        );
        for (const { passage } of hits) {
          const siblings = entries.filter(({ record }) => record === passage.record.id);
          const shown = siblings.find((entry) => entry.passage === passage.id);
          expect(shown?.rawScore).toBe(Math.max(...siblings.map(({ rawScore }) => rawScore)));
        }
        const shuffled = entries.toSorted(
          (a, b) => ((a.passage * 7919 + seed) % 101) - ((b.passage * 7919 + seed) % 101),
        );
        expect(rankSamples(shuffled)).toEqual(hits);
      }),
    );
  });

  it('leaves out passages that were not loaded, and accepts an empty pool', () => {
    const entries = [
      { passage: 1, record: 1, score: 0.9, rawScore: 0.9, ageDays: 1 },
      { passage: 2, record: 2, score: 0.5, rawScore: 0.5, ageDays: 1 },
    ];
    const shown = entries.slice(1).map(passageOf);
    const hits = rank(RUN, entries.map(entryOf), shown);
    expect(recordIds(hits)).toEqual([2]);
    expect(rank(RUN, [], [])).toEqual([]);
  });

  it('boosts the turns of the session whose turns match best together', () => {
    const turns = [
      { passage: 1, record: 1, score: 0.5, rawScore: 0.5, ageDays: 1, session: 'one' },
      { passage: 2, record: 2, score: 0.49, rawScore: 0.49, ageDays: 1, session: 'two' },
      { passage: 3, record: 3, score: 0.4, rawScore: 0.4, ageDays: 1, session: 'two' },
    ];
    const hits = rankSamples(turns, { ...DEFAULT_RANKING, shortTurns: null });
    expect(hits.map(({ passage, boosts }) => [passage.record.id, boosts])).toEqual([
      [2, [{ name: 'session', added: 0.05 }]],
      // (0.5 / 0.89)² of it.
      [1, [{ name: 'session', added: expect.closeTo(0.0158, 4) as number }]],
      [3, [{ name: 'session', added: 0.05 }]],
    ]);
  });

  it('ranks a short turn below a long one that matches equally well, and says so', () => {
    const turns = [
      { passage: 1, record: 1, score: 0.5, rawScore: 0.5, ageDays: 1, session: 'one' },
      { passage: 2, record: 2, score: 0.49, rawScore: 0.49, ageDays: 1, session: 'one' },
    ];
    const [short, long] = turns.map(passageOf);
    const hits = rank(RUN, turns.map(entryOf), [short!, { ...long!, text: 'word '.repeat(30) }]);
    expect(recordIds(hits)).toEqual([2, 1]);
    const loss = hits[1]!.boosts.find(({ name }) => name === 'short');
    expect(loss?.added).toBeLessThan(-0.05);
    expect(loss?.added).toBeGreaterThan(-0.08);
  });
});
