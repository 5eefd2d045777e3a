import type { PassageScore, SearchFilter, TextQuery, TextTerm } from '../store.ts';
import { TEXT_FIELDS } from '../lexical/text-fields.ts';
import { admits } from '../admits.ts';
import type { HeldPassage, Namespace } from './state.ts';

/** Robertson and Zaragoza 2009, with the constants of SQLite's FTS5. */
const K1 = 1.2;
const B = 0.75;
/** What a term counts that is in half of the passages or more. */
const LEAST_IDF = 1e-6;

export function searchText(
  namespace: Namespace,
  query: TextQuery,
  filter: SearchFilter,
  limit: number,
): PassageScore[] {
  const corpus = [...namespace.passages.values()];
  const average = corpus.reduce((sum, held) => sum + lengthOf(held), 0) / corpus.length;
  const weighed = scoredTerms(query).map((term) => ({
    term,
    idf: inverseFrequency(corpus.filter((held) => holds(held, term)).length, corpus.length),
  }));
  const scored = corpus.flatMap((held) => {
    const record = namespace.records.get(held.record)?.record;
    if (record === undefined || !admits(record, filter) || !matches(held, query)) return [];
    const damping = K1 * (1 - B + (B * lengthOf(held)) / average);
    const score = weighed.reduce((sum, { term, idf }) => {
      const frequency = weightedFrequency(held, term, query.weights);
      return sum + idf * ((frequency * (K1 + 1)) / (frequency + damping));
    }, 0);
    return [{ passage: held.id, record: held.record, score }];
  });
  return scored.sort((a, b) => b.score - a.score || a.passage - b.passage).slice(0, limit);
}

function scoredTerms({ any, all }: TextQuery): readonly TextTerm[] {
  return any.length > 0 && all.length > 0 ? [...all, ...any, ...all] : [...all, ...any];
}

function matches(held: HeldPassage, { any, all }: TextQuery): boolean {
  if (all.length === 0) return any.some((term) => holds(held, term));
  return all.every((term) => holds(held, term));
}

function inverseFrequency(holders: number, passages: number): number {
  const idf = Math.log((passages - holders + 0.5) / (holders + 0.5));
  return idf > 0 ? idf : LEAST_IDF;
}

function lengthOf({ indexed }: HeldPassage): number {
  return TEXT_FIELDS.reduce((sum, field) => sum + indexed.terms[field].length, 0);
}

function holds({ indexed }: HeldPassage, term: TextTerm): boolean {
  return TEXT_FIELDS.some((field) => occurrences(indexed.terms[field], term) > 0);
}

function weightedFrequency({ indexed }: HeldPassage, term: TextTerm, weights: TextQuery['weights']): number {
  return TEXT_FIELDS.reduce(
    (sum, field) => sum + weights[field] * occurrences(indexed.terms[field], term),
    0,
  );
}

/** At how many places of a field the words stand in a row. */
function occurrences(field: readonly string[], { terms, prefix }: TextTerm): number {
  if (terms.length === 0) return 0;
  return field.filter((_, start) =>
    terms.every((term, i) => {
      const word = field[start + i];
      return word !== undefined && (prefix && i === terms.length - 1 ? word.startsWith(term) : word === term);
    }),
  ).length;
}
