import type { StoredPassage } from '../../store/search-model.ts';
import { matchedTerms } from '../query/phrases.ts';
import type { RetrievalResult } from '../retrieve/retrieve.ts';
import type { Replacements, WeightedTerm } from '../retrieve/text.ts';
import type { SearchRun } from '../run.ts';
import { sessionOf } from './boosts.ts';
import { coverageOf, QueryCoverage, wantedTerms } from './coverage.ts';
import { cosineOf, type SignalShare } from './fuse.ts';
import type { Ranked } from './rank.ts';

/** How well a passage matches a query, independent of other passages. */
export interface QueryMatch {
  /** Cosine of query and passage; `null` without vectors. */
  readonly cosine: number | null;
  /** The IDF-weighted share of the query's terms that the passage has. 0 to 1. */
  readonly coverage: number;
}

/** The evidence that a hit answers the query. */
export interface Evidence {
  /**
   * How well the passage matches, by words or by meaning: 1 − (1 − w)(1 − m), where w is its share of the query's words and m
   * its cosine as a share of `FULL_COSINE`. 0 to 1.
   */
  readonly match: number;
  /** `match` × the difference of the hit's score and the mean of the best others, as a share of the best score. −1 to 1. */
  readonly lead: number;
  /** The hit's score as a share of the score of a passage that is the best of every signal. 0 to 1.5; above 1 by boosts. */
  readonly agreement: number;
  /** The part of `agreement` that comes from neighbouring turns, or from another passage of the record. 0 to 1. */
  readonly neighbours: number;
  /** The IDF-weighted share of the query's terms that any passage has: the same for all hits. 0 to 1. */
  readonly known: number;
}

export function matchOf(
  passage: StoredPassage,
  contributions: readonly SignalShare[],
  terms: readonly WeightedTerm[],
  replacements: Replacements,
): QueryMatch {
  const matched = matchedTerms(passage, wantedTerms(terms, replacements));
  const coverage = coverageOf(terms, replacements, (term) => matched.has(term));
  return { cosine: cosineOf(contributions), coverage };
}

/** The cosine of a passage whose meaning matches in full. */
const FULL_COSINE = 0.75;
/** The other hits that a hit is compared with. */
const OTHERS = 20;
/** The score of a typical one of these, as a share of the best: it stands for each that a small store lacks. */
const TYPICAL_SHARE = 0.59;
const MAX_AGREEMENT = 1.5;

/** Computes the evidence of the hits of one search. */
export class EvidenceOfHits {
  readonly #run: SearchRun;
  readonly #retrieved: RetrievalResult;
  readonly #coverage: QueryCoverage;
  readonly #known: number;
  /** The scores of the best hits as they rank, one more than a hit has others. */
  readonly #bestScores: readonly number[];

  constructor(
    run: SearchRun,
    ranked: readonly Ranked[],
    retrieved: RetrievalResult,
    coverage: QueryCoverage = new QueryCoverage(run, retrieved),
  ) {
    this.#run = run;
    this.#retrieved = retrieved;
    this.#coverage = coverage;
    this.#known = coverage.known;
    this.#bestScores = ranked.slice(0, OTHERS + 1).map(({ score }) => score);
  }

  matchOf({ passage, contributions, links, bridge }: Ranked): QueryMatch {
    const ofOthers = new Set([...(links?.best.matchedTerms ?? []), ...(bridge?.matchedTerms ?? [])]);
    return { cosine: cosineOf(contributions), coverage: this.#coverage.of(passage, ofOthers) };
  }

  evidenceOf(hit: Ranked, { cosine, coverage }: QueryMatch): Evidence {
    const reachable = this.#reachableScore();
    const explained = [...hit.contributions, ...hit.boosts].reduce((sum, { added }) => sum + added, 0);
    const words = this.#coverage.full(coverage);
    const meaning = clamp((cosine ?? 0) / FULL_COSINE, 1) * this.#meaningWeight(hit.passage);
    const match = 1 - (1 - words) * (1 - meaning);
    return {
      match,
      lead: match * this.#lead(hit),
      agreement: clamp(matchScore(hit) / reachable, MAX_AGREEMENT),
      neighbours: clamp((hit.score - explained) / reachable, 1),
      known: this.#known,
    };
  }

  /** The score of a passage that is the best of every signal, without boosts. */
  #reachableScore(): number {
    const { weights } = this.#run.ranking;
    const { vector, modelCoverage } = this.#retrieved;
    return weights.text + (vector === null ? 0 : weights.vector * modelCoverage) || 1;
  }

  #lead(hit: Ranked): number {
    const best = this.#bestScores[0] ?? 0;
    if (best <= 0) return 0;
    const own = this.#bestScores.indexOf(hit.score);
    const others = this.#bestScores.filter((_, i) => i !== own).slice(0, OTHERS);
    const missing = (OTHERS - others.length) * TYPICAL_SHARE * best;
    const mean = (others.reduce((sum, other) => sum + other, 0) + missing) / OTHERS;
    return Math.max(-1, Math.min(1, (hit.score - mean) / best));
  }

  /** 0 to 1: less for a query that the model knows in part, and for a short turn of a session, whose embedding says little. */
  #meaningWeight(passage: StoredPassage): number {
    const { shortTurns } = this.#run.ranking;
    const { modelCoverage } = this.#retrieved;
    if (shortTurns === null || sessionOf(passage) === null) return modelCoverage;
    return modelCoverage * Math.sqrt(Math.min(1, passage.text.length / shortTurns.maxCharacters));
  }
}

/** The score without the weight of the source, which says nothing about the match. */
function matchScore({ score, boosts }: Ranked): number {
  return boosts.reduce((sum, { added, factor }) => (factor === undefined ? sum : sum - added), score);
}

function clamp(value: number, max: number): number {
  return Math.min(max, Math.max(0, value));
}
