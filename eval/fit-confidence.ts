/** Fits the weights of the confidence on the dev sets: `npm run fit-confidence -- --help`. */

import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { LociError, messageOf } from '../src/core/errors.ts';
import { EVIDENCE_NAMES } from '../src/search/rank/confidence.ts';
import type { Evidence } from '../src/search/rank/ranking.ts';
import type { ConfidenceModel } from '../src/search/rank/confidence-weights.ts';
import { calibrationOf, type Calibration } from './calibration.ts';
import { defaultConfiguration, type EvalConfiguration } from './configuration.ts';
import { engineSystem } from './engine-system.ts';
import { judgedOf } from './evaluate.ts';
import { openIndexed } from './index-cache.ts';
import { fitLogisticRegression, type Observation } from './logistic-regression.ts';
import { mean } from './metrics.ts';
import { openModel, type Model } from './model.ts';
import { runSystem } from './run.ts';
import { findSets, loadSet, REPOSITORY_SETS, type EvalSet } from './sets.ts';
import { tableLines } from './table.ts';

const HELP = `Fits the weights of the confidence to the sets in $LOCI_EVAL_DATA and writes src/search/rank/confidence-weights.ts.

  npm run fit-confidence [-- --dry-run]

Each set is also judged by weights that were fitted to the other sets. With --dry-run, nothing is written.
`;

const WEIGHTS_FILE = fileURLToPath(new URL('../src/search/rank/confidence-weights.ts', import.meta.url));

/** How much the first results of each kind of query count in all, for each family of sets. */
const KINDS = {
  /** Queries with an answer in the set. */
  answerable: 1,
  /** The same queries while their relevant documents are hidden. */
  hidden: 0.05,
  /** Queries of other sets. */
  foreign: 0.1,
};
type Kind = keyof typeof KINDS;

/** Queries of each collection at most, evenly spread: more hardly change the weights. */
const MAX_QUERIES = 150;
/** Queries that each set asks of every other one. */
const FOREIGN_QUERIES = 30;

/** The evidence that words alone give. Their score is their rank over again, so `agreement` says nothing more. */
const OF_WORDS: readonly (keyof Evidence)[] = ['match', 'lead', 'neighbours', 'known'];

/** The first result of one query. */
interface Sample {
  readonly kind: Kind;
  readonly evidence: Evidence;
  readonly isRight: boolean;
}

interface SetSamples {
  readonly set: string;
  readonly samples: readonly Sample[];
}

async function main(args: readonly string[]): Promise<void> {
  if (args.includes('--help')) {
    process.stdout.write(HELP);
    return;
  }
  const sets = findSets()
    .filter((file) => !REPOSITORY_SETS.includes(file))
    .map(loadSet);
  if (new Set(sets.map(({ name }) => familyOf(name))).size < 2)
    throw new LociError('invalid_input', 'at least two sets are needed: one is judged by the others', {
      hint: 'Set LOCI_EVAL_DATA to a folder with more sets.',
    });
  const configuration = defaultConfiguration();
  const model = await openModel(configuration);
  try {
    const { weights } = configuration.ranking;
    const ranking = { ...configuration.ranking, weights: { ...weights, vector: 0 } };
    const withVectors = await samplesOf(sets, configuration, model);
    const wordsAlone = await samplesOf(sets, { ...configuration, ranking }, model);
    // The model hardly knows the language of these: their queries are judged by words alone.
    const known = withVectors.filter(({ set }) => !isUnknownLanguage(set));
    report('with vectors', known, EVIDENCE_NAMES);
    report('words alone', wordsAlone, OF_WORDS);
    const typical = typicalEvidence(known);
    const file = weightsFile(
      typical,
      fitted(known, typical, EVIDENCE_NAMES),
      fitted(wordsAlone, typical, OF_WORDS),
    );
    if (args.includes('--dry-run')) console.log(file);
    else writeFileSync(WEIGHTS_FILE, file);
  } finally {
    await model.embedder?.close();
  }
}

function isUnknownLanguage(set: string): boolean {
  return set.endsWith('_zh');
}

async function samplesOf(
  sets: readonly EvalSet[],
  configuration: EvalConfiguration,
  model: Model,
): Promise<SetSamples[]> {
  const all: SetSamples[] = [];
  for (const set of sets) {
    const indexed = await openIndexed(set, model);
    try {
      const options = { ...configuration, name: 'evidence', minScore: 0 };
      const system = engineSystem(set, indexed, model.embedder, options);
      const limit = MAX_QUERIES;
      const answerable = await runSystem(set, system, { limit });
      const hidden = await runSystem(set, system, { limit, hideRelevant: true });
      const foreign = await runSystem(withForeignQueries(set, sets), system);
      const samples = [
        ...answerable.queries.map((query) => sampleOf('answerable', query.evidence, judgedOf(query).isRight)),
        ...hidden.queries.map(({ evidence }) => sampleOf('hidden', evidence, false)),
        ...foreign.absent.map(({ evidence }) => sampleOf('foreign', evidence, false)),
      ];
      all.push({ set: set.name, samples: samples.flatMap((sample) => sample ?? []) });
    } finally {
      await indexed.close();
    }
  }
  return all;
}

/** `null` without a result. */
function sampleOf(kind: Kind, evidence: Evidence | null, isRight: boolean): Sample | null {
  return evidence === null ? null : { kind, evidence, isRight };
}

/** The set with queries of other sets, spread over its collections. */
function withForeignQueries(set: EvalSet, sets: readonly EvalSet[]): EvalSet {
  const queries = sets.flatMap((other) => {
    if (familyOf(other.name) === familyOf(set.name)) return [];
    const all = other.collections.flatMap((collection) => collection.queries);
    return Array.from({ length: FOREIGN_QUERIES }, (_, i) => {
      const { id, q, cat } = all[Math.floor((i * all.length) / FOREIGN_QUERIES)]!;
      return { id: `${other.name}/${id}`, q, cat, gold: [] };
    });
  });
  const count = set.collections.length;
  return {
    ...set,
    collections: set.collections.map((collection, i) => ({
      ...collection,
      queries: queries.filter((_, query) => query % count === i),
    })),
  };
}

/** Sets of one family have the same documents, in several languages. */
function familyOf(set: string): string {
  return set.replace(/_(?:de|en|es|zh)$/, '');
}

function typicalEvidence(all: readonly SetSamples[]): Evidence {
  const entries = EVIDENCE_NAMES.map((name) => {
    const means = all.map(({ samples }) =>
      mean(samples.filter(({ kind }) => kind === 'answerable').map(({ evidence }) => evidence[name])),
    );
    return [name, round(mean(means))];
  });
  return Object.fromEntries(entries) as Evidence;
}

/**
 * Every family of sets counts the same, whatever its number of sets and queries. Evidence that is not among `names`, or that would
 * lower the confidence, gets the weight 0.
 */
function fitted(
  all: readonly SetSamples[],
  typical: Evidence,
  names: readonly (keyof Evidence)[],
): ConfidenceModel {
  const families = Map.groupBy(all, ({ set }) => familyOf(set));
  const observations = all.flatMap(({ set, samples }): Observation[] => {
    const counts = Map.groupBy(samples, ({ kind }) => kind);
    const sets = families.get(familyOf(set))!.length;
    return samples.map(({ kind, evidence, isRight }) => ({
      features: names.map((name) => evidence[name] - typical[name]),
      outcome: isRight,
      weight: KINDS[kind] / counts.get(kind)!.length / sets,
    }));
  });
  const { intercept, coefficients } = fitLogisticRegression(observations);
  const raising = names.filter((_, i) => coefficients[i]! >= 0);
  if (raising.length < names.length) return fitted(all, typical, raising);
  const weights = EVIDENCE_NAMES.map((name) => [name, round(coefficients[names.indexOf(name)] ?? 0)]);
  return {
    typical: round(intercept),
    weights: Object.fromEntries(weights) as ConfidenceModel['weights'],
  };
}

function probability({ typical, weights }: ConfidenceModel, evidence: Evidence, centre: Evidence): number {
  const logOdds = EVIDENCE_NAMES.reduce(
    (sum, name) => sum + weights[name] * (evidence[name] - centre[name]),
    typical,
  );
  return 1 / (1 + Math.exp(-logOdds));
}

/** Judges each set by weights that were fitted without it and without its translation. */
function report(title: string, all: readonly SetSamples[], names: readonly (keyof Evidence)[]): void {
  const rows = all.map(({ set, samples }) => {
    const others = all.filter((other) => familyOf(other.set) !== familyOf(set));
    const centre = typicalEvidence(others);
    const model = fitted(others, centre, names);
    const scoresOf = (kind: Kind): { score: number; isRight: boolean }[] =>
      samples
        .filter((sample) => sample.kind === kind)
        .map(({ evidence, isRight }) => ({ score: probability(model, evidence, centre), isRight }));
    const calibration = calibrationOf(
      scoresOf('answerable'),
      scoresOf('hidden').map(({ score }) => score),
    );
    return { set, calibration, foreign: mean(scoresOf('foreign').map(({ score }) => score)) };
  });
  const cells = ({ auroc, error, hiddenAuroc }: Calibration): string[] =>
    [auroc ?? Number.NaN, error, hiddenAuroc].map((value) => value.toFixed(3));
  const lines = tableLines([
    [`${title}, without the set judged`, 'AUROC', 'error', 'hidden', 'foreign'],
    ...rows.map(({ set, calibration, foreign }) => [set, ...cells(calibration), foreign.toFixed(3)]),
  ]);
  for (const line of lines) console.log(line);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function weightsFile(typical: Evidence, withVectors: ConfidenceModel, wordsAlone: ConfidenceModel): string {
  // Prettier leaves an object with a line break after its brace as it is, however long its lines are.
  const object = (values: Readonly<Record<string, number>>, indent: string): string =>
    `{\n${Object.entries(values)
      .map(([name, value]) => `${indent}  ${name}: ${String(value)},\n`)
      .join('')}${indent}}`;
  const model = ({ typical: logOdds, weights }: ConfidenceModel): string =>
    `{\n  typical: ${String(logOdds)},\n  weights: ${object(weights, '  ')},\n};`;
  return `// Written by \`npm run fit-confidence\`.

import type { Evidence } from './ranking.ts';

/** A logistic regression: the log odds are \`typical\` + the sum of \`weights\` × (evidence − typical evidence). */
export interface ConfidenceModel {
  /** The log odds of a result whose evidence is typical of a first result. */
  readonly typical: number;
  readonly weights: Readonly<Record<keyof Evidence, number>>;
}

/** The mean evidence of the first results on the dev sets. */
export const TYPICAL_EVIDENCE: Evidence = ${object(typical as unknown as Record<string, number>, '')};

/** For passages with a vector. */
export const WITH_VECTORS: ConfidenceModel = ${model(withVectors)}

/** For passages without a vector, and for queries in a language that the embedding model does not know. */
export const WORDS_ALONE: ConfidenceModel = ${model(wordsAlone)}
`;
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(`error: ${messageOf(error)}`);
  process.exitCode = 1;
}
