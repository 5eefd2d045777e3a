import { BREAK, isCjkWord, visitNameWords } from './name-words.ts';
import { isGenericName } from './stop-names.ts';

/** Longer names are titles that no other text repeats. */
export const MAX_CONCEPT_WORDS = 24;
export const MAX_NAME_LENGTH = 200;
/** "AI" and "IT" are also words when case does not matter. */
const MIN_LETTERS = 3;
const MIN_CJK_CHARACTERS = 2;

/** The form in which names are compared: their folded words, joined by spaces. Empty for a name without words. */
export function nameKey(name: string): string {
  const words: string[] = [];
  visitNameWords(name.slice(0, 2 * MAX_NAME_LENGTH), ({ word }) => {
    words.push(word);
  });
  return words.at(-1) === BREAK ? words.slice(0, -1).join(' ') : words.join(' ');
}

/**
 * Whether a text that contains the name speaks of it: not for a name that is too short or too long, for a number or a date,
 * for function words, and for names such as "Index" and "Inbox".
 */
export function isMentionable(key: string): boolean {
  const words = key.split(' ').filter((word) => word !== BREAK);
  if (words.length === 0 || words.length > MAX_CONCEPT_WORDS || key.length > MAX_NAME_LENGTH) return false;
  if (isGenericName(words)) return false;
  const cjk = words.filter(isCjkWord).length;
  if (cjk >= MIN_CJK_CHARACTERS) return true;
  return (words.join('').match(/\p{L}/gu)?.length ?? 0) >= MIN_LETTERS;
}
