import type { RetrievalResult } from '../retrieve/retrieve.ts';
import type { SearchRun } from '../run.ts';
import { isDatedByFile } from './boosts.ts';
import { TYPICAL_EVIDENCE, WITH_VECTORS, WORDS_ALONE } from './confidence-weights.ts';
import { isWanted, QueryCoverage } from './coverage.ts';
import { EvidenceOfHits, type Evidence, type QueryMatch } from './evidence.ts';
import type { DatedRecord, Ranked } from './rank.ts';

/** If no hit has at least this confidence, nothing surely fits the query. */
export const MIN_SURE_CONFIDENCE = 0.3;

/** A record among the results, with the passage that matches best. */
export interface Hit extends Ranked {
  /** The probability that the hit, or one of the four hits after it, is what the query asks for. 0 to 1. */
  readonly confidence: number;
  readonly confidenceParts: ConfidenceParts;
  /** The latest result above it that says the same. */
  readonly later?: DatedRecord;
}

/** How the confidence of a hit came about: `factor` / (1 + e^−x), where x is the sum of `typical` and of what the parts added. */
export interface ConfidenceParts {
  /** The log odds of a result whose evidence is typical of a first result. */
  readonly typical: number;
  /** What each kind of evidence added to the log odds. */
  readonly parts: readonly ConfidencePart[];
  readonly match: QueryMatch;
  /** The share of the query that the embedding model can judge: the weight of the cosine. 0 to 1. */
  readonly modelCoverage: number;
  /** Lowers the confidence in a note that has the dates of the query by the time of its file alone. 0 to 1. */
  readonly factor: number;
}

export interface ConfidencePart {
  /** `newer`: what a hit gained that was moved before an earlier one. */
  readonly name: keyof Evidence | (typeof RELATED_NAMES)[number] | 'newer';
  readonly value: number;
  /** In log odds; 0 for a value that is typical of a first result. */
  readonly added: number;
}

export const EVIDENCE_NAMES = [
  'match',
  'lead',
  'agreement',
  'neighbours',
  'known',
] as const satisfies (keyof Evidence)[];

/** What the confidence in a related document comes from: that it belongs to a note, and how sure the search is of the note. */
export const RELATED_NAMES = ['belongs', 'note', 'note_lead'] as const;

/** Factor for a note that matches the query's dates only by the time of its file. */
const FILE_DATE_FACTOR = 0.3;

/** Properties of a search as a whole. */
interface AnswerProperties {
  /** Whether the query asks for a list: of dates, or of documents by their time. */
  readonly isList: boolean;
  /** Lowers the confidence in all hits. 0 to 1. */
  readonly factor: number;
}

/** Judges the hits of one search: a hit is judged when it is taken, since a search shows only the first ones. */
export function confidenceRater(
  run: SearchRun,
  ranked: readonly Ranked[],
  retrieved: RetrievalResult,
  { isList, factor }: AnswerProperties = { isList: false, factor: 1 },
  coverage: QueryCoverage = new QueryCoverage(run, retrieved),
): (hit: Ranked) => Hit {
  const evidenceOfHits = new EvidenceOfHits(run, ranked, retrieved, coverage);
  return (hit) => {
    const match = evidenceOfHits.matchOf(hit);
    const isDated = hit.boosts.some(({ name }) => name === 'date');
    const evidence = evidenceOfHits.evidenceOf(hit, match);
    const isListed = isList && (isDated || isWanted(hit.passage, run.intent));
    const modelCoverage = match.cosine === null || isListed ? 0 : retrieved.modelCoverage;
    const dateFactor = isDated && isDatedByFile(hit.passage) ? FILE_DATE_FACTOR : 1;
    const confidenceParts: ConfidenceParts = {
      // The entries of a list match equally well, so none of them has a lead.
      ...partsOf(isListed ? { ...TYPICAL_EVIDENCE, match: evidence.match } : evidence, modelCoverage),
      match,
      modelCoverage,
      factor: factor * dateFactor,
    };
    return { ...hit, confidence: confidenceOf(confidenceParts), confidenceParts };
  };
}

export function confidenceOf({
  typical,
  parts,
  factor,
}: Pick<ConfidenceParts, 'typical' | 'parts' | 'factor'>): number {
  return factor / (1 + Math.exp(-parts.reduce((sum, { added }) => sum + added, typical)));
}

/** The hit with the higher confidence of the place to which it is moved. */
export function withConfidence(hit: Hit, confidence: number): Hit {
  const { factor, parts, typical } = hit.confidenceParts;
  if (confidence <= hit.confidence) return hit;
  const before = parts.reduce((sum, { added }) => sum + added, typical);
  const added = Math.log(confidence / (factor - confidence)) - before;
  const confidenceParts = {
    ...hit.confidenceParts,
    parts: [...parts, { name: 'newer' as const, value: 1, added }],
  };
  return { ...hit, confidence, confidenceParts };
}

/** @param modelCoverage the share by which the model with vectors counts; the model of words alone has the rest */
export function partsOf(
  evidence: Evidence,
  modelCoverage: number,
): Pick<ConfidenceParts, 'typical' | 'parts'> {
  const mix = (withVectors: number, wordsAlone: number): number =>
    modelCoverage * withVectors + (1 - modelCoverage) * wordsAlone;
  return {
    typical: mix(WITH_VECTORS.typical, WORDS_ALONE.typical),
    parts: EVIDENCE_NAMES.map((name) => {
      const weight = mix(WITH_VECTORS.weights[name], WORDS_ALONE.weights[name]);
      return { name, value: evidence[name], added: weight * (evidence[name] - TYPICAL_EVIDENCE[name]) };
    }),
  };
}
