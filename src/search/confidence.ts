import { analyze, stem } from '../core/text/analyze.ts';
import { textFields } from '../store/text-fields.ts';
import type { StoredPassage } from '../store/store.ts';
import type { Contribution } from './fuse.ts';
import type { Ranked } from './rank.ts';
import type { Retrieved, WeighedTerm } from './retrieve.ts';

/** What can be said of a hit without looking at the other hits. */
export interface Evidence {
  /** Cosine of query and passage; `null` without vectors. */
  readonly cosine: number | null;
  /** Share of the query's words, weighed by rarity, that the passage holds. 0 to 1. */
  readonly coverage: number;
}

export function evidenceOf(
  passage: StoredPassage,
  contributions: readonly Contribution[],
  terms: readonly WeighedTerm[],
  corrected: ReadonlyMap<string, ReadonlySet<string>>,
): Evidence {
  const fields = textFields(passage.record, passage);
  const held = new Set<string>();
  for (const text of Object.values(fields)) for (const token of analyze(text as string)) held.add(token.term);
  let whole = 0;
  let covered = 0;
  for (const term of terms) {
    const weight = 1 / Math.log2(2 + term.passages);
    whole += weight;
    const instead = corrected.get(term.surface);
    const present = term.terms.every((word) => held.has(word)) || (instead !== undefined && [...instead].some((word) => held.has(word)));
    if (present) covered += weight;
  }
  const cosine = contributions.find(({ signal }) => signal === 'vector')?.raw ?? null;
  return { cosine, coverage: whole === 0 ? 0 : covered / whole };
}

/**
 * How sure it is that a passage is about the query, 0 to 1: logistic in cosine and coverage, fitted on the dev sets
 * (a query against its own collection, against another's).
 */
export function confidenceOf({ cosine, coverage }: Evidence): number {
  const logit =
    cosine === null ? -3 + 6 * coverage : -5 + 8 * Math.max(0, cosine) + 4 * coverage;
  return 1 / (1 + Math.exp(-logit));
}

/** Hits that are looked at to say how sure the whole answer is. */
const WITNESSES = 5;

/**
 * The surest hit sets the level, and each hit has its part of it in proportion to its ranking score: so confidence
 * falls along the hits and is low everywhere when nothing is about the query.
 */
export function withConfidence(
  ranked: readonly Ranked[],
  { terms, corrections }: Retrieved,
): (Ranked & { confidence: number })[] {
  const corrected = new Map(corrections.map(({ word, instead }) => [word, new Set(instead.map(stem))]));
  const level = Math.max(
    0,
    ...ranked.slice(0, WITNESSES).map((hit) => confidenceOf(evidenceOf(hit.passage, hit.contributions, terms, corrected))),
  );
  const top = ranked[0]?.score ?? 0;
  return ranked.map((hit) => ({ ...hit, confidence: top > 0 ? (level * hit.score) / top : level }));
}
