import type { StoredPassage } from '../../store/search-model.ts';
import type { RetrievalResult } from '../retrieve/retrieve.ts';
import type { SearchRun } from '../run.ts';
import { isDatedByFile, sessionOf } from './boosts.ts';
import type { Evidence } from './ranking.ts';
import { TYPICAL_EVIDENCE, WITH_VECTORS, WORDS_ALONE } from './confidence-weights.ts';
import { isWanted, type QueryCoverage } from './coverage.ts';
import { cosineOf } from './fuse.ts';
import type { DatedRecord, Ranked } from './rank.ts';

/** How well a passage matches a query, independent of other passages. */
interface QueryMatch {
  /** Cosine of query and passage; `null` without vectors. */
  readonly cosine: number | null;
  /** The IDF-weighted share of the query's terms that the passage has. 0 to 1. */
  readonly coverage: number;
}

/** The cosine of a passage whose meaning matches in full. */
const FULL_COSINE = 0.75;
/** The other hits that a hit is compared with. */
const OTHERS = 20;
/** The score of a typical one of these, as a share of the best: it stands for each that a small store lacks. */
const TYPICAL_SHARE = 0.59;
const MAX_AGREEMENT = 1.5;

interface EvidenceOfHits {
  readonly matchOf: (hit: Ranked) => QueryMatch;
  readonly evidenceOf: (hit: Ranked, match: QueryMatch) => Evidence;
}

/** Computes the evidence of the hits of one search. */
export function evidenceOfHits(
  { ranking: { weights, shortTurns } }: SearchRun,
  ranked: readonly Ranked[],
  { vector, modelCoverage }: RetrievalResult,
  coverage: QueryCoverage,
): EvidenceOfHits {
  const { known } = coverage;
  /** Of a passage that is the best of every signal, without boosts. */
  const reachableScore = weights.text + (vector === null ? 0 : weights.vector * modelCoverage) || 1;
  /** As the hits rank, one more than a hit has others. */
  const bestScores = ranked.slice(0, OTHERS + 1).map(({ score }) => score);
  const best = bestScores[0] ?? 0;
  const leadOf = ({ score }: Ranked): number => {
    if (best <= 0) return 0;
    const own = bestScores.indexOf(score);
    const others = bestScores.filter((_, i) => i !== own).slice(0, OTHERS);
    const missing = (OTHERS - others.length) * TYPICAL_SHARE * best;
    const mean = (others.reduce((sum, other) => sum + other, 0) + missing) / OTHERS;
    return Math.max(-1, Math.min(1, (score - mean) / best));
  };
  /** 0 to 1: less for a query that the model knows in part, and for a short turn of a session, whose embedding says little. */
  const meaningWeight = (passage: StoredPassage): number =>
    shortTurns === null || sessionOf(passage) === null
      ? modelCoverage
      : modelCoverage * Math.sqrt(Math.min(1, passage.text.length / shortTurns.maxCharacters));
  return {
    matchOf: ({ passage, contributions, links, bridge }) => {
      const ofOthers = new Set([...(links?.best.matchedTerms ?? []), ...(bridge?.matchedTerms ?? [])]);
      return { cosine: cosineOf(contributions), coverage: coverage.of(passage, ofOthers) };
    },
    evidenceOf: (hit, { cosine, coverage: share }) => {
      const explained = [...hit.contributions, ...hit.boosts].reduce((sum, { added }) => sum + added, 0);
      const words = coverage.full(share);
      const meaning = clamp((cosine ?? 0) / FULL_COSINE, 1) * meaningWeight(hit.passage);
      const match = 1 - (1 - words) * (1 - meaning);
      return {
        match,
        lead: match * leadOf(hit),
        agreement: clamp(matchScore(hit) / reachableScore, MAX_AGREEMENT),
        neighbours: clamp((hit.score - explained) / reachableScore, 1),
        known,
      };
    },
  };
}

/** The score without the weight of the source, which says nothing about the match. */
function matchScore({ score, boosts }: Ranked): number {
  return boosts.reduce((sum, { added, factor }) => (factor === undefined ? sum : sum - added), score);
}

function clamp(value: number, max: number): number {
  return Math.min(max, Math.max(0, value));
}

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
interface ConfidenceParts {
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
  { isList, factor }: AnswerProperties,
  coverage: QueryCoverage,
): (hit: Ranked) => Hit {
  const { matchOf, evidenceOf } = evidenceOfHits(run, ranked, retrieved, coverage);
  return (hit) => {
    const match = matchOf(hit);
    const isDated = hit.boosts.some(({ name }) => name === 'date');
    const evidence = evidenceOf(hit, match);
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
