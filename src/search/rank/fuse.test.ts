import { describe, expect, it } from 'vitest';
import { storedPassage } from '../../../test/contract/stored-passage.ts';
import type { Metadata } from '../../core/types.ts';
import type { Neighbourhood, PassageScore } from '../../store/search-model.ts';
import type { Signal, SignalList } from '../retrieve/signals.ts';
import { fuse, type Fused, rrf, shortTurnLoss, smooth, weighShortTurns } from './fuse.ts';
import { CLASSIC_RANKING, DEFAULT_RANKING, type Ranking } from './ranking.ts';

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

const SHARES = { most: 1, previous: 0.3, beforePrevious: 0.1, next: 0.4, sameRole: 1 };

function fused(scores: Readonly<Record<number, number>>): Map<number, Fused> {
  return new Map(
    Object.entries(scores).map(([id, score]) => [
      Number(id),
      { passage: Number(id), record: Number(id) * 10, score, contributions: [] },
    ]),
  );
}

function turn(passage: number, before: number[], after: number[]): Neighbourhood {
  return { passage, before, after };
}

function smoothed(
  rawScores: Readonly<Record<number, number>>,
  neighbourhoods: readonly Neighbourhood[],
): ReturnType<typeof smooth> {
  const scored = fused(rawScores);
  return smooth(scored, [...scored.values()], neighbourhoods, SHARES);
}

function smoothedScores(entries: ReturnType<typeof smooth>): unknown[] {
  return entries.map(({ passage, rawScore, score }) => [passage, rawScore, Number(score.toFixed(9))]);
}

describe('smooth', () => {
  it("gives each turn a share of its neighbours' scores, and adds neighbours that no signal found", () => {
    // Passage 2 gives shares to 3 and 4, which follow it, and to 1 before it.
    const entries = smoothed({ 2: 1, 3: 0.5 }, [turn(2, [1], [3, 4]), turn(3, [2], [4, 5])]);
    expect(smoothedScores(entries)).toEqual([
      [2, 1, 1],
      [3, 0.5, 0.65],
      [1, 0, 0.4],
      [4, 0, 0.25],
      [5, 0, 0.05],
    ]);
    expect(entries.find(({ passage }) => passage === 3)?.record).toBe(30);
  });

  it('does not lower a turn that is already certain', () => {
    const entries = smoothed({ 1: 1, 2: 1.1, 3: 0.9 }, [turn(1, [], [2, 3]), turn(2, [1], [3])]);
    expect(smoothedScores(entries)).toEqual([
      [2, 1.1, 1.1],
      [1, 1, 1],
      [3, 0.9, 0.943],
    ]);
  });

  it('lifts no turn above the neighbour that lifts it', () => {
    const between = [turn(1, [], [2, 3]), turn(2, [1], [3]), turn(3, [2, 1], [])];
    // With the shares of both, the turn between them would have .94.
    expect(smoothedScores(smoothed({ 1: 0.9, 2: 0.85, 3: 0.5 }, between))[1]).toEqual([2, 0.85, 0.9]);
    const scored = fused({ 1: 0.9, 2: 0.5 });
    const lifted = smooth(scored, [...scored.values()], between, { ...SHARES, most: 0.7 });
    expect(smoothedScores(lifted)[1]).toEqual([2, 0.5, 0.63]);
    const roles = (passage: number): string => (passage === 1 ? 'assistant' : 'user');
    const answered = smooth(scored, [...scored.values()], between, { ...SHARES, most: 0.7 }, roles);
    expect(smoothedScores(answered)[1]).toEqual([2, 0.5, 0.635]);
  });

  it('gives a turn less of the score of one of the same role, and all of it where no turn has a role', () => {
    const neighbourhoods = [turn(1, [], [2])];
    const scored = fused({ 1: 1, 2: 0.5 });
    const scoreOf = (roleOf: (passage: number) => string | undefined): unknown =>
      smoothedScores(
        smooth(scored, [...scored.values()], neighbourhoods, { ...SHARES, sameRole: 0.5 }, roleOf),
      )[1];
    expect(scoreOf(() => 'user')).toEqual([2, 0.5, 0.575]);
    expect(scoreOf((passage) => (passage === 1 ? 'user' : 'assistant'))).toEqual([2, 0.5, 0.65]);
    expect(scoreOf(() => undefined)).toEqual([2, 0.5, 0.65]);
  });

  it('does not change the scores of notes', () => {
    expect(smoothedScores(smoothed({ 1: 0.2, 2: 0.9 }, []))).toEqual([
      [2, 0.9, 0.9],
      [1, 0.2, 0.2],
    ]);
  });

  it('orders ties by passage', () => {
    const alone = [turn(9, [], []), turn(4, [], [])];
    expect(smoothed({ 9: 0.5, 4: 0.5 }, alone).map(({ passage }) => passage)).toEqual([4, 9]);
    expect(smoothed({}, [])).toEqual([]);
  });
});

const RANKING = {
  ...DEFAULT_RANKING,
  weights,
  shortTurns: { maxCharacters: 100, textWeight: 0.5, loss: 0.2 },
};

/** Scores of a passage that has the full weight of these signals. */
function fusedPassage(passage: number, ...signals: Signal[]): Fused {
  const contributions = signals.map((signal) => ({ signal, rank: 1, raw: 1, added: weights[signal] }));
  const score = contributions.reduce((sum, { added }) => sum + added, 0);
  return { passage, record: passage, score, contributions };
}

function scoresOf(fused: readonly Fused[], text: string, metadata: Metadata): unknown[] {
  const passages = fused.map(({ passage }) => storedPassage({ id: passage, text, record: { metadata } }));
  return weighShortTurns(fused, passages, RANKING).map(({ passage, score }) => [
    passage,
    Number(score.toFixed(6)),
  ]);
}

describe('the weights of short turns', () => {
  const fused = [fusedPassage(1, 'vector'), fusedPassage(2, 'vector', 'text'), fusedPassage(3, 'text')];

  it('lower vectors and raise words in a short turn that has a vector', () => {
    expect(scoresOf(fused, 'Yes, on Tuesday.', { session: 's' })).toEqual([
      [2, 1],
      [1, 0.5],
      [3, 0.4],
    ]);
  });

  it('leave long turns and notes as they are', () => {
    const unchanged = [
      [2, 1],
      [1, 0.6],
      [3, 0.4],
    ];
    expect(scoresOf(fused, 'word '.repeat(50), { session: 's' })).toEqual(unchanged);
    expect(scoresOf(fused, 'Yes, on Tuesday.', {})).toEqual(unchanged);
  });

  it('keep the sum of the configured weights, and move nothing when one signal has none', () => {
    const passages = [storedPassage({ id: 2, text: 'Yes.', record: { metadata: { session: 's' } } })];
    const score = (vector: number, text: number): number | undefined => {
      const moved = { ...weights, vector, text };
      const contributions = (['vector', 'text'] as const).map((signal) => ({
        ...{ signal, rank: 1, raw: 1 },
        added: moved[signal],
      }));
      const entry = { passage: 2, record: 2, score: vector + text, contributions };
      return weighShortTurns([entry], passages, { ...RANKING, weights: moved })[0]?.score;
    };
    expect(score(1.5, 0.5)).toBeCloseTo(2, 10);
    expect([score(1, 0), score(0, 1)]).toEqual([1, 1]);
  });
});

describe('the loss of short turns', () => {
  const lossOf = (characters: number, metadata: Metadata = { session: 's' }): number =>
    shortTurnLoss(storedPassage({ text: 'x'.repeat(characters), record: { metadata } }), RANKING);

  it('falls with the length of the turn, down to none', () => {
    expect([0, 50, 100, 500].map((characters) => lossOf(characters))).toEqual([0.2, 0.1, 0, 0]);
  });

  it('spares notes, and rankings without the stage', () => {
    expect(lossOf(0, {})).toBe(0);
    const passage = storedPassage({ record: { metadata: { session: 's' } } });
    expect(shortTurnLoss(passage, { shortTurns: null })).toBe(0);
  });
});
