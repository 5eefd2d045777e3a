import { describe, expect, it } from 'vitest';
import { storedPassage } from '../../../test/contract/stored-passage.ts';
import type { Metadata } from '../../core/types.ts';
import type { Signal } from '../retrieve/signals.ts';
import type { Fused } from './fuse.ts';
import { DEFAULT_RANKING } from './ranking.ts';
import { shortTurnLoss, weighShortTurns } from './turn-weights.ts';

const WEIGHTS = { vector: 0.6, text: 0.4, spelling: 0.2, recency: 0 };
const RANKING = {
  ...DEFAULT_RANKING,
  weights: WEIGHTS,
  shortTurns: { maxCharacters: 100, textWeight: 0.5, loss: 0.2 },
};

/** Scores of a passage that has the full weight of these signals. */
function fusedPassage(passage: number, ...signals: Signal[]): Fused {
  const contributions = signals.map((signal) => ({ signal, rank: 1, raw: 1, added: WEIGHTS[signal] }));
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
      const weights = { ...WEIGHTS, vector, text };
      const contributions = (['vector', 'text'] as const).map((signal) => ({
        ...{ signal, rank: 1, raw: 1 },
        added: weights[signal],
      }));
      const entry = { passage: 2, record: 2, score: vector + text, contributions };
      return weighShortTurns([entry], passages, { ...RANKING, weights })[0]?.score;
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
