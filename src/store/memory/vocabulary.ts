import { stem } from '../../core/text/analyze.ts';
import { isCorrectable, nearestWords } from '../lexical/spelling.ts';
import type { TermInfo } from '../store.ts';
import { WordList } from '../lexical/word-list.ts';
import type { Namespace } from './state.ts';

export function lookUpTerms(namespace: Namespace, words: readonly string[]): TermInfo[] {
  const counts = countWords(namespace);
  const list = new WordList();
  for (const [word, passages] of counts) list.add(word, passages);
  return words.map((word) => {
    let passages = 0;
    for (const [known, count] of counts) if (stem(known) === stem(word)) passages += count;
    const unknown = passages === 0 && isCorrectable(word);
    return { word, passages, near: unknown ? nearestWords(word, list.near(word)) : [] };
  });
}

/** How many passages hold each word. */
export function countWords(namespace: Namespace): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { indexed } of namespace.passages.values()) {
    for (const word of indexed.words) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}
