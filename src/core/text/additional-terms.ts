import { analyzeForTerms } from './analyze-for-terms.ts';
import { analyze, fold, type Token } from './analyze.ts';
import { groupedCodes, isCode } from './grouped-codes.ts';
import { ARABIC, hasInnerSpace, ZWNJ } from './word-runs.ts';

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
