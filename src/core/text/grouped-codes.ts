import { stem, type Token } from './analyze.ts';

/** UTF-16 code units of a code without its separators. IBANs have at most 34. */
const MAX_CODE_LENGTH = 40;
/** A shorter number is a quantity or a year; with letters (`F-16`), a code may be shorter. */
const MIN_NUMBER_LENGTH = 7;
const MIN_CODE_LENGTH = 3;

const DIGIT = /\d/;
const ONLY_DIGITS = /^\d+$/;
const HYPHEN = /^[-\u2010\u2011]$/;
/** Between groups of a number: `+49 (170) 123-4567`, `01.23.45.67.89`, `0170 / 123`. */
const SEPARATORS = /^[ \u00a0\u2009\u202f./()\-\u2010-\u2013]{1,3}$/;
/** `+49 (0)170`: the trunk prefix is not dialled from abroad. */
const TRUNK_PREFIX = /\(0\)/;
const DATE = /^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?!\d)|\d{1,2}([-/.])\d{1,2}\1(?:\d{4}|\d{2})(?!\d)(?!\1\d))/;
/** UTF-16 code units after which `DATE` sees that no other group follows. */
const MAX_DATE_LENGTH = 13;
const YEARS = /^[12]\d{3}\D{1,3}[12]\d{3}$/;
const IBAN = /^[A-Z]{2}\d\d(?:[ \u00a0-][A-Z0-9]{4}){2,7}(?:[ \u00a0-][A-Z0-9]{1,3})?$/;
const IBAN_START = /^[A-Z]{2}\d\d$/;
const IBAN_GROUP = /^[A-Z0-9]{1,4}$/;

/** Whether a word may be a code or a number that texts also write in groups. */
export function isCode(word: string): boolean {
  if (word.length < MIN_CODE_LENGTH || word.length > MAX_CODE_LENGTH || !DIGIT.test(word)) return false;
  return word.length >= MIN_NUMBER_LENGTH || !ONLY_DIGITS.test(word);
}

/**
 * The whole codes and numbers of a text that are written in groups, so that a query finds them in any grouping: telephone, card
 * and order numbers, IBANs, UUIDs (`302-1234567`, `DE89 3704 0044 0532 0130 00`). Days and ranges of years are none.
 * @param words the tokens of the text
 */
export function groupedCodes(text: string, words: readonly Token[]): Token[] {
  const codes: Token[] = [];
  for (let i = 0, free = 0; i < words.length; i++) {
    if (!hasOuterDigit(words[i]!)) continue;
    let [first, last] = [i, i];
    while (first > free && isLinked(HYPHEN, text, words, first)) first--;
    while (isLinked(HYPHEN, text, words, last + 1)) last++;
    const isDate = DATE.test(text.slice(words[first]!.start, words[first]!.start + MAX_DATE_LENGTH));
    if (!isDate) while (continues(text, words, first, last + 1)) last++;
    const code = isDate || last === first ? null : codeOf(text, words.slice(first, last + 1));
    if (code !== null) codes.push(code);
    free = last + 1;
    i = last;
  }
  return codes;
}

/** Most groups have a digit at one of their ends. */
function hasOuterDigit({ surface }: Token): boolean {
  return isDigit(surface.charCodeAt(0)) || isDigit(surface.charCodeAt(surface.length - 1));
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Whether the word and the one before it are separated by nothing but these characters. */
function isLinked(separator: RegExp, text: string, words: readonly Token[], index: number): boolean {
  const [before, word] = [words[index - 1], words[index]];
  if (before?.kind !== 'word' || word?.kind !== 'word') return false;
  return word.start - before.end <= 3 && separator.test(text.slice(before.end, word.start));
}

/** Whether the next word is another group of a number, or of an IBAN. */
function continues(text: string, words: readonly Token[], first: number, next: number): boolean {
  if (!isLinked(SEPARATORS, text, words, next)) return false;
  if (IBAN_START.test(written(text, words[first]!))) return IBAN_GROUP.test(written(text, words[next]!));
  return [first, next - 1, next].every((i) => ONLY_DIGITS.test(words[i]!.surface));
}

function written(text: string, { start, end }: Token): string {
  return text.slice(start, end);
}

function codeOf(text: string, groups: readonly Token[]): Token | null {
  const [start, end] = [groups[0]!.start, groups.at(-1)!.end];
  const whole = text.slice(start, Math.min(end, start + 4 * MAX_CODE_LENGTH));
  if (YEARS.test(whole)) return null;
  const trunk = TRUNK_PREFIX.exec(whole);
  const surface = groups
    .filter((group) => trunk === null || group.start !== start + trunk.index + 1)
    .map((group) => group.surface)
    .join('');
  const isWhole =
    ONLY_DIGITS.test(surface) ||
    IBAN.test(whole) ||
    groups.every((_, i) => i === 0 || HYPHEN.test(text.slice(groups[i - 1]!.end, groups[i]!.start)));
  return isWhole && isCode(surface) ? { term: stem(surface), surface, start, end, kind: 'word' } : null;
}
