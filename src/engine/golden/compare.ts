import { LociError } from '../../core/errors.ts';
import type { ProgressOptions } from '../../core/progress.ts';
import { countAllPending } from '../../ingest/embed.ts';
import { NOT_ALL_EMBEDDED } from '../../search/retrieve/signals.ts';
import type { VectorIndexRef } from '../../search/run.ts';
import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import type { Generation } from '../../store/search-model.ts';
import type { EngineContext } from '../context.ts';
import { previousModelOf } from '../embedding/models.ts';
import { replayGolden, requireGoldenQueries, type GoldenRun, type ReplayedQuery } from './replay.ts';
import { searchOutcome } from '../records/search.ts';
import { requireEmbedder } from '../embedding/backfill.ts';
import { activeGeneration, generationOf } from '../embedding/generations.ts';

/** How the vectors of one model do on the golden queries. */
export interface GenerationScore {
  readonly generation: Generation;
  readonly recall: number;
  readonly mrr: number;
  /** The median time of a search. */
  readonly latencyMs: number;
  /** Queries that it answers better than the other. */
  readonly wins: number;
  readonly run: GoldenRun;
}

export interface Comparison {
  readonly current: GenerationScore;
  readonly candidate: GenerationScore;
  readonly ties: number;
  /** Results of each query that were looked at. */
  readonly limit: number;
  /** Golden queries that expect just the first results, more than one, of the search that recorded them, which favour its model. */
  readonly asFound: number;
  /** Texts without a vector of the candidate: they are found by words alone. */
  readonly remaining: number;
}

export interface CompareOptions extends ProgressOptions {
  /** Results in which the expected records are looked for; 10 unless given. */
  readonly limit?: number;
}

/**
 * Runs the golden queries with the vectors that searches use and with those of the configured model.
 * @throws LociError `invalid_input` without golden queries; `conflict` if there are no two generations;
 *   `embedding_unavailable` if one of the models cannot be reached
 */
export async function compareGenerations(
  context: EngineContext,
  options: CompareOptions = {},
): Promise<Comparison> {
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
  const scoreOf = (generation: Generation, run: GoldenRun, won: number): GenerationScore => ({
    ...{ generation, run, recall: run.recall, mrr: run.mrr },
    latencyMs: median(run.queries.map(({ milliseconds }) => milliseconds)),
    wins: outcomes.filter((outcome) => outcome === won).length,
  });
  return {
    current: scoreOf(active, current, 1),
    candidate: scoreOf(target, candidate, -1),
    ties: outcomes.filter((outcome) => outcome === 0).length,
    limit: current.limit,
    asFound: current.queries.filter(expectsWhatWasFound).length,
    remaining: await countAllPending(store, target.id),
  };
}

/** Embedding and searching this loads the model and the vectors, so that the queries measure neither. */
const WARM_UP = 'loci';

/** What has no vector is found by words. The report says how much that is. */
const PARTLY_EMBEDDED = `${NOT_ALL_EMBEDDED.signal}: ${NOT_ALL_EMBEDDED.why}`;

async function measure(
  context: EngineContext,
  vectors: VectorIndexRef,
  options: CompareOptions,
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
  const missing = run.queries.flatMap(({ missingSignals }) =>
    missingSignals.filter((each) => each.startsWith('vector') && each !== PARTLY_EMBEDDED),
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
  return expected.length > 1 && expected.every(({ recordedRank }, i) => recordedRank === i + 1);
}

/** 1 if the first is better, -1 if the second is: by how much it finds, then by how early. */
function compareQueries(a: ReplayedQuery, b: ReplayedQuery): number {
  return Math.sign(a.recall - b.recall || a.reciprocalRank - b.reciprocalRank);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}
