import type { Random } from './random.ts';

const ONSETS = 'b c d f g h j k l m n p r s t v w z br ch cl cr dr fl gr pl pr sh sl st th tr'.split(' ');
const VOWELS = 'a e i o u ai ea ee io ou'.split(' ');
const CODAS = ['', '', '', 'l', 'm', 'n', 'r', 't', 'ck', 'nd', 'rd', 'st'];

/** The most frequent words of English, most frequent first. */
export const COMMON_WORDS: readonly string[] =
  `the of and to a in is that it for was on as with be by at this from
  are have or an they which one you had not but what all were when we there can your has more will if no out do so up
  said about into than its only some could them other then these two may`.split(/\s+/);

/** Unique invented words that are pronounceable and have realistic lengths. */
export function makeWords(random: Random, count: number): string[] {
  const common = new Set(COMMON_WORDS);
  const words = new Set<string>();
  while (words.size < count) {
    let word = '';
    for (let syllables = 2 + random.below(2); syllables > 0; syllables--) {
      word += pick(random, ONSETS) + pick(random, VOWELS) + (syllables === 1 ? pick(random, CODAS) : '');
    }
    if (!common.has(word)) words.add(word);
  }
  return [...words];
}

/** The word with one letter removed, added or changed, or two letters swapped. The first letter stays. */
export function misspell(random: Random, word: string): string {
  const position = 1 + random.below(Math.max(1, word.length - 2));
  const letter = String.fromCharCode(97 + random.below(26));
  const [before, after] = [word.slice(0, position), word.slice(position + 1)];
  const edits = [
    before + after,
    before + letter + word.slice(position),
    before + letter + after,
    before +
      word.slice(position + 1, position + 2) +
      word.slice(position, position + 1) +
      word.slice(position + 2),
  ];
  return edits[random.below(edits.length)]!;
}

function pick(random: Random, from: readonly string[]): string {
  return from[random.below(from.length)]!;
}
