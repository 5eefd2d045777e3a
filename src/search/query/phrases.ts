import { findTerms } from '../../core/text/additional-terms.ts';
import { analyze } from '../../core/text/analyze.ts';
import type { StoredPassage, TextTerm } from '../../store/search-model.ts';
import { textFields } from '../../store/lexical/text-fields.ts';

/** Whether each phrase is in the passage's title, headings, text or tags. Vectors find passages without them. */
export function containsPhrases(passage: StoredPassage, phrases: readonly TextTerm[]): boolean {
  if (phrases.length === 0) return true;
  const { title, headings, body, tags } = textFields(passage.record, passage);
  const texts = [title, headings, body, tags].map((text) => analyze(text).map(({ term }) => term));
  return phrases.every((phrase) => texts.some((words) => hasSequence(words, phrase)));
}

/** Those of the index terms that are in the passage's title, headings, text or tags. */
export function matchedTerms(passage: StoredPassage, terms: ReadonlySet<string>): Set<string> {
  const { title, headings, body, tags } = textFields(passage.record, passage);
  const matched = new Set<string>();
  for (const text of [title, headings, body, tags])
    if (text !== '') for (const { term } of findTerms(text, terms)) matched.add(term);
  return matched;
}

function hasSequence(words: readonly string[], { terms, prefix }: TextTerm): boolean {
  const last = terms.length - 1;
  const matches = (word: string | undefined, i: number): boolean =>
    word === terms[i] || (prefix && i === last && word?.startsWith(terms[i]!) === true);
  return words.some((_, start) => terms.every((_term, i) => matches(words[start + i], i)));
}

/** Computes a value once for each object: a store that caches passages returns the same, unchanged ones for many searches. */
export function onceForEach<Key extends object, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const values = new WeakMap<Key, Value>();
  return (key) => {
    const known = values.get(key);
    if (known !== undefined) return known;
    const value = compute(key);
    values.set(key, value);
    return value;
  };
}
