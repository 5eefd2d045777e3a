import { isStopWord } from '../src/core/text/stop-words.ts';
import { seededRandom, seedOf } from './random.ts';

/** Latin words: other scripts are not mistyped letter by letter. */
const WORD = /[A-Za-z]+/g;
/** A slip in a shorter word leaves nothing to recognise. */
const SHORTEST = 4;
const TYPOS = 2;

/** The query with two of its telling words misspelt (fewer when it has fewer); the same for the same query and seed. */
export function mistype(query: string, seed: string): string {
  const random = seededRandom(seedOf(`${seed}\0${query}`));
  const words = [...query.matchAll(WORD)].filter(
    ([word]) => word.length >= SHORTEST && !isStopWord(word.toLowerCase()),
  );
  const chosen = shuffled(words, random).slice(0, TYPOS);
  let mistyped = query;
  // From the end, so that the offsets before it stay right.
  for (const match of chosen.sort((a, b) => b.index - a.index)) {
    const end = match.index + match[0].length;
    mistyped = mistyped.slice(0, match.index) + misspell(match[0], random) + mistyped.slice(end);
  }
  return mistyped;
}

/** One letter left out, added, replaced or swapped with the next; the first letter stays, as it mostly does. */
function misspell(word: string, random: () => number): string {
  const below = (limit: number): number => Math.floor(random() * limit);
  for (;;) {
    const at = 1 + below(word.length - 1);
    const letter = String.fromCharCode(97 + below(26));
    const edits = [
      word.slice(0, at) + word.slice(at + 1),
      word.slice(0, at) + letter + word.slice(at),
      word.slice(0, at) + letter + word.slice(at + 1),
      word.slice(0, at) + word.slice(at + 1, at + 2) + word.slice(at, at + 1) + word.slice(at + 2),
    ];
    const misspelt = edits[below(edits.length)]!;
    if (misspelt !== word) return misspelt;
  }
}

/** Fisher & Yates. */
function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const all = [...items];
  for (let i = all.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [all[i], all[j]] = [all[j]!, all[i]!];
  }
  return all;
}
