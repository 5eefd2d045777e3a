import { additionalTerms } from '../../core/text/additional-terms.ts';
import { analyze, type Token } from '../../core/text/analyze.ts';
import { isFunctionWordOf, languagesOf, type StoredLanguage } from '../../core/text/language/language.ts';
import { isStopWord } from '../../core/text/stop-words.ts';
import type { TextTerm } from '../../store/search-model.ts';
import { isNumber, joinedUnit, notePathOf, otherWordings, type Wording } from './wordings.ts';

/**
 * A query in plain words, without the operators that `operators.ts` reads. Quotes are its only syntax: a query that is nothing but quoted phrases is an exact one
 * (`requiredPhrases`).
 */
export interface ParsedQuery {
  /** The query, cut to `MAX_QUERY_LENGTH`. */
  readonly text: string;
  /** Words, identifiers and bigrams to search for, without duplicates; stop words only if there is nothing else. */
  readonly terms: readonly QueryTerm[];
  /** Quoted phrases without duplicates; see `requiredPhrases`. */
  readonly phrases: readonly TextTerm[];
  /** The languages that its function words are of; see `languagesOf`. */
  readonly languages: readonly StoredLanguage[];
  /** Whether all words are in quotes. */
  readonly isQuoted: boolean;
  /** Emoji and the like beside words: more to search for, which no result needs. */
  readonly symbols: readonly TextTerm[];
}

export interface QueryTerm extends Wording {
  readonly kind: 'word' | 'identifier' | 'bigram';
  /** Other ways in which texts write it. A passage with any of them has the term. */
  readonly alternatives?: readonly Wording[];
  /** The path of the note that it may name, which has the term: see `namesFile`. */
  readonly path?: string;
}

/** A longer query is truncated, because the beginning of a document indicates its topic. UTF-16 code units. */
export const MAX_QUERY_LENGTH = 8192;
/** Terms of a full-text query. */
const MAX_TERMS = 64;
/** Phrases of a full-text query, whose time grows with the square of their number. */
const MAX_PHRASES = 32;

const QUOTED = /"([^"]+)"|“([^”]+)”|「([^」]+)」/g;
/** Letters and digits with `_ / \ . : # @ & + -` between them: `CONV-1234`, `foo_bar`, `src/a.ts`, `R&D`. */
const IDENTIFIER = /^[\p{L}\p{N}\p{M}]+(?:[_/\\.:#@&+-]+[\p{L}\p{N}\p{M}]+)+$/u;
const PLAIN_HYPHENS = /^[\p{L}\p{M}]+(?:-[\p{L}\p{M}]+)+$/u;

export function parseQuery(text: string): ParsedQuery {
  const cut = text.slice(0, MAX_QUERY_LENGTH);
  const phrases = new Map<string, TextTerm>();
  for (const match of cut.matchAll(QUOTED)) {
    const phrase = phraseOf(match[1] ?? match[2] ?? match[3] ?? '');
    if (phrase.terms.length > 0 && phrases.size < MAX_PHRASES) phrases.set(phrase.terms.join(' '), phrase);
  }
  const searched = withoutOpening(cut).replaceAll(WIKILINK, (_, target: string) =>
    target.replaceAll(/[#^]/g, ' '),
  );
  const { words, symbols } = wordsOf(searched);
  const found = new Map<string, QueryTerm>();
  for (const [i, word] of words.entries())
    for (const term of termsOf(word, words[i - 1], words[i + 1])) found.set(keyOf(term), term);
  const all = [...found.values()];
  const withoutStopWords = all.filter((term) => term.kind !== 'word' || !isStopWord(term.surface));
  const isOfSymbols = withoutStopWords.length === 0 && symbols.length > 0;
  const terms = isOfSymbols ? symbols : withoutStopWords.length > 0 ? withoutStopWords : all;
  const languages = languagesOf(all.flatMap(({ surface, kind }) => (kind === 'word' ? [surface] : [])));
  return {
    text: cut,
    terms: terms.slice(0, MAX_TERMS),
    phrases: [...phrases.values()],
    isQuoted: !HAS_LETTERS.test(cut.replaceAll(QUOTED, '')),
    symbols: isOfSymbols
      ? []
      : symbols
          .filter(({ surface }) => PICTOGRAPH.test(surface))
          .map(({ terms, prefix }) => ({ terms, prefix })),
    languages,
  };
}

/** The query with its languages as far as they are stored, and without their function words unless it consists of them. */
export function inStoredLanguages(query: ParsedQuery, stored: readonly StoredLanguage[]): ParsedQuery {
  const languages = query.languages.filter((language) => stored.includes(language));
  const terms = query.terms.filter(
    ({ kind, surface }) => kind !== 'word' || !isFunctionWordOf(surface, languages),
  );
  return { ...query, languages, terms: terms.length === 0 ? query.terms : terms };
}

/** A word of a query between spaces. */
interface QueryWord {
  /** Without punctuation around it. */
  readonly bare: string;
  /** A name with signs, such as `C++`, and codes of which the word is a part. */
  readonly names: readonly Token[];
  readonly codes: readonly Token[];
}

/** What a link shows instead of its target says nothing of the note. */
const WIKILINK = /\[\[([^[\]|]+)(?:\|[^[\]]*)?\]\]/g;
const HAS_LETTERS = /[\p{L}\p{N}]/u;
const ENDS_IN_LETTER = /[\p{L}\p{N}]\p{M}*$/u;
const HAS_SIGNS = /[^\p{L}\p{N}\p{M}]/u;
/** Arrows and the like say nothing beside words. */
const PICTOGRAPH = /\p{ExtPict}|\p{RI}|\p{Sc}|§/u;

function wordsOf(text: string): { words: QueryWord[]; symbols: QueryTerm[] } {
  const additional = additionalTerms(text);
  const isSymbol = ({ surface }: Token): boolean => !HAS_LETTERS.test(surface);
  const symbols = new Map(additional.filter(isSymbol).map((token) => [token.term, single(token)]));
  const others = additional.filter((token) => !isSymbol(token));
  const words = [...text.matchAll(/\S+/g)].map(({ 0: word, index }): QueryWord => {
    const own = others.filter(({ start, end }) => start < index + word.length && end > index);
    return {
      bare: withoutEdges(word),
      // `ASP.NET` is an identifier.
      names: own.filter(
        ({ surface, start }) =>
          HAS_SIGNS.test(surface) && !ENDS_IN_LETTER.test(text.slice(Math.max(0, start - 2), start)),
      ),
      codes: own.filter(({ surface }) => !HAS_SIGNS.test(surface)),
    };
  });
  return { words, symbols: [...symbols.values()] };
}

/** From the first to the last character that is indexed. */
function withoutEdges(word: string): string {
  const tokens = analyze(word);
  return word.slice(tokens[0]?.start ?? 0, tokens.at(-1)?.end ?? 0);
}

/** Where a run without spaces ends within the phrase, it ends in the text too. A last character may begin a longer run. */
function phraseOf(text: string): TextTerm {
  const tokens = analyze(text);
  const [last, before] = [tokens.at(-1), tokens.at(-2)];
  if (last?.kind !== 'tail') return { terms: tokens.map(({ term }) => term), prefix: false };
  const isOfRun = before?.kind === 'bigram' && before.end === last.end;
  const terms = (isOfRun ? tokens.slice(0, -1) : tokens).map(({ term }) => term);
  return { terms, prefix: !isOfRun };
}

/**
 * The phrases that every result must have. When the whole query is quoted, these are all of its phrases. Within a
 * question (who wrote "The Tailors"?) a phrase is one more thing to search for, which the answer need not repeat.
 */
export function requiredPhrases({ terms, phrases, isQuoted }: ParsedQuery): readonly TextTerm[] {
  if (isQuoted) return phrases;
  const quoted = new Set(phrases.flatMap((phrase) => phrase.terms));
  return terms.every((term) => term.terms.every((word) => quoted.has(word))) ? phrases : [];
}

/** What begins a conversation says nothing of its topic: "let's talk about", "tell me about", "can we go over". */
const OPENING =
  /^((?:[\p{L}'’]+[,!]?\s+){0,6}?)(?:(?:talk|talking|chat|chatting|speak|speaking|think|thinking|tell me|remind me)\s+(?:about|of)|catch up on|go over|discuss)\s+(?=\S)/iu;

/** A query without the words that begin a conversation, if all words before them are function words. */
function withoutOpening(text: string): string {
  const [opening = '', before = ''] = OPENING.exec(text) ?? [];
  const rest = text.slice(opening.length);
  const isOpening = analyze(before).every(({ surface }) => isStopWord(surface));
  return isOpening && analyze(rest).some(({ surface }) => !isStopWord(surface)) ? rest : text;
}

function keyOf(term: TextTerm): string {
  return `${term.terms.join(' ')}${term.prefix ? '*' : ''}`;
}

function termsOf(word: QueryWord, previous?: QueryWord, next?: QueryWord): QueryTerm[] {
  const { bare, names, codes } = word;
  if (names.length > 0) return names.map(single);
  const shared = [
    ...codes.map(({ term, surface }): Wording => ({ terms: [term], surface, prefix: false })),
    ...(previous === undefined ? [] : joinedUnit(previous.bare, bare)),
    ...(next === undefined ? [] : joinedUnit(bare, next.bare)),
  ];
  const tokens = queryTokens(bare);
  const isPhrase = IDENTIFIER.test(bare) || isNumber(bare);
  if (tokens.length > 1 && isPhrase && tokens.every((token) => token.kind === 'word')) {
    const path = notePathOf(bare, previous === undefined && next === undefined);
    const whole: QueryTerm = {
      ...withAlternatives(
        {
          terms: tokens.map((token) => token.term),
          prefix: false,
          surface: tokens.map((token) => token.surface).join(' '),
          kind: 'identifier',
        },
        [...otherWordings(bare), ...shared],
      ),
      ...(path !== null && { path }),
    };
    // "self-healing" may also be written as two words.
    return PLAIN_HYPHENS.test(bare) ? [whole, ...tokens.map(single)] : [whole];
  }
  const other = tokens.length === 1 ? otherWordings(bare) : [];
  return tokens.map((token) => withAlternatives(single(token), [...other, ...shared]));
}

function withAlternatives(term: QueryTerm, wordings: readonly Wording[]): QueryTerm {
  const others = new Map(wordings.map((wording) => [keyOf(wording), wording]));
  others.delete(keyOf(term));
  return others.size === 0 ? term : { ...term, alternatives: [...others.values()] };
}

function single(token: Token): QueryTerm {
  return {
    terms: [token.term],
    prefix: token.kind === 'tail',
    surface: token.surface,
    kind: token.kind === 'word' ? 'word' : 'bigram',
  };
}

/** A CJK run is searched for by its bigrams; its last character by itself only if the run is that character. */
function queryTokens(text: string): Token[] {
  const tokens = analyze(text);
  return tokens.filter((token, i) => {
    if (token.kind !== 'tail') return true;
    const before = tokens[i - 1];
    return before === undefined || before.kind !== 'bigram' || before.end !== token.end;
  });
}
