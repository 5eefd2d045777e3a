import { z } from 'zod';
import { LociError } from '../../core/errors.ts';
import type { ProgressOptions } from '../../core/progress.ts';
import type { EngineContext } from '../context.ts';
import { requireEmbedder } from '../embedding/backfill.ts';
import { activeGeneration, generation, generationFields, generationOf } from '../embedding/generations.ts';
import { previousModelOf } from '../embedding/models.ts';
import { tookMs } from '../fields/times.ts';
import { type GoldenRun, type ReplayedQuery, replayLimit } from './golden-fields.ts';
import { replayGolden, requireGoldenQueries, type ReplayOptions } from './replay.ts';
import { searchOutcome } from '../records/search.ts';
import { countAllPending } from '../../ingest/embed.ts';
import { NOT_ALL_EMBEDDED } from '../../search/retrieve/signals.ts';
import type { VectorIndexRef } from '../../search/run.ts';
import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import type { Generation } from '../../store/search-model.ts';

export const compareInput = z.strictObject({ limit: replayLimit() });

const count = () => z.number().int().nonnegative();

const share = () => z.number().min(0).max(1);

const score = generation.extend({
  recall: share().describe('The mean share of the expected records among the first results.'),
  mrr: share().describe('The mean of one divided by the place of the first expected record.'),
  took_ms: tookMs().describe('The median time of a search, in whole milliseconds.'),
  wins: count().describe('Queries that it answers better: it finds more, or as much and earlier.'),
});

export const compareOutput = z.strictObject({
  current: score.describe('The model whose vectors searches use.'),
  candidate: score.describe('The configured model.'),
  ties: count().describe('Queries that both answer equally well.'),
  limit: z.number().int().positive().describe('Results of each query that were looked at.'),
  as_found: count().describe(
    'Golden queries that expect just the first results, more than one, of the search that recorded them. They favour the model of that search: ' +
      '`golden_record` with `expect` says what should be found, whatever the model.',
  ),
  remaining: count().describe(
    'Texts that have no vector of the candidate yet: they are found by words alone.',
  ),
  queries: z.array(
    z.strictObject({
      id: z.uuid(),
      query: z.string(),
      current_recall: share(),
      candidate_recall: share(),
      current_reciprocal_rank: share(),
      candidate_reciprocal_rank: share(),
    }),
  ),
});

export type EmbedCompareOutput = z.infer<typeof compareOutput>;

/**
 * Runs the golden queries twice: with the vectors in use, and with those of the configured model.
 * @throws LociError `invalid_input` without golden queries; `conflict` if there are no two generations; `embedding_unavailable`
 *   if one of the models cannot be reached
 */
export async function compareGenerations(
  context: EngineContext,
  { limit }: z.infer<typeof compareInput> = {},
  progress: ProgressOptions = {},
): Promise<EmbedCompareOutput> {
  const options = { ...progress, ...(limit !== undefined && { limit }) };
  const { store } = context;
  await requireGoldenQueries(context);
  const embedder = await requireEmbedder(context);
  const generations = await store.vectors.generations(ADMIN_NAMESPACE);
  const active = activeGeneration(generations);
  const target = generationOf(generations, embedder);
  if (active === undefined || target === undefined)
    throw new LociError('conflict', 'there are no vectors of the configured model yet', {
      hint: 'Run `loci embed backfill` first.',
    });
  if (target.active)
    throw new LociError('conflict', 'searches already use the vectors of the configured model', {
      hint: 'Set another model and run `loci embed backfill`, then compare.',
    });
  const previous = await previousModelOf(context, active);
  const current = await measure(context, { embedder: previous, generation: active.id }, options);
  const candidate = await measure(context, { embedder, generation: target.id }, options);
  const outcomes = current.queries.map((query, i) => compareQueries(query, candidate.queries[i]!));
  const scoreOf = (used: Generation, run: GoldenRun, won: number): EmbedCompareOutput['current'] => ({
    ...generationFields(used),
    ...{ recall: run.recall, mrr: run.mrr },
    took_ms: Math.round(median(run.queries.map(({ took_ms }) => took_ms))),
    wins: outcomes.filter((outcome) => outcome === won).length,
  });
  return {
    current: scoreOf(active, current, 1),
    candidate: scoreOf(target, candidate, -1),
    ties: outcomes.filter((outcome) => outcome === 0).length,
    limit: current.limit,
    as_found: current.queries.filter(expectsWhatWasFound).length,
    remaining: await countAllPending(store, target.id),
    queries: current.queries.map(({ id, query, recall, reciprocal_rank }, i) => ({
      ...{ id, query, current_recall: recall, current_reciprocal_rank: reciprocal_rank },
      candidate_recall: candidate.queries[i]!.recall,
      candidate_reciprocal_rank: candidate.queries[i]!.reciprocal_rank,
    })),
  };
}

/** Embedding and searching this loads the model and the vectors, so that the queries measure neither. */
const WARM_UP = 'loci';

/** Texts without a vector are found by words. The report counts them. */
const PARTLY_EMBEDDED = `${NOT_ALL_EMBEDDED.signal}: ${NOT_ALL_EMBEDDED.why}`;

async function measure(
  context: EngineContext,
  vectors: VectorIndexRef,
  options: ReplayOptions,
): Promise<GoldenRun> {
  try {
    await vectors.embedder.embed([WARM_UP], { purpose: 'passage' });
  } catch (error) {
    if (!(error instanceof LociError) || error.code !== 'embedding_unavailable') throw error;
    throw new LociError('embedding_unavailable', error.message, {
      hint: 'Both models are needed for a comparison. Without it, `loci golden replay` before and after `loci embed switch` compares too.',
      cause: error,
    });
  }
  await searchOutcome(context, { query: WARM_UP }, vectors);
  const run = await replayGolden(context, { ...options, vectors });
  const missing = run.queries.flatMap(({ missing_signals }) =>
    missing_signals.filter((each) => each.startsWith('vector') && each !== PARTLY_EMBEDDED),
  );
  if (missing.length === 0) return run;
  const { provider, model } = vectors.embedder;
  throw new LociError(
    'embedding_unavailable',
    `${provider} ${model} did not answer ${String(missing.length)} of the golden queries: ${missing[0]!}`,
    { hint: 'Run it again when both models answer. `loci embed test` tries the configured one.' },
  );
}

/**
 * Whether what is expected is the first results of a search, in their order, as `recordGolden` takes them without `expect`. A single
 * one says nothing: a person who names what should be found often names what is found first.
 */
function expectsWhatWasFound({ expected }: ReplayedQuery): boolean {
  return expected.length > 1 && expected.every(({ recorded_rank }, i) => recorded_rank === i + 1);
}

/** 1 if the first is better, -1 if the second is: by how much it finds, then by how early. */
function compareQueries(a: ReplayedQuery, b: ReplayedQuery): number {
  return Math.sign(a.recall - b.recall || a.reciprocal_rank - b.reciprocal_rank);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}
