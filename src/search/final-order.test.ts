import { describe, expect, it } from 'vitest';
import { storedPassage } from '../../test/contract/stored-passage.ts';
import { orderByConfidence, originalsFirst } from './final-order.ts';
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

describe('originalsFirst', () => {
  interface Note {
    readonly key: string;
    readonly copyOf?: string;
    readonly score: number;
    readonly confidence: number;
    readonly origin?: 'vault' | 'source';
  }

  /** The results in their new order: key, score and confidence, and what was added to the score. */
  function placed(notes: readonly Note[]): [string, number, number, number?][] {
    const hits = notes.map(({ key, copyOf, score, confidence, origin = 'vault' }, i): Hit => {
      const metadata = copyOf === undefined ? {} : { copyOf };
      const passage = storedPassage({ id: i + 1, record: { origin, source: 'notes', key, metadata } });
      const confidenceParts = {} as Hit['confidenceParts'];
      return { passage, score, contributions: [], boosts: [], links: null, confidence, confidenceParts };
    });
    return originalsFirst(hits, (hit) => hit as Hit).map((hit) => {
      const { passage, score, confidence, boosts } = hit as Hit;
      expect(boosts.every(({ name }) => name === 'original')).toBe(true);
      return [passage.record.key!, score, confidence, ...boosts.map(({ added }) => added)] as never;
    });
  }

  it('moves copies down to their note, which keeps its score', () => {
    const notes = [
      { key: 'Rent 3.md', copyOf: 'Rent.md', score: 1, confidence: 0.9 },
      { key: 'Rent 2.md', copyOf: 'Rent.md', score: 0.875, confidence: 0.2 },
      { key: 'Deposit.md', score: 0.75, confidence: 0.6 },
      { key: 'Rent.md', score: 0.5, confidence: 0.3 },
      { key: 'Rent 4.md', copyOf: 'Rent.md', score: 0.25, confidence: 0.2 },
      { key: 'other.md', score: 0.125, confidence: 0.1 },
    ];
    expect(placed(notes)).toEqual([
      ['Deposit.md', 0.75, 0.6],
      ['Rent.md', 0.5, 0.3],
      ['Rent 3.md', 0.5, 0.3, -0.5],
      ['Rent 2.md', 0.5, 0.2, -0.375],
      ['Rent 4.md', 0.25, 0.2],
      ['other.md', 0.125, 0.1],
    ]);
  });

  it('leaves a copy where its note is not among the results, or was not in the vault', () => {
    const notes = [
      { key: 'Rent 2.md', copyOf: 'Rent.md', score: 1, confidence: 0.9 },
      { key: 'a b.md', copyOf: 'a.md', origin: 'source' as const, score: 0.75, confidence: 0.6 },
      { key: 'a.md', origin: 'source' as const, score: 0.5, confidence: 0.3 },
    ];
    expect(placed(notes)).toEqual(notes.map(({ key, score, confidence }) => [key, score, confidence]));
  });

  it('follows copies of copies, and loses no result', () => {
    const notes = [
      { key: 'a 2 2.md', copyOf: 'a 2.md', score: 1, confidence: 0.9 },
      { key: 'x.md', copyOf: 'y.md', score: 0.875, confidence: 0.8 },
      { key: 'y.md', copyOf: 'x.md', score: 0.75, confidence: 0.7 },
      { key: 'a 2.md', copyOf: 'a.md', score: 0.5, confidence: 0.6 },
      { key: 'a.md', score: 0.25, confidence: 0.5 },
    ];
    expect(placed(notes)).toEqual([
      ['x.md', 0.875, 0.8],
      ['y.md', 0.75, 0.7],
      ['a.md', 0.25, 0.5],
      ['a 2.md', 0.25, 0.5, -0.25],
      ['a 2 2.md', 0.25, 0.5, -0.75],
    ]);
  });
});
