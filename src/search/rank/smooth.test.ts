import { describe, expect, it } from 'vitest';
import type { Neighbourhood } from '../../store/search-model.ts';
import type { Fused } from './fuse.ts';
import { smooth } from './smooth.ts';

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

function scores(entries: ReturnType<typeof smooth>): unknown[] {
  return entries.map(({ passage, rawScore, score }) => [passage, rawScore, Number(score.toFixed(9))]);
}

describe('smooth', () => {
  it("gives each turn a share of its neighbours' scores, and adds neighbours that no signal found", () => {
    // Passage 2 gives shares to 3 and 4, which follow it, and to 1 before it.
    const entries = smoothed({ 2: 1, 3: 0.5 }, [turn(2, [1], [3, 4]), turn(3, [2], [4, 5])]);
    expect(scores(entries)).toEqual([
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
    expect(scores(entries)).toEqual([
      [2, 1.1, 1.1],
      [1, 1, 1],
      [3, 0.9, 0.943],
    ]);
  });

  it('lifts no turn above the neighbour that lifts it', () => {
    const between = [turn(1, [], [2, 3]), turn(2, [1], [3]), turn(3, [2, 1], [])];
    // With the shares of both, the turn between them would have .94.
    expect(scores(smoothed({ 1: 0.9, 2: 0.85, 3: 0.5 }, between))[1]).toEqual([2, 0.85, 0.9]);
    const scored = fused({ 1: 0.9, 2: 0.5 });
    const lifted = smooth(scored, [...scored.values()], between, { ...SHARES, most: 0.7 });
    expect(scores(lifted)[1]).toEqual([2, 0.5, 0.63]);
    const roles = (passage: number): string => (passage === 1 ? 'assistant' : 'user');
    const answered = smooth(scored, [...scored.values()], between, { ...SHARES, most: 0.7 }, roles);
    expect(scores(answered)[1]).toEqual([2, 0.5, 0.635]);
  });

  it('gives a turn less of the score of one of the same role, and all of it where no turn has a role', () => {
    const neighbourhoods = [turn(1, [], [2])];
    const scored = fused({ 1: 1, 2: 0.5 });
    const scoreOf = (roleOf: (passage: number) => string | undefined): unknown =>
      scores(smooth(scored, [...scored.values()], neighbourhoods, { ...SHARES, sameRole: 0.5 }, roleOf))[1];
    expect(scoreOf(() => 'user')).toEqual([2, 0.5, 0.575]);
    expect(scoreOf((passage) => (passage === 1 ? 'user' : 'assistant'))).toEqual([2, 0.5, 0.65]);
    expect(scoreOf(() => undefined)).toEqual([2, 0.5, 0.65]);
  });

  it('does not change the scores of notes', () => {
    expect(scores(smoothed({ 1: 0.2, 2: 0.9 }, []))).toEqual([
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
