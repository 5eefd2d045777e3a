import { isStopWord } from '../src/core/text/stop-words.ts';
import { seededRandom, seedOf } from './bootstrap.ts';

/** Only Latin words are misspelt: in other scripts typing errors are not single letters. */
const WORD = /[A-Za-z]+/g;
/** A shorter word cannot be recognised when it is misspelt. */
const MIN_LENGTH = 4;
const TYPOS = 2;

/** Misspells two words that are not stop words, or as many as there are. Deterministic by query and seed. */
export function mistype(query: string, seed: string): string {
  const random = seededRandom(seedOf(`${seed}\0${query}`));
  const words = [...query.matchAll(WORD)].filter(
    ([word]) => word.length >= MIN_LENGTH && !isStopWord(word.toLowerCase()),
  );
  const chosen = shuffled(words, random).slice(0, TYPOS);
  let mistyped = query;
  // From the end, so that the offsets of the words before stay valid.
  for (const match of chosen.sort((a, b) => b.index - a.index)) {
    const end = match.index + match[0].length;
    mistyped = mistyped.slice(0, match.index) + misspell(match[0], random) + mistyped.slice(end);
  }
  return mistyped;
}

/** Removes, inserts, replaces or transposes one letter. The first letter stays, because people rarely mistype it. */
function misspell(word: string, random: () => number): string {
  const below = (limit: number): number => Math.floor(random() * limit);
  for (;;) {
    const position = 1 + below(word.length - 1);
    const letter = String.fromCharCode(97 + below(26));
    const edits = [
      word.slice(0, position) + word.slice(position + 1),
      word.slice(0, position) + letter + word.slice(position),
      word.slice(0, position) + letter + word.slice(position + 1),
      word.slice(0, position) +
        word.slice(position + 1, position + 2) +
        word.slice(position, position + 1) +
        word.slice(position + 2),
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
