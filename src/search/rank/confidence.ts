import { stem } from '../../core/text/analyze.ts';
import type { StoredPassage } from '../../store/store.ts';
import { isDatedByFile } from './boosts.ts';
import { dateTerms, type DateRange } from '../query/dates.ts';
import type { Contribution } from './fuse.ts';
import type { QueryIntent } from '../query/intent.ts';
import { matchedTerms } from '../query/phrases.ts';
import type { Ranked } from './rank.ts';
import { idfWeight, type RetrievalResult, type WeightedTerm } from '../retrieve/retrieve.ts';

/** What can be said of a hit without looking at the other hits. */
export interface Evidence {
  /** Cosine of query and passage; `null` without vectors. */
  readonly cosine: number | null;
  /** Share of the query's terms, weighed by rarity, that the passage holds. 0 to 1. */
  readonly coverage: number;
}

/** What kind of query it is, as far as evidence must be read differently. */
interface QueryKind {
  /** How well the model knows its language, 0 to 1. */
  readonly modelCoverage: number;
  /** Share of its terms that are bigrams: half of them span two words, and no passage need hold those. */
  readonly bigrams: number;
}

/** Corrected words and what they were corrected to, as index terms. */
type Corrected = ReadonlyMap<string, ReadonlySet<string>>;

export function evidenceOf(
  passage: StoredPassage,
  contributions: readonly Contribution[],
  terms: readonly WeightedTerm[],
  corrected: Corrected,
  /** Terms that it holds by what it is: the days, or the kind, that the query names. */
  named: ReadonlySet<string> = new Set(),
): Evidence {
  const asked = new Set(terms.flatMap(({ terms: words }) => words));
  for (const instead of corrected.values()) for (const word of instead) asked.add(word);
  const held = matchedTerms(passage, asked);
  let whole = 0;
  let covered = 0;
  for (const term of terms) {
    const weight = idfWeight(term.passages);
    whole += weight;
    const instead = corrected.get(term.surface) ?? [];
    if (
      term.terms.every((word) => held.has(word) || named.has(word)) ||
      [...instead].some((word) => held.has(word))
    )
      covered += weight;
  }
  const cosine = contributions.find(({ signal }) => signal === 'vector')?.raw ?? null;
  return { cosine, coverage: whole === 0 ? 0 : covered / whole };
}

/**
 * How sure it is that a passage is about the query, 0 to 1. Logistic regressions, fitted on queries of the dev sets
 * asked of their own collection and of others': with vectors, on words alone, on bigrams alone.
 */
export function confidenceOf({ cosine, coverage }: Evidence, { modelCoverage, bigrams }: QueryKind): number {
  const byWords = (1 - bigrams) * (-3.8 + 7.7 * coverage) + bigrams * (-2.2 + 9 * coverage);
  const fitted = cosine === null ? byWords : -7 + 13 * Math.max(0, cosine) + 4.8 * coverage;
  // A passage that holds every word of the query is not wrong because the model sees no likeness: rare words and names.
  const byBoth = coverage === 1 ? Math.max(fitted, (fitted + byWords) / 2) : fitted;
  return 1 / (1 + Math.exp(-(modelCoverage * byBoth + (1 - modelCoverage) * byWords)));
}

/** How a hit's confidence came about: `level` × `share`. */
export interface AnswerConfidence {
  /** How sure the answer as a whole is: as sure as the surest of its first hits. 0 to 1. */
  readonly confidence: number;
  /** Which hit that is, from 1, and what speaks for it. */
  readonly bestEvidence: number;
  readonly evidence: Evidence;
  /** How far the model can judge the query, by its language and codes: so much its cosine counts. 0 to 1. */
  readonly modelCoverage: number;
  /** The hit's ranking score as a share of the best's. */
  readonly share: number;
}

/** What the time of a file is worth as the day of its note. */
const FILE_TIME_FACTOR = 0.5;

/** What the query names. */
interface QueryConstraints {
  readonly dates?: readonly DateRange[];
  readonly kind?: QueryIntent | null;
  /** A factor for what speaks against all of the hits. */
  readonly doubt?: number;
}

/** Hits that are looked at to say how sure the whole answer is: those that match best, whatever their source weighs. */
const EVIDENCE_TOP_K = 5;

/**
 * The surest of the first hits sets the level, and each hit has its part of it in proportion to its ranking score:
 * so confidence falls along the hits and is low everywhere when nothing is about the query.
 */
export function withConfidence(
  ranked: readonly Ranked[],
  { terms, corrections, modelCoverage }: RetrievalResult,
  { dates = [], kind = null, doubt = 1 }: QueryConstraints = {},
): (Ranked & { confidence: number; answerConfidence: AnswerConfidence })[] {
  const corrected = new Map(
    corrections.map(({ word, replacements }) => [word, new Set(replacements.map(stem))]),
  );
  const termsOfDates = dateTerms(dates);
  const bigrams = terms.filter(({ kind }) => kind === 'bigram').length / Math.max(1, terms.length);
  const candidates = bestMatches(ranked).map((hit) => {
    // What is of a day that the query names holds the words that name it.
    const named = new Set<string>();
    const isDated = hit.boosts.some(({ name }) => name === 'date');
    const ofFile = isDated && isDatedByFile(hit.passage) ? FILE_TIME_FACTOR : 1;
    if (isDated) for (const term of termsOfDates) named.add(term);
    const isAsked = hit.boosts.some(({ name }) => name === 'kind') && !isDone(hit);
    if (isAsked) for (const term of kind?.intentTerms ?? []) named.add(term);
    const evidence = evidenceOf(hit.passage, hit.contributions, terms, corrected, named);
    const confidence = doubt * ofFile * confidenceOf(evidence, { modelCoverage, bigrams });
    return { confidence, bestEvidence: ranked.indexOf(hit) + 1, evidence, modelCoverage };
  });
  const [first] = candidates;
  if (first === undefined) return [];
  const best = candidates.reduce((a, b) => (b.confidence > a.confidence ? b : a), first);
  const top = ranked[0]?.score ?? 0;
  return ranked.map((hit) => {
    const share = top > 0 ? hit.score / top : 1;
    return { ...hit, confidence: best.confidence * share, answerConfidence: { ...best, share } };
  });
}

/** A todo that a weight puts below five notes says all the same that something here is about the query. */
function bestMatches(ranked: readonly Ranked[]): readonly Ranked[] {
  const matched = new Map(ranked.map((hit) => [hit, hit.score - sourcePenalty(hit)]));
  return ranked.toSorted((a, b) => (matched.get(b) ?? 0) - (matched.get(a) ?? 0)).slice(0, EVIDENCE_TOP_K);
}

function isDone({ passage }: Ranked): boolean {
  return passage.record.metadata['completed'] === true;
}

function sourcePenalty({ boosts }: Ranked): number {
  return boosts.reduce((sum, { added, factor }) => (factor === undefined ? sum : sum + added), 0);
}
