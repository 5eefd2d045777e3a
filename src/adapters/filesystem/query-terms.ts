import {
  inStoredLanguages,
  parseQuery,
  requiredPhrases,
  type ParsedQuery,
} from '../../search/query/parse.ts';
import type { TextTerm } from '../../store/search-model.ts';
import type { Vocabulary } from './note-terms.ts';

/** What a query looks for: a word with the other ways in which texts write it, or a phrase. */
export interface QueryPart {
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
