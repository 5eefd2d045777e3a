import { analyze, ARABIC, fold, hasInnerSpace, stem, type Token, ZWNJ } from './analyze.ts';

/**
 * Returns the tokens of `analyze(text)` whose term is in `terms`, in order. This is faster than `analyze`, because it skips
 * words whose first letter is not the first letter of any term: a word and its stem begin with the same letter.
 */
export function analyzeForTerms(text: string, terms: ReadonlySet<string>): Token[] {
  const tokens: Token[] = [];
  if (terms.size === 0) return tokens;
  const initials = initialsOf(terms);
  forEachRun(text, (start, end, isPlain) => {
    if (!isPlain) analyzeRange(text, start, end, terms, tokens);
    else if (initials[text.charCodeAt(start)] === 1) analyzePlainWord(text, start, end, terms, tokens);
  });
  return tokens;
}

/**
 * Calls `visit` for each run of characters between two ASCII separators, in order. A plain run is one word of at most 64 ASCII letters
 * and digits; `analyze` finds the words of the others. No word crosses a separator.
 */
function forEachRun(text: string, visit: (start: number, end: number, isPlain: boolean) => void): void {
  for (let start = 0; start < text.length; start++) {
    if (classAt(text, start) === SEPARATOR) continue;
    let end = start;
    let isPlain = true;
    for (let found; end < text.length && (found = classAt(text, end)) !== SEPARATOR; end++)
      isPlain &&= found === PLAIN;
    visit(start, end, isPlain && end - start <= MAX_PLAIN_LENGTH);
    start = end;
  }
}

/** Maps each ASCII code to 1 if a word with one of the terms may begin with that character, else to 0. */
function initialsOf(terms: ReadonlySet<string>): Uint8Array {
  const initials = new Uint8Array(128);
  for (const term of terms) {
    const code = term.charCodeAt(0);
    if (!(code < 128)) continue;
    initials[code] = 1;
    if (code >= 0x61 && code <= 0x7a) initials[code - 0x20] = 1;
  }
  return initials;
}

const [SEPARATOR, PLAIN, OTHER] = [0, 1, 2];
/** Classes of ASCII characters: letters and digits are plain. An apostrophe is `OTHER`, because it may join two words. */
const CHARACTER_CLASSES: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[A-Za-z0-9]/.test(character)) return PLAIN;
  return character === "'" ? OTHER : SEPARATOR;
});

function classAt(text: string, index: number): number {
  return CHARACTER_CLASSES[text.charCodeAt(index)] ?? OTHER;
}

/** `analyze` truncates longer words. */
const MAX_PLAIN_LENGTH = 64;

function analyzePlainWord(
  text: string,
  start: number,
  end: number,
  terms: ReadonlySet<string>,
  tokens: Token[],
): void {
  const surface = text.slice(start, end).toLowerCase();
  const term = stem(surface);
  if (terms.has(term)) tokens.push({ term, surface, start, end, kind: 'word' });
}

function analyzeRange(
  text: string,
  start: number,
  end: number,
  terms: ReadonlySet<string>,
  tokens: Token[],
): void {
  for (const token of analyze(text.slice(start, end))) {
    if (terms.has(token.term)) tokens.push({ ...token, start: start + token.start, end: start + token.end });
  }
}

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
function isCode(word: string): boolean {
  if (word.length < MIN_CODE_LENGTH || word.length > MAX_CODE_LENGTH || !DIGIT.test(word)) return false;
  return word.length >= MIN_NUMBER_LENGTH || !ONLY_DIGITS.test(word);
}

/**
 * The whole codes and numbers of a text that are written in groups, so that a query finds them in any grouping: telephone, card
 * and order numbers, IBANs, UUIDs (`302-1234567`, `DE89 3704 0044 0532 0130 00`). Days and ranges of years are none.
 * @param words the tokens of the text
 */
function groupedCodes(text: string, words: readonly Token[]): Token[] {
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

/**
 * The terms that a text has besides its words: symbols (`🍕`, `€`), names with signs (`C++`, `.NET`), and codes and numbers that
 * are written in groups. The index has them after the words of a field, so that they do not interrupt phrases.
 * @param words the tokens of the text
 */
export function additionalTerms(text: string, words: readonly Token[] = analyze(text)): Token[] {
  const tokens = groupedCodes(text, words);
  if (HAS_NAME.test(text)) for (const found of text.matchAll(NAME)) tokens.push(nameToken(found));
  for (const { 0: run, index } of text.matchAll(NOT_ASCII))
    for (const found of run.matchAll(SYMBOL)) tokens.push(symbolToken(found, index));
  if (text.includes(ZWNJ)) for (const found of text.matchAll(INNER_SPACE)) tokens.push(...joinedToken(found));
  return tokens;
}

/** Whether a set of terms has one that may be an additional one. A search looks for the same set in a hundred passages. */
const hasAdditionalTerms = new WeakMap<ReadonlySet<string>, boolean>();

/** The tokens of a text whose term is in `terms`, in order: words and additional terms. */
export function findTerms(text: string, terms: ReadonlySet<string>): Token[] {
  const words = analyzeForTerms(text, terms);
  let hasAdditional = hasAdditionalTerms.get(terms);
  if (hasAdditional === undefined) {
    hasAdditional = [...terms].some(canBeAdditional);
    hasAdditionalTerms.set(terms, hasAdditional);
  }
  if (!hasAdditional) return words;
  const others = additionalTerms(text).filter(({ term }) => terms.has(term));
  return others.length === 0 ? words : [...words, ...others].sort((a, b) => a.start - b.start);
}

const NOT_WORD = /[^\p{L}\p{N}\p{M}]/u;

/** Whether a term may be an additional one: words alone are found faster. */
function canBeAdditional(term: string): boolean {
  return NOT_WORD.test(term) || isCode(term) || ARABIC.test(term);
}

const HAS_NAME = /#|\+\+|\.[nN]/;
/** `C++`, `C#`, `.NET`, `ASP.NET`. A sign ends the name, and `C++20` is a version of it. */
const NAME =
  /(?<=(?<![\p{L}\p{N}])([\p{L}\p{N}]{1,16}))\+\+(?!\+)|(?<=(?<![\p{L}\p{N}])(\p{L}))#(?![\p{L}\p{N}#])|(?:(?<![\p{L}\p{N}])\.net|\.NET)(?![\p{L}\p{N}])/gu;
/** Flags are two characters. A skin tone belongs to the symbol before it. */
const NOT_ASCII = /[$\x80-\uffff]+/g;
const SYMBOL = /\p{RI}\p{RI}|[[\p{S}§¶†‡‰$]--[[\0-\x7f]--\$]--\p{Emoji_Modifier}]/gv;
const INNER_SPACE = /(?<![\p{L}\p{M}])[\p{L}\p{M}]+(?:\u200c[\p{L}\p{M}]+)+/gu;

function nameToken({ 0: sign, 1: letters, 2: letter, index }: RegExpExecArray): Token {
  const before = letters ?? letter ?? '';
  return tokenOf(fold(before) + sign.toLowerCase(), index - before.length, index + sign.length);
}

function symbolToken({ 0: symbol, index }: RegExpExecArray, offset: number): Token {
  return tokenOf(symbol, offset + index, offset + index + symbol.length);
}

/** In Arabic script, a word with an inner space is written without it too. */
function joinedToken({ 0: word, index }: RegExpExecArray): Token[] {
  return hasInnerSpace(word) ? [tokenOf(fold(word), index, index + word.length)] : [];
}

/** The index takes ASCII signs for spaces, so their full-width forms (U+FF01 to U+FF5E) stand for them. */
function tokenOf(text: string, start: number, end: number): Token {
  const surface = text.replaceAll(/[!-/:-@[-`{-~]/g, (sign) =>
    String.fromCharCode(sign.charCodeAt(0) + 0xfee0),
  );
  return { term: surface, surface, start, end, kind: 'word' };
}
