import { LociError } from '../../core/errors.ts';
import { assertNotAborted, type ProgressOptions } from '../../core/progress.ts';
import type { GoldenQuery } from '../../store/item-model.ts';
import type { VectorIndexRef } from '../../search/run.ts';
import type { EngineContext } from '../context.ts';
import { providerOf, searchOutcome } from '../records/search.ts';
import type { GoldenRun, ReplayedQuery } from './golden-fields.ts';
import { isoTime, millisecondsSince } from '../fields/times.ts';
import { citedRecords, DEFAULT_GOLDEN_LIMIT, goldenQueries } from './golden-queries.ts';

export interface ReplayOptions extends ProgressOptions {
  /** Results of each query in which the expected records are looked for; 10 unless given. */
  readonly limit?: number;
  /** The vectors to search instead of those of all searches. */
  readonly vectors?: VectorIndexRef;
}

/**
 * Runs every golden query and compares the results with those that were recorded. One that no search accepts stops no other.
 * @throws LociError `invalid_input` without golden queries; `aborted`, and the errors of a search
 */
export async function replayGolden(context: EngineContext, options: ReplayOptions = {}): Promise<GoldenRun> {
  const { limit = DEFAULT_GOLDEN_LIMIT } = options;
  const golden = await requireGoldenQueries(context);
  const queries: ReplayedQuery[] = [];
  const failed: NonNullable<GoldenRun['failed']> = [];
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
    ...{ provider, limit },
    recall: mean(queries.map(({ recall }) => recall)),
    mrr: mean(queries.map(({ reciprocal_rank }) => reciprocal_rank)),
    at: isoTime(context.now()),
    missing: queries.flatMap(({ expected }) => expected).filter(({ rank }) => rank === null).length,
    ...{ queries, failed },
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
    ...{ query, limit, related: 0, operators: true },
    ...(project !== null && { project }),
    ...(signal !== undefined && { signal }),
  };
  const started = performance.now();
  const { hits, retrieved, run } = await searchOutcome(context, request, vectors);
  const took_ms = millisecondsSince(started);
  const results = await citedRecords(
    context,
    hits.map(({ passage }) => passage.record.id),
  );
  const ranks = new Map(results.map(({ record, rank }) => [record, rank]));
  const compared = expected.map(({ record, citation, rank: recorded_rank }) => ({
    ...{ record, citation, recorded_rank },
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
      reciprocal_rank: found.length === 0 ? 0 : 1 / Math.min(...found),
      took_ms,
      missing_signals: retrieved.missing.map(({ signal: name, why }) => `${name}: ${why}`),
    },
  };
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
