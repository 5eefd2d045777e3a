import {
  inStoredLanguages,
  type ParsedQuery,
  parseQuery,
  requiredPhrases,
} from '../../search/query/parse.ts';
import { DEFAULT_RANKING } from '../../search/rank/ranking.ts';
import { idfWeight } from '../../search/retrieve/text.ts';
import { B, K1 } from '../../store/lexical/bm25.ts';
import type { TextTerm } from '../../store/search-model.ts';
import type { NoteTerms, PassageTerms, Vocabulary } from './note-cache.ts';

const { fields, coverageFloor } = DEFAULT_RANKING;
const FLOOR = coverageFloor!.notes;

/** A passage that has parts of the query. */
interface Match {
  readonly note: number;
  readonly passage: PassageTerms;
  /** The number of its terms. */
  readonly length: number;
  /** The parts that it has, and how often, weighted by field. */
  readonly parts: readonly number[];
  readonly counts: readonly number[];
}

export interface RankedNote {
  readonly note: number;
  readonly passage: PassageTerms;
  readonly score: number;
}

/**
 * Ranks notes by their best passage: BM25F, lowered by the share of the query that the passage lacks. How rare a part of the query is
 * depends on the notes that are searched alone.
 */
export class NoteRanking {
  readonly #finder: PartFinder;
  readonly #matches: Match[] = [];
  /** The number of passages that have each part. */
  readonly #frequencies: Float64Array;
  readonly #counts: Float64Array;
  readonly #countsOfTitle: Float64Array;
  #passages = 0;
  #terms = 0;

  constructor(finder: PartFinder) {
    this.#finder = finder;
    const parts = finder.parts.length;
    this.#frequencies = new Float64Array(parts);
    this.#counts = new Float64Array(parts);
    this.#countsOfTitle = new Float64Array(parts);
  }

  /** @param note the number that the ranking returns */
  add(note: number, { title, terms, passages }: NoteTerms): void {
    const [finder, counts] = [this.#finder, this.#counts];
    this.#countsOfTitle.fill(0);
    const isTitled = finder.count(title, 0, title.length, fields.title, this.#countsOfTitle);
    for (const passage of passages) {
      const { start, headingsEnd, end } = passage;
      const length = title.length + end - start;
      this.#passages++;
      this.#terms += length;
      counts.set(this.#countsOfTitle);
      const inHeadings = finder.count(terms, start, headingsEnd, fields.headings, counts);
      const inText = finder.count(terms, headingsEnd, end, fields.body, counts);
      if (isTitled || inHeadings || inText) this.#addMatch(note, passage, length);
    }
  }

  #addMatch(note: number, passage: PassageTerms, length: number): void {
    const parts: number[] = [];
    const counts: number[] = [];
    for (let part = 0; part < this.#counts.length; part++) {
      const count = this.#counts[part]!;
      if (count > 0) {
        parts.push(part);
        counts.push(count);
        this.#frequencies[part]!++;
      } else if (this.#finder.parts[part]!.isRequired) return;
    }
    this.#matches.push({ note, passage, length, parts, counts });
  }

  /** The best notes, best first; equal ones as they were added. */
  best(): RankedNote[] {
    const average = this.#terms / this.#passages;
    const idf = Array.from(this.#frequencies, (frequency) => idfOf(frequency, this.#passages));
    const needed = this.#finder.parts.map(({ isNeeded }, part) =>
      isNeeded ? idfWeight(this.#frequencies[part]!) : 0,
    );
    const whole = sum(needed);
    const best = new Map<number, RankedNote>();
    for (const { note, passage, length, parts, counts } of this.#matches) {
      const norm = K1 * (1 - B + (B * length) / average);
      let bm25 = 0;
      let covered = 0;
      for (const [i, part] of parts.entries()) {
        bm25 += (idf[part]! * counts[i]! * (K1 + 1)) / (counts[i]! + norm);
        covered += needed[part]!;
      }
      const share = whole === 0 ? 1 : covered / whole;
      const score = bm25 * (FLOOR + (1 - FLOOR) * share);
      if (score > (best.get(note)?.score ?? 0)) best.set(note, { note, passage, score });
    }
    return [...best.values()].sort((a, b) => b.score - a.score || a.note - b.note);
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** The IDF of Lucene, which is above 0 for a term that most passages have. */
function idfOf(frequency: number, passages: number): number {
  return Math.log(1 + (passages - frequency + 0.5) / (frequency + 0.5));
}

/** What a query looks for: a word with the other ways in which texts write it, or a phrase. */
interface QueryPart {
  readonly wordings: readonly TextTerm[];
  /** Whether each result must have it. */
  readonly isRequired: boolean;
  /** Whether a note without it lacks a part of the query. A phrase is one more thing to look for. */
  readonly isNeeded: boolean;
}

/** The parts of a query. Words that say nothing of a topic are left out, in the language of the query. */
export function queryParts(text: string): QueryPart[] {
  const parsed = parseQuery(text);
  const query = inStoredLanguages(parsed, parsed.languages);
  const words = query.terms.map(({ alternatives = [], ...term }): QueryPart => ({
    wordings: [term, ...alternatives].filter(({ terms }) => terms.length > 0),
    isRequired: false,
    isNeeded: true,
  }));
  const symbols = query.symbols.map((symbol): QueryPart => ({
    wordings: [symbol],
    isRequired: false,
    isNeeded: false,
  }));
  return [...words, ...symbols, ...phraseParts(query)].slice(0, MAX_PARTS);
}

/** Each word of a note may be compared with all parts. */
const MAX_PARTS = 100;
/** Longer phrases are found by their first terms. */
const MAX_PHRASE_TERMS = 16;

function phraseParts(query: ParsedQuery): QueryPart[] {
  const required = new Set(requiredPhrases(query));
  return query.phrases.map((phrase) => ({
    wordings: [phrase],
    isRequired: required.has(phrase),
    isNeeded: false,
  }));
}

/** The terms of the parts, for snippets. */
export function termsOfParts(parts: readonly QueryPart[]): Set<string> {
  return new Set(parts.flatMap(({ wordings }) => wordings.flatMap(({ terms }) => terms)));
}

/** A sequence of terms that counts for a part of the query. */
interface Sequence {
  readonly part: number;
  /** What follows its first term. */
  readonly rest: readonly Matcher[];
}

/** The number of a term, or those of all terms with a prefix. */
type Matcher = number | ReadonlySet<number>;

/** Finds the parts of a query in the terms of notes that were numbered before. */
export class PartFinder {
  readonly parts: readonly QueryPart[];
  /** The sequences that begin with a term. */
  readonly #sequences = new Map<number, Sequence[]>();
  /** 1 for each term that begins a sequence: most terms do not, and are passed over fast. */
  readonly #begins: Uint8Array;

  constructor(parts: readonly QueryPart[], vocabulary: Vocabulary) {
    this.parts = parts;
    for (const [part, { wordings }] of parts.entries())
      for (const { terms, prefix } of wordings) {
        const matchers = terms
          .slice(0, MAX_PHRASE_TERMS)
          .map((term, i) =>
            prefix && i === terms.length - 1 ? new Set(vocabulary.startingWith(term)) : vocabulary.find(term),
          );
        const [first, ...rest] = matchers;
        if (first === undefined || matchers.includes(0)) continue;
        for (const number of typeof first === 'number' ? [first] : first)
          this.#addSequence(number, { part, rest });
      }
    this.#begins = new Uint8Array(vocabulary.size + 1);
    for (const number of this.#sequences.keys()) this.#begins[number] = 1;
  }

  #addSequence(number: number, sequence: Sequence): void {
    const others = this.#sequences.get(number);
    if (others === undefined) this.#sequences.set(number, [sequence]);
    else others.push(sequence);
  }

  /** Adds `weight` to `counts` for each part that is found between two positions. Returns whether one is. */
  count(terms: Uint32Array, from: number, to: number, weight: number, counts: Float64Array): boolean {
    let found = false;
    for (let i = from; i < to; i++) {
      const number = terms[i]!;
      if (this.#begins[number] !== 1) continue;
      for (const { part, rest } of this.#sequences.get(number)!) {
        if (!rest.every((matcher, k) => matches(matcher, terms[i + 1 + k]))) continue;
        counts[part]! += weight;
        found = true;
      }
    }
    return found;
  }
}

function matches(matcher: Matcher, number: number | undefined): boolean {
  return typeof matcher === 'number' ? matcher === number : number !== undefined && matcher.has(number);
}
