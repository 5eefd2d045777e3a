import { stem } from '../../core/text/analyze.ts';
import { isConsidered, isCorrectable, nearestWords, type KnownWord } from '../spelling.ts';
import type { TermInfo } from '../store.ts';
import type { Namespace } from './state.ts';

export function lookUpTerms(namespace: Namespace, words: readonly string[]): TermInfo[] {
  const counts = countWords(namespace);
  return words.map((word) => {
    let passages = 0;
    for (const [known, count] of counts) if (stem(known) === stem(word)) passages += count;
    const unknown = passages === 0 && isCorrectable(word);
    return { word, passages, near: unknown ? nearestWords(word, candidates(word, counts)) : [] };
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

function candidates(word: string, counts: ReadonlyMap<string, number>): KnownWord[] {
  const considered = isConsidered(word);
  return [...counts]
    .filter(([known]) => considered(known))
    .map(([known, passages]) => ({ word: known, passages }));
}
