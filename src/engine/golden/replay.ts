import { LociError } from '../../core/errors.ts';
import { assertNotAborted, type ProgressOptions } from '../../core/progress.ts';
import type { GoldenQuery } from '../../store/item-model.ts';
import type { VectorIndexRef } from '../../search/run.ts';
import type { EngineContext } from '../context.ts';
import { providerOf, searchOutcome } from '../records/search.ts';
import { citedRecords, DEFAULT_GOLDEN_LIMIT, goldenQueries } from './golden-queries.ts';

export interface ReplayOptions extends ProgressOptions {
  /** Results of each query in which the expected records are looked for; 10 unless given. */
  readonly limit?: number;
  /** The vectors to search instead of those of all searches. */
  readonly vectors?: VectorIndexRef;
}

/** A record among the results of a query, at its place from 1. */
export interface RankedRecord {
  readonly record: string;
  readonly citation: string;
  readonly rank: number;
}

/** A golden query and what it finds. */
export interface ReplayedQuery {
  readonly id: string;
  readonly query: string;
  readonly project: string | null;
  /** The places are `null` outside of the first results. */
  readonly expected: readonly {
    readonly record: string;
    readonly citation: string;
    readonly recordedRank: number | null;
    readonly rank: number | null;
  }[];
  /** What stands where an expected record stood, and was not expected. */
  readonly unexpected: readonly RankedRecord[];
  readonly results: readonly RankedRecord[];
  /** The share of the expected records that was found. */
  readonly recall: number;
  /** One divided by the place of the first expected record; 0 if there is none. */
  readonly reciprocalRank: number;
  readonly milliseconds: number;
  /** Signals that could not answer, and why. */
  readonly missingSignals: readonly string[];
}

export interface FailedQuery extends Pick<ReplayedQuery, 'id' | 'query'> {
  readonly why: string;
}

/** What all golden queries find at one time. */
export interface GoldenRun {
  readonly at: number;
  /** Provider and model of the vectors. */
  readonly provider: string;
  readonly limit: number;
  readonly queries: readonly ReplayedQuery[];
  /** Queries that no search accepts. They are in no other figure. */
  readonly failed: readonly FailedQuery[];
  /** Means over the queries. */
  readonly recall: number;
  readonly mrr: number;
}

/**
 * Runs every golden query and compares the results with those that were recorded. One that no search accepts stops no other.
 * @throws LociError `invalid_input` without golden queries; `aborted`, and the errors of a search
 */
export async function replayGolden(context: EngineContext, options: ReplayOptions = {}): Promise<GoldenRun> {
  const { limit = DEFAULT_GOLDEN_LIMIT } = options;
  const golden = await requireGoldenQueries(context);
  const queries: ReplayedQuery[] = [];
  const failed: FailedQuery[] = [];
  let provider = 'none';
  for (const each of golden) {
    assertNotAborted(options);
    try {
      const replayed = await replayQuery(context, each, { ...options, limit });
      ({ provider } = replayed);
      queries.push(replayed.query);
    } catch (error) {
      // Any other error is not about this query.
      if (!(error instanceof LociError) || error.code !== 'invalid_input') throw error;
      failed.push({ id: each.id, query: each.query, why: error.message });
    }
    options.onProgress?.({
      stage: 'reading',
      subject: 'golden queries',
      done: queries.length + failed.length,
      total: golden.length,
    });
  }
  return {
    ...{ at: context.now(), provider, limit, queries, failed },
    recall: mean(queries.map(({ recall }) => recall)),
    mrr: mean(queries.map(({ reciprocalRank }) => reciprocalRank)),
  };
}

/** @throws LociError `invalid_input` */
export async function requireGoldenQueries(context: EngineContext): Promise<readonly GoldenQuery[]> {
  const golden = await goldenQueries(context);
  if (golden.length > 0) return golden;
  throw new LociError('invalid_input', 'there are no golden queries', {
    hint: 'Record some that matter to you: `loci golden record "kitchen remodel"` keeps what a query finds now.',
  });
}

async function replayQuery(
  context: EngineContext,
  { id, query, project, expected }: GoldenQuery,
  { limit, signal, vectors }: ReplayOptions & { readonly limit: number },
): Promise<{ readonly query: ReplayedQuery; readonly provider: string }> {
  const request = {
    ...{ query, limit, related: 0 },
    ...(project !== null && { project }),
    ...(signal !== undefined && { signal }),
  };
  const started = performance.now();
  const { hits, retrieved, run } = await searchOutcome(context, request, vectors);
  const milliseconds = performance.now() - started;
  const results = await citedRecords(
    context,
    hits.map(({ passage }) => passage.record.id),
  );
  const ranks = new Map(results.map(({ record, rank }) => [record, rank]));
  const compared = expected.map(({ record, citation, rank: recordedRank }) => ({
    ...{ record, citation, recordedRank },
    rank: ranks.get(record) ?? null,
  }));
  const found = compared.flatMap(({ rank }) => rank ?? []);
  const recordedRanks = new Set(expected.map(({ rank }) => rank));
  const isExpected = new Set(expected.map(({ record }) => record));
  return {
    provider: providerOf(run),
    query: {
      ...{ id, query, project, results, expected: compared },
      unexpected: results.filter(({ record, rank }) => recordedRanks.has(rank) && !isExpected.has(record)),
      recall: found.length / expected.length,
      reciprocalRank: found.length === 0 ? 0 : 1 / Math.min(...found),
      milliseconds,
      missingSignals: retrieved.missing.map(({ signal: name, why }) => `${name}: ${why}`),
    },
  };
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
