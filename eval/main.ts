/** Measures the retrieval quality of the engine and its rivals: `npm run eval -- --help`. */

import { writeFileSync } from 'node:fs';
import { LociError, messageOf } from '../src/core/errors.ts';
import { answerReport } from './answers/answer-report.ts';
import { evaluateAnswers } from './answers/evaluate-answers.ts';
import { ANSWERS, loadQuestionSet } from './answers/question-set.ts';
import { comparison, readEarlier } from './compare.ts';
import { defaultConfiguration, readConfiguration, type EvalConfiguration } from './configuration.ts';
import { describe, evaluateSet, type EvaluateOptions } from './evaluate.ts';
import { type EvalSet, findMultiHopSets, findSets, loadSet } from './sets.ts';
import { isIndexed } from './index-cache.ts';
import { isSound, markReport, scoreMarks } from './marks.ts';
import { openModel, type Model } from './model.ts';
import { HELP, parseOptions, type EvalOptions } from './options.ts';
import { setup } from '../test/postgres/setup.ts';
import { asJson, type SetResult } from './results.ts';
import { setReport } from './set-report.ts';
import { summary } from './summary.ts';

const QUICK_MS = 60_000;

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) {
    process.stdout.write(HELP);
    return;
  }
  const configuration = options.config === null ? defaultConfiguration() : readConfiguration(options.config);
  const earlier = options.compare === null ? null : readEarlier(options.compare);
  const controller = new AbortController();
  process.once('SIGINT', () => controller.abort());
  const stopPostgres = options.postgres ? await setup() : undefined;
  const model = await openModel(configuration);
  try {
    if (options.answers) {
      await measureAnswers(configuration, model, options, controller.signal);
      return;
    }
    const found = options.marks === null ? findSets : findMultiHopSets;
    const sets = (options.sets.length > 0 ? options.sets : found()).map(loadSet);
    const results = await evaluateAll(sets, configuration, model, options, controller.signal);
    if (results.length > 1) print(summary(results));
    if (earlier !== null) print(['', 'changes since the earlier run:', ...comparison(results, earlier)]);
    if (options.marks !== null) {
      if (sets.length === 0) print(['no multi-hop sets: LOCI_EVAL_DATA names no folder that has them']);
      const scores = await scoreMarks(options.marks, configuration);
      print(markReport(scores));
      if (!isSound(scores)) process.exitCode = 1;
    }
    if (options.json !== null) writeJson(options.json, asJson(results, describe(configuration, model)));
  } finally {
    await model.embedder?.close();
    await stopPostgres?.();
  }
}

async function measureAnswers(
  configuration: EvalConfiguration,
  model: Model,
  { half, json }: EvalOptions,
  signal: AbortSignal,
): Promise<void> {
  const asked = await evaluateAnswers(loadQuestionSet(ANSWERS), configuration, model, { half, signal });
  print(answerReport(asked));
  if (json !== null) writeJson(json, asked);
}

function writeJson(file: string, content: unknown): void {
  writeFileSync(file, `${JSON.stringify(content, null, 1)}\n`);
}

async function evaluateAll(
  sets: readonly EvalSet[],
  configuration: EvalConfiguration,
  model: Model,
  options: EvalOptions,
  signal: AbortSignal,
): Promise<SetResult[]> {
  const { baselines, ablate, partly, rerank, adapters, postgres, packs, typos, limit, quick } = options;
  const evaluation: EvaluateOptions = {
    baselines,
    ablate,
    partly,
    rerank,
    adapters,
    postgres,
    // One report for marks: recall of the multi-hop sets, and of their packs at budget.
    packs: packs || options.marks !== null,
    typos,
    signal,
    ...(limit !== null && { limit }),
  };
  const time = new TimeEstimate();
  const results: SetResult[] = [];
  for (const [i, set] of sets.entries()) {
    const skip = quick && i > 0 ? reasonToSkip(set, model, time) : null;
    if (skip !== null) {
      print([`${set.name} is left out: ${skip}`]);
      continue;
    }
    const result = await evaluateSet(set, configuration, model, evaluation);
    time.count(result.queries.length);
    results.push(result);
    print(setReport(result));
  }
  return results;
}

/** Estimates the time of queries from those that this run has finished, all systems included. */
class TimeEstimate {
  readonly #started = performance.now();
  #queries = 0;

  count(queries: number): void {
    this.#queries += queries;
  }

  get elapsed(): number {
    return performance.now() - this.#started;
  }

  estimate(queries: number): number {
    return (this.elapsed / Math.max(1, this.#queries)) * queries;
  }
}

function reasonToSkip(set: EvalSet, model: Model, time: TimeEstimate): string | null {
  if (!isIndexed(set, model)) return 'it is not indexed, or by older code (a run without --quick indexes it)';
  const queries = set.collections.reduce((sum, collection) => sum + collection.queries.length, 0);
  return time.elapsed + time.estimate(queries) > QUICK_MS ? 'it would take more than a minute in all' : null;
}

function print(lines: readonly string[]): void {
  for (const line of lines) console.log(line);
}

try {
  await main();
} catch (error) {
  console.error(`\nerror: ${messageOf(error)}`);
  if (error instanceof LociError) console.error(error.hint);
  else console.error(error);
  process.exitCode = error instanceof LociError ? error.exitCode : 1;
}
