import { describe, expect, it } from 'vitest';
import { draft } from '../../../../test/contract/store-samples.ts';
import type { LociRecord } from '../../../core/types.ts';
import { Keys, placeOf } from './keys.ts';
import { hashOf, matched, type Match } from './match.ts';
import type { Piece } from './pieces.ts';

function point(content: string, heading = ''): Piece {
  return { heading, kind: 'point', content };
}

/** What an earlier import made of a piece. */
function heldOf(piece: Piece, id: number, given: Partial<LociRecord> = {}): LociRecord {
  const { heading, content } = piece;
  const metadata = { heading, imported: hashOf(piece) };
  return {
    ...draft({ content, recordType: 'fact', metadata }),
    namespace: '',
    id,
    deletedAt: null,
    ...given,
  };
}

function ids(matches: readonly Match[]): [string | null, number | null][] {
  return matches.map(({ piece, held }) => [piece?.content ?? null, held?.id ?? null]);
}

/** Many enough that all with all would take minutes. */
const MANY = 10_000;

describe('matched', () => {
  it('pairs what stayed, what moved and what was edited, and tells what is new and what is gone', () => {
    const [stays, moves, edited, gone] = ['tea with milk', 'the oven', 'one two three four', 'away'].map(
      (text) => point(text, 'A'),
    ) as [Piece, Piece, Piece, Piece];
    const held = [stays, moves, edited, gone].map((piece, i) => heldOf(piece, i + 1));
    const pieces = [point('new thing', 'A'), point('one two three five', 'A'), point('the oven', 'B'), stays];
    expect(ids(matched(pieces, held))).toEqual([
      ['tea with milk', 1],
      ['the oven', 2],
      ['one two three five', 3],
      ['new thing', null],
      [null, 4],
    ]);
  });

  it('gives no edited point the record that its owner deleted', () => {
    const held = heldOf(point('one two three four'), 1, { deletedAt: 5 });
    expect(ids(matched([point('one two three five')], [held]))).toEqual([['one two three five', null]]);
  });

  it('is done soon with thousands that are nearly alike', () => {
    const list = (say: string): Piece[] =>
      Array.from({ length: MANY }, (_, i) => point(`${say} ${String(i)}`));
    const held = list('this was said').map((piece, i) => heldOf(piece, i + 1));
    const started = performance.now();
    expect(matched(list('they told me'), held)).toHaveLength(2 * MANY);
    expect(matched(list('this was said'), held)).toHaveLength(MANY);
    expect(performance.now() - started).toBeLessThan(5000);
  });
});

describe('keys of the records of a file', () => {
  it('are unique, and not those that are taken, also where thousands stand in one place', () => {
    const piece: Piece = { heading: 'A', kind: 'section', content: 'x' };
    const place = placeOf('memory/x.md', piece);
    const keys = new Keys([heldOf(piece, 1, { key: place }), heldOf(piece, 2, { key: `${place}~3` })]);
    const started = performance.now();
    const made = Array.from({ length: 10 * MANY }, () => keys.unique(place));
    expect(performance.now() - started).toBeLessThan(5000);
    expect(made.slice(0, 3)).toEqual([`${place}~2`, `${place}~4`, `${place}~5`]);
    expect(new Set(made).size).toBe(10 * MANY);
  });
});
