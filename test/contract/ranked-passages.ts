import fc from 'fast-check';
import { ORIGINS, type Origin } from '../../src/core/types.ts';
import { rank, type Ranked } from '../../src/search/rank/rank.ts';
import {
  DEFAULT_RANKING,
  NO_POLICIES,
  type Ranking,
  type SourcePolicies,
} from '../../src/search/rank/ranking.ts';
import type { Smoothed } from '../../src/search/rank/fuse.ts';
import type { StoredPassage } from '../../src/store/search-model.ts';
import { searchRun } from './search-run.ts';
import { storedPassage } from './stored-passage.ts';

export const NOW: number = Date.UTC(2026, 10, 22);
const DAY_MS = 86_400_000;

/** A passage before ranking. */
export interface PassageSample {
  readonly passage: number;
  readonly record: number;
  readonly score: number;
  /** The score before smoothing. */
  readonly rawScore: number;
  /** Days before now; negative for the future. */
  readonly ageDays: number;
  readonly origin?: Origin;
  readonly source?: string;
  readonly completed?: boolean;
  readonly session?: string;
  readonly role?: string;
}

export function entryOf({ passage, record, score, rawScore }: PassageSample): Smoothed {
  return { passage, record, score, rawScore, contributions: [] };
}

export function passageOf({
  passage,
  record,
  ageDays,
  session,
  role,
  completed,
  ...from
}: PassageSample): StoredPassage {
  const metadata = {
    ...(session && { session }),
    ...(role && { role }),
    ...(completed !== undefined && { completed }),
  };
  const { origin = 'vault', source = 'notes' } = from;
  const createdAt = NOW - ageDays * DAY_MS;
  return storedPassage({ id: passage, record: { id: record, createdAt, metadata, origin, source } });
}

/** Ranks the samples for a query with a few words and a month. */
export function rankSamples(
  samples: readonly PassageSample[],
  ranking: Ranking = DEFAULT_RANKING,
  policies: SourcePolicies = NO_POLICIES,
): Ranked[] {
  const pool = samples.map(entryOf).sort((a, b) => b.score - a.score || a.passage - b.passage);
  const run = searchRun('the oven of May', { filter: { now: NOW }, ranking, policies });
  return rank(run, pool, samples.map(passageOf));
}

export function recordIds(hits: readonly Ranked[]): number[] {
  return hits.map(({ passage }) => passage.record.id);
}

/** Passages of at most twelve records with any origin and creation time. */
export const passageSamples: fc.Arbitrary<PassageSample[]> = fc
  .array(
    fc.record({
      record: fc.integer({ min: 1, max: 12 }),
      score: fc.double({ min: 0, max: 1, noNaN: true }),
      rawScore: fc.double({ min: 0, max: 1, noNaN: true }),
      session: fc.constantFrom('', 's1', 's2'),
      role: fc.constantFrom('', 'user', 'assistant'),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .chain((entries) =>
    // All passages of a record have its age and origin.
    fc
      .array(
        fc.record({
          ageDays: fc.double({ min: -5000, max: 5000, noNaN: true }),
          origin: fc.constantFrom(...ORIGINS),
          source: fc.constantFrom('notes', 'tasks', 'mail'),
          completed: fc.boolean(),
        }),
        { minLength: 12, maxLength: 12 },
      )
      .map((fieldsOfRecords): PassageSample[] =>
        entries.map((entry, i) => ({ ...entry, passage: i + 1, ...fieldsOfRecords[entry.record - 1]! })),
      ),
  );

/** Policies for any of the sources of `passageSamples`. */
export const policySamples: fc.Arbitrary<SourcePolicies> = fc
  .array(
    fc.tuple(
      fc.constantFrom('notes', 'tasks', 'mail'),
      fc.record({
        weight: fc.double({ min: 0, max: 2, noNaN: true }),
        minScore: fc.constant(0),
        allWordsSuffice: fc.boolean(),
        recency: fc.option(
          fc.record({
            weight: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
            halfLifeDays: fc.double({ min: 1e-6, max: 400, noNaN: true }),
          }),
        ),
      }),
    ),
  )
  .map((entries): SourcePolicies => new Map(entries));
