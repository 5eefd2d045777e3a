import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StoredPassage } from '../store/store.ts';
import { datesIn } from './dates.ts';
import { parseQuery } from './query.ts';
import { rank, type Ranked } from './rank.ts';
import { CLASSIC_RANKING, DEFAULT_RANKING, type Ranking } from './ranking.ts';
import type { Smoothed } from './smooth.ts';
import { storedPassage } from '../../test/contract/stored-passage.ts';

const NOW = Date.UTC(2026, 10, 22);
const DAY = 86_400_000;

interface Given {
  readonly passage: number;
  readonly record: number;
  readonly score: number;
  readonly own: number;
  /** Days before now. */
  readonly age: number;
  readonly session?: string;
  readonly role?: string;
}

const CONTEXT = { ranking: DEFAULT_RANKING, dates: [], now: NOW };

function entryOf({ passage, record, score, own }: Given): Smoothed {
  return { passage, record, score, own, contributions: [] };
}

function passageOf({ passage, record, age, session, role }: Given): StoredPassage {
  const metadata = { ...(session && { session }), ...(role && { role }) };
  return storedPassage({ id: passage, record: { id: record, createdAt: NOW - age * DAY, metadata } });
}

function ranked(given: readonly Given[], ranking: Ranking = DEFAULT_RANKING): Ranked[] {
  const pool = given.map(entryOf).sort((a, b) => b.score - a.score || a.passage - b.passage);
  const query = parseQuery('the oven of May');
  const dates = datesIn(query.text, NOW);
  return rank(query, pool, given.map(passageOf), { ranking, dates, now: NOW });
}

function records(hits: readonly Ranked[]): number[] {
  return hits.map(({ passage }) => passage.record.id);
}

const given = fc
  .array(
    fc.record({
      record: fc.integer({ min: 1, max: 12 }),
      score: fc.double({ min: 0, max: 1, noNaN: true }),
      own: fc.double({ min: 0, max: 1, noNaN: true }),
      session: fc.constantFrom('', 's1', 's2'),
      role: fc.constantFrom('', 'user', 'assistant'),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .chain((entries) =>
    // An age belongs to a record: its passages share it. Records of the future count as new.
    fc
      .array(fc.double({ min: -100, max: 5000, noNaN: true }), { minLength: 12, maxLength: 12 })
      .map((ages): Given[] =>
        entries.map((entry, i) => ({ ...entry, passage: i + 1, age: ages[entry.record - 1]! })),
      ),
  );

describe('rank', () => {
  it('never lets recency lift a record above one that matches better by more than its reach (R2)', () => {
    const { weights, recency } = DEFAULT_RANKING;
    const reach = recency.kind === 'tie-break' ? recency.reach : Number.NaN;
    const ageless = { ...DEFAULT_RANKING, weights: { ...weights, recency: 0 } };
    fc.assert(
      fc.property(given, (entries) => {
        const without = new Map(
          ranked(entries, ageless).map(({ passage, score }) => [passage.record.id, score]),
        );
        const order = records(ranked(entries));
        expect(order.toSorted()).toEqual([...without.keys()].toSorted());
        for (const [place, below] of order.entries()) {
          for (const above of order.slice(0, place)) {
            const bound = (1 + weights.recency * reach) * without.get(above)!;
            expect(without.get(below)!).toBeLessThanOrEqual(bound * (1 + 1e-12));
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it('lets the newer of two equals win, and says what recency added', () => {
    const hits = ranked([
      { passage: 1, record: 1, score: 0.5, own: 0.5, age: 90 },
      { passage: 2, record: 2, score: 0.5, own: 0.5, age: 0 },
    ]);
    expect(records(hits)).toEqual([2, 1]);
    expect(hits.map(({ contributions }) => contributions)).toEqual([
      [{ signal: 'recency', rank: 1, raw: NOW, added: expect.closeTo(0.5 * 0.15 * 0.15, 12) }],
      [{ signal: 'recency', rank: 2, raw: NOW - 90 * DAY, added: expect.closeTo(0.25 * 0.15 * 0.15, 12) }],
    ]);
  });

  it('reckons recency as one more list of ranks in the classic ranking', () => {
    const hits = ranked(
      [
        { passage: 1, record: 1, score: 0.5, own: 0.5, age: 9 },
        { passage: 2, record: 2, score: 0.5, own: 0.5, age: 1 },
        { passage: 3, record: 3, score: 0.5, own: 0.5, age: 1 },
      ],
      CLASSIC_RANKING,
    );
    expect(records(hits)).toEqual([2, 3, 1]);
    const shares = hits.map(({ score }) => Number(((score - 0.5) / 0.15).toFixed(9)));
    expect(shares).toEqual([1, 1, Number((61 / 62).toFixed(9))]);
  });

  it('gives one hit a record, which stands by its best score and shows the passage that matches best itself', () => {
    const hits = ranked([
      { passage: 1, record: 7, score: 0.9, own: 0.1, age: 1 },
      { passage: 2, record: 7, score: 0.4, own: 0.4, age: 1 },
      { passage: 3, record: 8, score: 0.6, own: 0.6, age: 1 },
    ]);
    expect(hits.map(({ passage }) => [passage.record.id, passage.id])).toEqual([
      [7, 2],
      [8, 3],
    ]);
    expect(hits[0]!.score).toBeGreaterThan(0.9);
  });

  it('holds for every pool: each record once, best first, shown by its best passage, in any order of input', () => {
    fc.assert(
      fc.property(given, fc.integer(), (entries, seed) => {
        const hits = ranked(entries);
        const scores = hits.map(({ score }) => score);
        expect(scores).toEqual(scores.toSorted((a, b) => b - a));
        expect(records(hits).toSorted()).toEqual(
          [...new Set(entries.map(({ record }) => record))].toSorted(),
        );
        for (const { passage } of hits) {
          const siblings = entries.filter(({ record }) => record === passage.record.id);
          const shown = siblings.find((entry) => entry.passage === passage.id);
          expect(shown?.own).toBe(Math.max(...siblings.map(({ own }) => own)));
        }
        const mixed = entries.toSorted(
          (a, b) => ((a.passage * 7919 + seed) % 101) - ((b.passage * 7919 + seed) % 101),
        );
        expect(ranked(mixed)).toEqual(hits);
      }),
    );
  });

  it('leaves out what the filter hid, and answers nothing for nothing', () => {
    const entries = [
      { passage: 1, record: 1, score: 0.9, own: 0.9, age: 1 },
      { passage: 2, record: 2, score: 0.5, own: 0.5, age: 1 },
    ];
    const shown = entries.slice(1).map(passageOf);
    const hits = rank(parseQuery('oven'), entries.map(entryOf), shown, CONTEXT);
    expect(records(hits)).toEqual([2]);
    expect(rank(parseQuery('oven'), [], [], CONTEXT)).toEqual([]);
  });

  it('prefers the turns of the session that matches best as a whole', () => {
    const hits = ranked([
      { passage: 1, record: 1, score: 0.5, own: 0.5, age: 1, session: 'one' },
      { passage: 2, record: 2, score: 0.49, own: 0.49, age: 1, session: 'two' },
      { passage: 3, record: 3, score: 0.4, own: 0.4, age: 1, session: 'two' },
    ]);
    expect(hits.map(({ passage, boosts }) => [passage.record.id, boosts])).toEqual([
      [2, [{ name: 'session', added: 0.1 }]],
      [1, [{ name: 'session', added: 0.05 }]],
      [3, [{ name: 'session', added: 0.1 }]],
    ]);
  });
});
