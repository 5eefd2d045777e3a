import { fold } from '../../core/text/analyze.ts';
import type { Neighbourhood, StoredPassage } from '../../store/search-model.ts';
import { dateTerms } from '../query/dates.ts';
import { namesFile } from '../query/wordings.ts';
import { matchesIntent, type QueryIntent } from '../query/intent.ts';
import { matchedTerms } from '../query/phrases.ts';
import type { RetrievalResult } from '../retrieve/retrieve.ts';
import { idfWeight, wantedTerms, type WeightedTerm } from '../retrieve/text.ts';
import type { SearchRun } from '../run.ts';
import { dateOf, isCompleted, sessionOf } from './boosts.ts';
import { inOrder, type SignalShare, type Fused, withContributions } from './fuse.ts';
import type { Ranking } from './ranking.ts';

const NO_TERMS: ReadonlySet<string> = new Set();

/**
 * The terms of a query, and how much of it a passage has. Each passage is analysed once, however many stages of the search ask.
 */
export class QueryCoverage {
  readonly #run: Pick<SearchRun, 'dates' | 'intent'>;
  readonly #terms: readonly WeightedTerm[];
  readonly #wanted: ReadonlySet<string>;
  readonly #termsOfDates: ReadonlySet<string>;
  readonly #fullShare: number;
  /** Terms that may be the beginnings of words. The last character of a Chinese word is a term of its own, the others are not. */
  readonly #beginnings: readonly { readonly terms: readonly string[]; readonly words: readonly string[] }[];
  readonly #paths: readonly WeightedTerm[];
  readonly #had = new Map<StoredPassage, ReadonlySet<string>>();

  constructor(run: Pick<SearchRun, 'dates' | 'intent'>, { terms }: Pick<RetrievalResult, 'terms'>) {
    this.#run = run;
    this.#terms = terms;
    this.#wanted = wantedTerms(terms);
    this.#termsOfDates = dateTerms(run.dates);
    this.#beginnings = terms.flatMap(({ terms: words, prefix, alternatives = [] }) =>
      [{ terms: words, prefix }, ...alternatives]
        .filter((wording) => wording.prefix)
        .map((wording) => ({ terms: words, words: wording.terms })),
    );
    this.#paths = terms.filter(({ path }) => path !== undefined);
    const bigrams = terms.filter(({ kind }) => kind === 'bigram').length / Math.max(1, terms.length);
    this.#fullShare = 1 - bigrams / 2;
  }

  /** The terms that the passage has in its text, or by its date or document type. */
  termsOf(passage: StoredPassage): ReadonlySet<string> {
    let had = this.#had.get(passage);
    if (had === undefined) {
      had = new Set([...matchedTerms(passage, this.#wanted), ...this.#impliedTerms(passage)]);
      this.#had.set(passage, had);
    }
    return had;
  }

  /** @param others terms that count as if the passage had them */
  of(passage: StoredPassage, others: ReadonlySet<string> = NO_TERMS): number {
    const had = this.termsOf(passage);
    return this.#shareWith((term) => had.has(term) || others.has(term));
  }

  /**
   * The IDF-weighted share of the terms that any passage has. The vocabulary has no bigrams, which therefore count as known, and
   * so do the words of dates and document types.
   */
  get known(): number {
    const { dates, intent } = this.#run;
    const implied = dateTerms(dates);
    const isKnown = ({ terms, kind, passages, alternatives }: WeightedTerm): boolean =>
      passages > 0 ||
      kind === 'bigram' ||
      alternatives?.some(({ prefix }) => prefix) === true ||
      terms.every((term) => implied.has(term) || intent?.intentTerms.has(term) === true);
    const known = new Set(this.#terms.filter(isKnown).flatMap(({ terms }) => terms));
    for (const { replacements } of this.#terms) for (const word of replacements) known.add(word);
    return this.#shareWith((term) => known.has(term));
  }

  /** The IDF-weighted share of the terms, 0 to 1. A doubtful replacement of a term counts in part. */
  #shareWith(has: (term: string) => boolean): number {
    let total = 0;
    let covered = 0;
    for (const { terms, alternatives, replacements, isDoubtful, passages } of this.#terms) {
      const weight = idfWeight(passages);
      total += weight;
      if (terms.every(has) || alternatives?.some(({ terms: words }) => words.every(has)) === true)
        covered += weight;
      else if (replacements.some(has)) covered += isDoubtful ? weight * DOUBTFUL_SHARE : weight;
    }
    return total === 0 ? 0 : covered / total;
  }

  /** A passage with half of the bigrams of a query has all of it: the other half span two words. */
  full(coverage: number): number {
    return Math.min(1, coverage / this.#fullShare);
  }

  *#impliedTerms(passage: StoredPassage): Generator<string, void> {
    const { dates, intent } = this.#run;
    if (dates.length > 0 && dateOf(passage, dates) !== undefined) yield* this.#termsOfDates;
    if (intent !== null && isWanted(passage, intent)) yield* intent.intentTerms;
    for (const { terms, words } of this.#beginnings) if (includesAll(passage, words)) yield* terms;
    for (const { terms, path = '' } of this.#paths) if (namesFile(path, passage.record)) yield* terms;
  }
}

function includesAll({ record, text }: StoredPassage, words: readonly string[]): boolean {
  const folded = fold(`${record.title} ${text}`);
  return words.every((word) => folded.includes(word));
}

/** The share by which a word counts that replaces a word which may be spelt correctly. */
const DOUBTFUL_SHARE = 0.5;

/** Whether a document has the type and the state that the query asks for: open, unless it asks for completed ones. */
export function isWanted(passage: StoredPassage, intent: QueryIntent | null): boolean {
  if (intent === null || !matchesIntent(passage, intent)) return false;
  return isCompleted(passage.record) === (intent.state === 'done');
}

/**
 * Lowers what text and spelling added to the score of a passage by the share of the query that it lacks. A turn of a session
 * answers the turn before it, so it has the words of both.
 */
export function weighByCoverage(
  fused: readonly Fused[],
  passages: readonly StoredPassage[],
  neighbourhoods: readonly Neighbourhood[],
  coverage: QueryCoverage,
  { coverageFloor }: Pick<Ranking, 'coverageFloor'>,
): Fused[] {
  if (coverageFloor === null) return [...fused];
  const byId = new Map(passages.map((passage) => [passage.id, passage]));
  const previous = new Map(neighbourhoods.map(({ passage, before: [id] }) => [passage, byId.get(id ?? -1)]));
  const factorOf = (passage: StoredPassage): number => {
    const isTurn = sessionOf(passage) !== null;
    const before = isTurn ? previous.get(passage.id) : undefined;
    const share = coverage.full(coverage.of(passage, before && coverage.termsOf(before)));
    const floor = isTurn ? coverageFloor.turns : coverageFloor.notes;
    return floor + (1 - floor) * share;
  };
  return inOrder(
    fused.map((entry) => {
      const passage = byId.get(entry.passage);
      if (passage === undefined || !entry.contributions.some(isOfWords)) return entry;
      const factor = factorOf(passage);
      const lowered = (each: SignalShare): SignalShare =>
        isOfWords(each) ? { ...each, added: each.added * factor } : each;
      return withContributions(entry, entry.contributions.map(lowered));
    }),
  );
}

function isOfWords({ signal }: SignalShare): boolean {
  return signal === 'text' || signal === 'spelling';
}
