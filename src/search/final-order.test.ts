import { describe, expect, it } from 'vitest';
import { storedPassage } from '../../test/contract/stored-passage.ts';
import { orderByConfidence } from './final-order.ts';
import type { Boost } from './rank/boosts.ts';
import type { Hit } from './rank/confidence.ts';
import type { Ranked } from './rank/rank.ts';
import type { DEFAULT_RANKING } from './rank/ranking.ts';

interface Sample {
  readonly score: number;
  readonly confidence: number;
  readonly session?: string;
  readonly boosts?: readonly Boost[];
}

const RANKING = { confidenceOrder: { results: 3, share: 0.6 } };

/** The results in their new order, each with its record (from 1, in the old order) and its score. */
function ordered(
  samples: readonly Sample[],
  ranking: Pick<typeof DEFAULT_RANKING, 'confidenceOrder'> = RANKING,
): [number, number][] {
  return order(samples, ranking).map(({ passage, score }) => [passage.id, score]);
}

function order(
  samples: readonly Sample[],
  ranking: Pick<typeof DEFAULT_RANKING, 'confidenceOrder'>,
): readonly (Ranked | Hit)[] {
  const hits = samples.map(({ score, session, boosts = [] }, i): Ranked => {
    const record = session === undefined ? {} : { metadata: { session } };
    const contributions = [{ signal: 'text' as const, rank: 1, raw: 1, added: score }];
    return { passage: storedPassage({ id: i + 1, record }), score, contributions, boosts, links: null };
  });
  const rate = (hit: Ranked): Hit => ({
    ...hit,
    confidence: samples[hit.passage.id - 1]!.confidence,
    confidenceParts: {} as Hit['confidenceParts'],
  });
  return orderByConfidence(hits, rate, ranking);
}

describe('orderByConfidence', () => {
  it('exchanges the places of results, and their scores, where the later one is more likely', () => {
    const samples = [
      { score: 1, confidence: 0.16 },
      { score: 0.9, confidence: 0.37 },
    ];
    expect(ordered(samples)).toEqual([
      [2, 1],
      [1, 0.9],
    ]);
    const [first] = order(samples, RANKING);
    expect(first!.boosts).toEqual([{ name: 'confidence', added: expect.closeTo(0.1) as number }]);
  });

  it('keeps the order where the scores differ by more', () => {
    const samples = [
      { score: 1, confidence: 0.3 },
      { score: 0.4, confidence: 0.6 },
    ];
    expect(ordered(samples)).toEqual([
      [1, 1],
      [2, 0.4],
    ]);
  });

  it('leaves the results after the first ones in their places, and does not rate them', () => {
    const samples = [1, 0.9, 0.8, 0.7].map((score, i) => ({ score, confidence: i / 4 }));
    expect(ordered(samples).map(([id]) => id)).toEqual([3, 2, 1, 4]);
    expect(order(samples, RANKING)[3]).not.toHaveProperty('confidence');
  });

  it('leaves turns of sessions in their places', () => {
    const samples = [
      { score: 1, confidence: 0.1 },
      { score: 0.95, confidence: 0.2, session: 's' },
      { score: 0.9, confidence: 0.9 },
    ];
    expect(ordered(samples).map(([id]) => id)).toEqual([3, 2, 1]);
  });

  it('weighs the confidence in the documents of a source like their score', () => {
    const source = { name: 'source' as const, added: -0.45, factor: 0.5 };
    const samples = [
      { score: 0.9, confidence: 0.7 },
      { score: 0.45, confidence: 0.95, boosts: [source] },
    ];
    expect(ordered(samples).map(([id]) => id)).toEqual([1, 2]);
  });

  it('changes nothing without the stage', () => {
    const samples = [
      { score: 1, confidence: 0 },
      { score: 0.9, confidence: 1 },
    ];
    expect(ordered(samples, { confidenceOrder: null }).map(([id]) => id)).toEqual([1, 2]);
  });
});
