import { rerank } from '../src/config/embedding-schema.ts';
import { openReranker } from '../src/embed/rerank/registry.ts';
import { JINA_RERANK, startReranker } from '../test/embedding/rerank-server.ts';
import { CLASSIC_RANKING } from '../src/search/rank/ranking.ts';
import { openFts5, openFts5OfSessions } from './baselines/fts5.ts';
import { openGrep } from './baselines/grep.ts';
import type { AdapterId } from '../src/adapters/create-adapter.ts';
import { adapterSystem } from './adapter-system.ts';
import { ambientOf, type Ambient } from './ambient.ts';
import { pairedDifference } from './bootstrap.ts';
import { calibrationOf, type Calibration, type Judged } from './calibration.ts';
import type { EvalConfiguration } from './configuration.ts';
import { engineSystem, vectorsAlone, ABLATIONS } from './engine-system.ts';
import { openIndexed, type IndexedSet } from './index-cache.ts';
import { mainMetric, type Metric } from './metrics.ts';
import type { Model } from './model.ts';
import { recallAtBudget } from './packs.ts';
import { postgresSystem } from './postgres-system.ts';
import { EMBEDDED_SHARES, EMBEDDING_ORDERS, partlyEmbedded } from './partly-embedded.ts';
import type {
  Abstention,
  PartlyEmbeddedResult,
  RerankedResult,
  Rival,
  RunConfiguration,
  SetResult,
  TypoResult,
} from './results.ts';
import {
  byCategory,
  latencyOf,
  meanMetrics,
  runSystem,
  valuesOf,
  type QueryScore,
  type Run,
  type RunOptions,
} from './run.ts';
import { withoutSources, type EvalSet } from './sets.ts';
import type { System } from './system.ts';
import { rocArea } from './roc.ts';
import { mistype } from './typos.ts';
import { unsureOf } from './unsure.ts';

export interface EvaluateOptions {
  readonly baselines: boolean;
  readonly ablate: boolean;
  readonly partly: boolean;
  readonly rerank?: boolean;
  /** Retrieval adapters that are rivals too. */
  readonly adapters?: readonly AdapterId[];
  /** Whether a copy of the set in PostgreSQL is a rival too. */
  readonly postgres?: boolean;
  readonly packs?: boolean;
  readonly typos: boolean;
  readonly limit?: number;
  readonly signal?: AbortSignal;
  /** The folder of indexed sets; the repository's cache unless given. */
  readonly folder?: string;
}

/** Indexes a set unless it is indexed, and runs all queries with the engine and its rivals. */
export async function evaluateSet(
  set: EvalSet,
  configuration: EvalConfiguration,
  model: Model,
  options: EvaluateOptions,
): Promise<SetResult> {
  const indexed = await openIndexed(set, model, options);
  try {
    return await measure(set, indexed, configuration, model, options);
  } finally {
    await indexed.close();
  }
}

async function measure(
  set: EvalSet,
  indexed: IndexedSet,
  configuration: EvalConfiguration,
  model: Model,
  options: EvaluateOptions,
): Promise<SetResult> {
  const metric = mainMetric(set.name);
  const engine = (name: string, ranking = configuration.ranking, minScore = configuration.minScore): System =>
    engineSystem(set, indexed, model.embedder, { ...configuration, name, ranking, minScore });
  const { limit, signal } = options;
  const packOptions = {
    ...configuration,
    ...(limit !== undefined && { limit }),
    ...(signal !== undefined && { signal }),
  };
  const tested = engine('default');
  const run = await runSystem(set, tested, options);
  const baselines = await openBaselines(set, indexed, configuration, model, engine, options);
  try {
    const baselineRuns = await sequentially(baselines, (system) => runSystem(set, system, options));
    const ablated = options.ablate
      ? Object.entries(ABLATIONS).map(([name, turnOff]) => engine(name, turnOff(configuration.ranking)))
      : [];
    const ablationRuns = await sequentially(ablated, (system) => runSystem(set, system, options));
    const reranked =
      options.rerank === true
        ? await measureReranked(set, run, indexed, configuration, model, options)
        : null;
    const partly = options.partly
      ? await measurePartlyEmbedded(set, indexed, configuration, model, metric, options)
      : [];
    const typos = options.typos
      ? await measureTypos(set, [tested, ...baselines], [run, ...baselineRuns], metric, options)
      : {};
    return {
      set: set.name,
      hash: set.hash,
      documents: set.collections.reduce((sum, { docs }) => sum + docs.length, 0),
      measure: metric,
      metrics: meanMetrics(run.queries),
      categories: byCategory(run.queries),
      abstention: abstentionOf(set, run),
      calibration: await measureCalibration(set, tested, run, options),
      ambient: await measureAmbient(set, run, configuration, model, options),
      latency: latencyOf(run),
      config: describe(configuration, model),
      baselines: compareWith(run, baselineRuns, metric),
      ablation: compareWith(run, ablationRuns, metric),
      reranked,
      partly,
      packs: options.packs === true ? await recallAtBudget(set, indexed, model, packOptions) : null,
      typos,
      queries: run.queries,
      absent: run.absent,
    };
  } finally {
    await sequentially(baselines, (system) => system.close());
  }
}

/** Compares the scores of all queries with those of the same queries whose relevant documents are hidden. */
async function measureCalibration(
  set: EvalSet,
  system: System,
  { queries }: Run,
  options: EvaluateOptions,
): Promise<Calibration> {
  const answerable = { ...system, name: `${system.name}, relevant documents hidden` };
  const hidden = await runSystem(withoutAbsent(set), answerable, { ...options, hideRelevant: true });
  return calibrationOf(
    queries.map(judgedOf),
    hidden.queries.map(({ confidence }) => confidence ?? 0),
  );
}

export function judgedOf({ confidence, scores }: QueryScore): Judged {
  return { score: confidence ?? 0, isRight: scores.MRR >= 1 / RIGHT_WITHIN };
}

/** A query is answered if a relevant document is among this many results. */
const RIGHT_WITHIN = 5;

/** The set without the queries that have no relevant documents. */
function withoutAbsent(set: EvalSet): EvalSet {
  const collections = set.collections.map((collection) => ({
    ...collection,
    queries: collection.queries.filter(({ gold }) => gold.length > 0),
  }));
  return { ...set, collections };
}

/** Runs the queries with a reranker as the last stage, which judges by word overlap over HTTP. */
async function measureReranked(
  set: EvalSet,
  plain: Run,
  indexed: IndexedSet,
  configuration: EvalConfiguration,
  { embedder }: Model,
  options: EvaluateOptions,
): Promise<RerankedResult> {
  await using server = await startReranker(JINA_RERANK);
  const settings = rerank.parse({ provider: 'server', url: `${server.origin}/v1`, deadline: '5s' });
  const reranker = await openReranker(settings);
  try {
    const name = 'reranked by word overlap';
    const system = engineSystem(set, indexed, embedder, { ...configuration, name, reranker });
    const run = await runSystem(set, system, options);
    const metric = mainMetric(set.name);
    return {
      metrics: meanMetrics(run.queries),
      difference: pairedDifference(valuesOf(run.queries, metric), valuesOf(plain.queries, metric)),
      latency: latencyOf(run),
    };
  } finally {
    await reranker?.close();
  }
}

/** Compares the default in partly embedded stores with words alone. */
async function measurePartlyEmbedded(
  set: EvalSet,
  indexed: IndexedSet,
  configuration: EvalConfiguration,
  { embedder }: Model,
  metric: Metric,
  options: EvaluateOptions,
): Promise<PartlyEmbeddedResult[]> {
  if (embedder === null) return [];
  const engineOptions = { ...configuration, isPartlyEmbedded: true };
  // Without a weight, no vector is compared; the model still tells which words are spelt well.
  const weights = { ...configuration.ranking.weights, vector: 0 };
  const words = engineSystem(set, indexed, embedder, {
    ...engineOptions,
    name: 'words alone',
    ranking: { ...configuration.ranking, weights },
  });
  const { queries: ofWords } = await runSystem(set, words, options);
  return sequentially(
    EMBEDDING_ORDERS.flatMap((order) => EMBEDDED_SHARES.map((share) => ({ order, share }))),
    async ({ order, share }) => {
      const partly = { ...indexed, store: partlyEmbedded(indexed.store, share, order) };
      const name = `${String(share * 100)}% embedded`;
      const { queries } = await runSystem(
        set,
        engineSystem(set, partly, embedder, { ...engineOptions, name }),
        options,
      );
      return {
        order,
        share,
        metrics: meanMetrics(queries),
        difference: pairedDifference(valuesOf(queries, metric), valuesOf(ofWords, metric)),
      };
    },
  );
}

/** Compares the run with one over the set without its sources; `null` for a set without sources. */
async function measureAmbient(
  set: EvalSet,
  together: Run,
  configuration: EvalConfiguration,
  model: Model,
  options: EvaluateOptions,
): Promise<Ambient | null> {
  const alone = withoutSources(set);
  if (alone === null) return null;
  const indexed = await openIndexed(alone, model, options);
  try {
    const engine = engineSystem(alone, indexed, model.embedder, { ...configuration, name: 'default' });
    return ambientOf(set, together, await runSystem(alone, engine, options));
  } finally {
    await indexed.close();
  }
}

type MakeEngine = (name: string, ranking?: EvalConfiguration['ranking'], minScore?: number) => System;

/** Baselines have no threshold, which could only lower their scores. */
async function openBaselines(
  set: EvalSet,
  indexed: IndexedSet,
  configuration: EvalConfiguration,
  model: Model,
  engine: MakeEngine,
  options: EvaluateOptions,
): Promise<System[]> {
  const { ranking } = configuration;
  const postgres =
    options.postgres === true ? [await postgresSystem(set, indexed, configuration, model, options)] : [];
  const adapters = await sequentially(options.adapters ?? [], (id) =>
    adapterSystem(set, id, configuration, options.signal),
  );
  if (!options.baselines) return [...adapters, ...postgres];
  const withVectors = model.embedder === null ? [] : [engine('vectors', vectorsAlone(ranking), 0)];
  const ofSessions = openFts5OfSessions(set);
  return [
    ...[
      openFts5(set),
      ...(ofSessions === null ? [] : [ofSessions]),
      openGrep(set),
      ...withVectors,
      engine('classic', CLASSIC_RANKING, 0),
    ],
    ...[...adapters, ...postgres],
  ];
}

function compareWith(run: Run, rivals: readonly Run[], metric: Metric): Record<string, Rival> {
  const values = valuesOf(run.queries, metric);
  return Object.fromEntries(
    rivals.map(({ system, queries }) => [
      system,
      {
        metrics: meanMetrics(queries),
        categories: byCategory(queries),
        difference: pairedDifference(values, valuesOf(queries, metric)),
      },
    ]),
  );
}

async function measureTypos(
  set: EvalSet,
  systems: readonly System[],
  clean: readonly Run[],
  metric: Metric,
  options: RunOptions,
): Promise<Record<string, TypoResult>> {
  const reword: RunOptions['reword'] = ({ q, id }) => mistype(q, id);
  const results: Record<string, TypoResult> = {};
  for (const [i, system] of systems.entries()) {
    const { queries } = await runSystem(
      set,
      { ...system, name: `${system.name}, typos` },
      { ...options, reword },
    );
    const lost = pairedDifference(valuesOf(clean[i]!.queries, metric), valuesOf(queries, metric));
    results[system.name] = { metrics: meanMetrics(queries), lost };
  }
  return results;
}

/** Counts the queries without results; the system itself applies the threshold. */
function abstentionOf(set: EvalSet, run: Run): Abstention | null {
  const { queries, absent, unanswered } = run;
  if (absent.length === 0) return null;
  return {
    absent: absent.length,
    abstained: absent.filter(({ results }) => results === 0).length / absent.length,
    falselyAbstained: queries.length === 0 ? 0 : unanswered / queries.length,
    separation: rocArea(
      queries.map(({ confidence }) => confidence ?? 0),
      absent.map(({ confidence }) => confidence ?? 0),
    ),
    unsure: unsureOf(set, run),
  };
}

export function describe(
  { provider, passageTokens, minScore, sources, ranking }: EvalConfiguration,
  { embedder, chunking }: Model,
): RunConfiguration {
  const model = embedder?.model ?? null;
  return { provider, model, passageTokens, chunking: chunking.signature, minScore, sources, ranking };
}

async function sequentially<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}
