import { stem } from '../../core/text/analyze.ts';
import type { StoredPassage } from '../../store/search-model.ts';
import { dateTerms } from '../query/dates.ts';
import { matchedTerms } from '../query/phrases.ts';
import type { RetrievalResult } from '../retrieve/retrieve.ts';
import { idfWeight, type WeightedTerm } from '../retrieve/text.ts';
import type { SearchRun } from '../run.ts';
import { isCompleted, isDatedByFile } from './boosts.ts';
import type { Contribution } from './fuse.ts';
import type { Ranked } from './rank.ts';

/** A record among the results, with the passage that matches best. */
export interface Hit extends Ranked {
  /** Probability that the record is about the query, 0 to 1; falls along the hits. */
  readonly confidence: number;
  readonly answerConfidence: AnswerConfidence;
}

/** How the confidence of a hit is computed: `confidence` × `share`. */
export interface AnswerConfidence {
  /** Confidence in the answer as a whole: the highest of the hits that match best. 0 to 1. */
  readonly confidence: number;
  /** The rank of that hit, from 1. */
  readonly bestEvidence: number;
  readonly evidence: Evidence;
  /** The share of the query that the embedding model can judge: the weight of the cosine. 0 to 1. */
  readonly modelCoverage: number;
  /** The hit's ranking score as a share of the best hit's. */
  readonly share: number;
}

/** The evidence that one hit is about the query, independent of the other hits. */
interface Evidence {
  /** Cosine of query and passage; `null` without vectors. */
  readonly cosine: number | null;
  /** The IDF-weighted share of the query's terms that the passage has. 0 to 1. */
  readonly coverage: number;
}

/** Properties of the query that affect how the evidence is weighed. */
interface QueryProperties {
  /** How well the model knows the query's language, 0 to 1. */
  readonly modelCoverage: number;
  /** Share of the terms that are bigrams: half of these span two words, so that a relevant passage need not have them. */
  readonly bigrams: number;
}

/** The index terms of the replacements of each corrected word. */
type Replacements = ReadonlyMap<string, ReadonlySet<string>>;

const NO_TERMS: ReadonlySet<string> = new Set();

/** @param impliedTerms terms that the record has by its date, its document type or a link to it, whatever its text says */
export function evidenceOf(
  passage: StoredPassage,
  contributions: readonly Contribution[],
  terms: readonly WeightedTerm[],
  replacements: Replacements,
  impliedTerms: ReadonlySet<string> = NO_TERMS,
): Evidence {
  const wanted = new Set(terms.flatMap(({ terms: words }) => words));
  for (const words of replacements.values()) for (const word of words) wanted.add(word);
  const matched = matchedTerms(passage, wanted);
  let total = 0;
  let covered = 0;
  for (const term of terms) {
    const weight = idfWeight(term.passages);
    total += weight;
    const isCovered =
      term.terms.every((word) => matched.has(word) || impliedTerms.has(word)) ||
      [...(replacements.get(term.surface) ?? [])].some((word) => matched.has(word));
    if (isCovered) covered += weight;
  }
  const cosine = contributions.find(({ signal }) => signal === 'vector')?.raw ?? null;
  return { cosine, coverage: total === 0 ? 0 : covered / total };
}

/**
 * The probability that a passage is about the query, 0 to 1. Logistic regressions, fitted on queries of the dev sets
 * put to their own collection and to others: with vectors, with words alone, and with bigrams alone.
 */
export function confidenceOf(
  { cosine, coverage }: Evidence,
  { modelCoverage, bigrams }: QueryProperties,
): number {
  const byWords = (1 - bigrams) * (-3.8 + 7.7 * coverage) + bigrams * (-2.2 + 9 * coverage);
  const fitted = cosine === null ? byWords : -7 + 13 * Math.max(0, cosine) + 4.8 * coverage;
  // A passage that contains all rare words and names of the query is relevant, even if its cosine is low.
  const byBoth = coverage === 1 ? Math.max(fitted, (fitted + byWords) / 2) : fitted;
  return 1 / (1 + Math.exp(-(modelCoverage * byBoth + (1 - modelCoverage) * byWords)));
}

/** Factor for a note that matches the query's dates only by the time of its file. */
const FILE_DATE_FACTOR = 0.5;
/** The hits that determine the confidence in the answer: those that match best without the weights of their sources. */
const EVIDENCE_TOP_K = 5;

/**
 * The best evidence among the first hits gives the confidence in the answer, and each hit has a part of it in
 * proportion to its ranking score: so confidence falls along the hits, and is low everywhere when no hit is about the
 * query.
 * @param factor lowers the confidence in the answer as a whole
 */
export function withConfidence(
  { dates, intent }: SearchRun,
  ranked: readonly Ranked[],
  { terms, corrections, modelCoverage }: RetrievalResult,
  factor = 1,
): Hit[] {
  const replacements = new Map(
    corrections.map(({ word, replacements: words }) => [word, new Set(words.map(stem))]),
  );
  const termsOfDates = dateTerms(dates);
  const bigrams = terms.filter(({ kind }) => kind === 'bigram').length / Math.max(1, terms.length);
  const candidates = bestMatches(ranked).map((hit) => {
    const impliedTerms = new Set<string>();
    const isDated = hit.boosts.some(({ name }) => name === 'date');
    const dateFactor = isDated && isDatedByFile(hit.passage) ? FILE_DATE_FACTOR : 1;
    if (isDated) for (const term of termsOfDates) impliedTerms.add(term);
    const isIntended = hit.boosts.some(({ name }) => name === 'kind') && !isCompleted(hit.passage.record);
    for (const term of hit.links?.best.matchedTerms ?? []) impliedTerms.add(term);
    if (isIntended) for (const term of intent?.intentTerms ?? []) impliedTerms.add(term);
    const evidence = evidenceOf(hit.passage, hit.contributions, terms, replacements, impliedTerms);
    const confidence = factor * dateFactor * confidenceOf(evidence, { modelCoverage, bigrams });
    return { confidence, bestEvidence: ranked.indexOf(hit) + 1, evidence, modelCoverage };
  });
  const [first] = candidates;
  if (first === undefined) return [];
  const best = candidates.reduce((a, b) => (b.confidence > a.confidence ? b : a), first);
  const topScore = ranked[0]?.score ?? 0;
  return ranked.map((hit) => {
    const share = topScore > 0 ? hit.score / topScore : 1;
    return { ...hit, confidence: best.confidence * share, answerConfidence: { ...best, share } };
  });
}

/** Removes the source weights from the scores: a todo that ranks below five notes only because of its source's weight is still evidence. */
function bestMatches(ranked: readonly Ranked[]): readonly Ranked[] {
  const matchScores = new Map(ranked.map((hit) => [hit, hit.score - sourcePenalty(hit)]));
  return ranked
    .toSorted((a, b) => (matchScores.get(b) ?? 0) - (matchScores.get(a) ?? 0))
    .slice(0, EVIDENCE_TOP_K);
}

function sourcePenalty({ boosts }: Ranked): number {
  return boosts.reduce((sum, { added, factor }) => (factor === undefined ? sum : sum + added), 0);
}
