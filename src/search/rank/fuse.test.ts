import { describe, expect, it } from 'vitest';
import type { PassageScore } from '../../store/search-model.ts';
import { fuse, rrf } from './fuse.ts';
import { CLASSIC_RANKING, DEFAULT_RANKING, type Ranking } from './ranking.ts';
import type { SignalList } from '../retrieve/signals.ts';

/** Passage `n` belongs to record `n`. */
function scores(...pairs: readonly (readonly [passage: number, score: number])[]): PassageScore[] {
  return pairs.map(([passage, score]) => ({ passage, record: passage, score }));
}

function fusedScores(lists: readonly SignalList[], ranking: Ranking): [number, number][] {
  return fuse(lists, ranking).map(({ passage, score }) => [passage, Number(score.toFixed(6))]);
}

const weights = { vector: 0.6, text: 0.4, spelling: 0.2, recency: 0 };

describe('fuse', () => {
  it('scales a short list from a score of 0 to its best score', () => {
    const lists: SignalList[] = [
      { signal: 'vector', scores: scores([1, 0.8], [2, 0.4]) },
      { signal: 'text', scores: scores([2, 10], [3, 5]) },
    ];
    // 2: 0.6 × 0.4/0.8 + 0.4 × 10/10; 1: 0.6; 3: 0.4 × 5/10.
    expect(fusedScores(lists, { ...DEFAULT_RANKING, weights })).toEqual([
      [2, 0.7],
      [1, 0.6],
      [3, 0.2],
    ]);
  });

  it('scales a long list from its worst to its best score, and a short one with negative scores from its worst score', () => {
    const long = Array.from({ length: 21 }, (_, i) => [i, 30 - i] as const);
    const fused = fusedScores([{ signal: 'text', scores: scores(...long) }], { ...DEFAULT_RANKING, weights });
    expect([fused[0], fused[5], fused[20]]).toEqual([
      [0, 0.4],
      [5, 0.3],
      [20, 0],
    ]);
    const negative: SignalList = { signal: 'vector', scores: scores([1, 0.3], [2, 0], [3, -0.1]) };
    expect(fusedScores([negative], { ...DEFAULT_RANKING, weights })).toEqual([
      [1, 0.6],
      [2, 0.15],
      [3, 0],
    ]);
  });

  it('gives a single passage, or equal ones, the best score', () => {
    const list: SignalList = { signal: 'text', scores: scores([4, 0], [5, 0]) };
    expect(fusedScores([list], { ...DEFAULT_RANKING, weights })).toEqual([
      [4, 0.4],
      [5, 0.4],
    ]);
  });

  it('counts words in full where a passage has no vector yet', () => {
    const lists: SignalList[] = [
      { signal: 'vector', scores: scores([1, 0.8], [2, 0.4]) },
      { signal: 'text', scores: scores([3, 10], [2, 5]) },
    ];
    const fused = fuse(lists, { ...DEFAULT_RANKING, weights }, new Set([3]));
    // Half of the passages found by words are embedded: vectors have 0.3, words 0.7. Passage 3 has no vector.
    expect(fused.map(({ passage, score }) => [passage, Number(score.toFixed(6))])).toEqual([
      [3, 1],
      [2, 0.5],
      [1, 0.3],
    ]);
  });

  it('ranks by words alone when nothing that they found has a vector', () => {
    const lists: SignalList[] = [
      { signal: 'vector', scores: scores([9, 0.2]) },
      { signal: 'text', scores: scores([3, 10], [2, 5]) },
    ];
    const fused = fuse(lists, { ...DEFAULT_RANKING, weights }, new Set([2, 3]));
    expect(fused.map(({ passage, score }) => [passage, score])).toEqual([
      [3, 1],
      [2, 0.5],
    ]);
  });

  it('fuses reciprocal ranks, scaled so that rank 1 scores 1', () => {
    expect([1, 2, 62].map((rank) => rrf(60)(0, rank))).toEqual([1, 61 / 62, 0.5]);
    const lists: SignalList[] = [
      { signal: 'vector', scores: scores([1, 0.9], [2, 0.1]) },
      { signal: 'text', scores: scores([2, 3], [3, 2]) },
    ];
    expect(fusedScores(lists, { ...CLASSIC_RANKING, weights })).toEqual([
      [2, Number(((0.6 * 61) / 62 + 0.4).toFixed(6))],
      [1, 0.6],
      [3, Number(((0.4 * 61) / 62).toFixed(6))],
    ]);
  });

  it('reports what each signal added', () => {
    const lists: SignalList[] = [
      { signal: 'vector', scores: scores([1, 0.8], [2, 0.4]) },
      { signal: 'text', scores: scores([2, 10]) },
    ];
    const found = fuse(lists, { ...DEFAULT_RANKING, weights }).find(({ passage }) => passage === 2);
    expect(found?.contributions).toEqual([
      { signal: 'vector', rank: 2, raw: 0.4, added: 0.3 },
      { signal: 'text', rank: 1, raw: 10, added: 0.4 },
    ]);
  });

  it('breaks ties by passage, for any order of the lists', () => {
    const lists: SignalList[] = [
      { signal: 'text', scores: scores([9, 2]) },
      { signal: 'vector', scores: scores([3, 1]) },
    ];
    const equalWeights = { ...DEFAULT_RANKING, weights: { ...weights, vector: 0.4 } };
    const order = fuse(lists, equalWeights).map(({ passage }) => passage);
    expect(order).toEqual([3, 9]);
    expect(fuse(lists.toReversed(), equalWeights).map(({ passage }) => passage)).toEqual(order);
  });

  it('ignores a signal with a weight of 0', () => {
    const lists: SignalList[] = [
      { signal: 'vector', scores: scores([1, 0.8]) },
      { signal: 'text', scores: scores([2, 10]) },
    ];
    const textOnly = { ...DEFAULT_RANKING, weights: { ...weights, vector: 0 } };
    expect(fuse(lists, textOnly).map(({ passage }) => passage)).toEqual([2]);
  });

  it('moves the weight of text to spelling when words were corrected', () => {
    const text: SignalList = { signal: 'text', scores: scores([1, 2]) };
    const corrected: SignalList = { signal: 'spelling', scores: scores([2, 2]) };
    const nothing: SignalList = { signal: 'spelling', scores: [] };
    const share = (correctionShare: number): Ranking => ({ ...DEFAULT_RANKING, weights, correctionShare });
    expect(fusedScores([text, nothing], share(1))).toEqual([[1, 0.4]]);
    expect(fusedScores([text, corrected], share(1))).toEqual([[2, 0.6]]);
    expect(fusedScores([text, corrected], share(0.25))).toEqual([
      [1, 0.3],
      [2, 0.3],
    ]);
    expect(fusedScores([text, corrected], share(0))).toEqual([
      [1, 0.4],
      [2, 0.2],
    ]);
  });
});
