import { describe, expect, it } from 'vitest';
import { mainMetric, mean, meanScores, percentile, score } from './metrics.ts';

describe('score', () => {
  it('agrees with values computed by hand', () => {
    const scores = score(['a', 'x', 'b', 'y', 'z', 'w', 'c'], ['b', 'c', 'd', 'e']);
    expect(scores['R@1']).toBe(0);
    expect(scores['R@2']).toBe(0);
    expect(scores['R@5']).toBe(1 / 4);
    expect(scores['R@10']).toBe(2 / 4);
    expect(scores.MRR).toBe(1 / 3);
    // Gains at ranks 3 and 7. An ideal ranking has the four relevant documents at ranks 1 to 4.
    const ideal = 1 + 1 / Math.log2(3) + 1 / 2 + 1 / Math.log2(5);
    expect(scores['nDCG@10']).toBeCloseTo((1 / 2 + 1 / 3) / ideal, 12);
  });

  it('is 1 for an ideal ranking and 0 for one without relevant documents', () => {
    expect(Object.values(score(['a', 'b'], ['a']))).toEqual([1, 1, 1, 1, 1, 1]);
    expect(Object.values(score(['x', 'y'], ['a']))).toEqual([0, 0, 0, 0, 0, 0]);
    expect(Object.values(score([], ['a']))).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it('computes nDCG from ten results and at most ten relevant documents', () => {
    const all = Array.from({ length: 12 }, (_, i) => `d${i}`);
    expect(score(all, all)['nDCG@10']).toBe(1);
    expect(score([...all.slice(0, 10).map((id) => `not ${id}`), 'd0'], ['d0'])['nDCG@10']).toBe(0);
    expect(score([...all.slice(0, 10).map((id) => `not ${id}`), 'd0'], ['d0']).MRR).toBe(1 / 11);
  });
});

describe('means', () => {
  it('are over queries', () => {
    const means = meanScores([score(['a'], ['a']), score(['x', 'a'], ['a', 'b'])]);
    expect(means['R@1']).toBe(0.5);
    expect(means['R@2']).toBe(0.75);
    expect(means.MRR).toBe(0.75);
    expect(mean([])).toBe(0);
  });

  it('come with percentiles by nearest rank', () => {
    expect(percentile([4, 1, 3, 2], 0.5)).toBe(3);
    expect(percentile([4, 1, 3, 2], 0.95)).toBe(4);
    expect(percentile([], 0.5)).toBeNaN();
  });
});

describe('mainMetric', () => {
  it('depends on the kind of set, and is R@5 for others', () => {
    const names = [
      'locomo',
      'beam100k',
      'musique',
      'hotpot100',
      'obsidian_zh',
      'cranfield',
      'scifact_x',
      'mine',
    ];
    expect(names.map(mainMetric)).toEqual(['R@10', 'R@10', 'R@5', 'R@5', 'R@5', 'nDCG@10', 'nDCG@10', 'R@5']);
  });
});
