import { analyze, type Token } from '../../core/text/analyze.ts';
import { isFunctionWordOf, languagesOf, type StoredLanguage } from '../../core/text/language/language.ts';
import { isStopWord } from '../../core/text/stop-words.ts';
import type { TextTerm } from '../../store/search-model.ts';

/** A query in plain words. Quotes are its only syntax. */
export interface ParsedQuery {
  /** The query, cut to `MAX_QUERY_LENGTH`. */
  readonly text: string;
  /** Words, identifiers and bigrams to search for, without duplicates; stop words only if there is nothing else. */
  readonly terms: readonly QueryTerm[];
  /** Quoted phrases without duplicates; see `requiredPhrases`. */
  readonly phrases: readonly TextTerm[];
  /** The languages that its function words are of; see `languagesOf`. */
  readonly languages: readonly StoredLanguage[];
}

export interface QueryTerm extends TextTerm {
  /** The folded text; for an identifier its parts, separated by spaces. */
  readonly surface: string;
  readonly kind: 'word' | 'identifier' | 'bigram';
}

/** A longer query is truncated, because the beginning of a document indicates its topic. UTF-16 code units. */
export const MAX_QUERY_LENGTH = 8192;
/** Terms of a full-text query. */
const MAX_TERMS = 64;
/** Phrases of a full-text query, whose time grows with the square of their number. */
const MAX_PHRASES = 32;

const QUOTED = /"([^"]+)"|“([^”]+)”|「([^」]+)」/g;
/** Letters and digits with `_ / . : # @ + -` between them: `CONV-1234`, `foo_bar`, `src/a.ts`. */
const IDENTIFIER = /^[\p{L}\p{N}]+(?:[_/.:#@+-]+[\p{L}\p{N}]+)+$/u;
const PLAIN_HYPHENS = /^[\p{L}]+(?:-[\p{L}]+)+$/u;
const EDGES = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu;

export function parseQuery(text: string): ParsedQuery {
  const cut = text.slice(0, MAX_QUERY_LENGTH);
  const phrases = new Map<string, TextTerm>();
  for (const match of cut.matchAll(QUOTED)) {
    const terms = queryTokens(match[1] ?? match[2] ?? match[3] ?? '').map((token) => token.term);
    if (terms.length > 0 && phrases.size < MAX_PHRASES)
      phrases.set(terms.join(' '), { terms, prefix: false });
  }
  const found = new Map<string, QueryTerm>();
  for (const word of withoutOpening(cut).split(/\s+/))
    for (const term of termsOf(word)) found.set(keyOf(term), term);
  const all = [...found.values()];
  const withoutStopWords = all.filter((term) => term.kind !== 'word' || !isStopWord(term.surface));
  const terms = (withoutStopWords.length > 0 ? withoutStopWords : all).slice(0, MAX_TERMS);
  const languages = languagesOf(all.flatMap(({ surface, kind }) => (kind === 'word' ? [surface] : [])));
  return { text: cut, terms, phrases: [...phrases.values()], languages };
}

/** The query with its languages as far as they are stored, and without their function words unless it consists of them. */
export function inStoredLanguages(query: ParsedQuery, stored: readonly StoredLanguage[]): ParsedQuery {
  const languages = query.languages.filter((language) => stored.includes(language));
  const terms = query.terms.filter(
    ({ kind, surface }) => kind !== 'word' || !isFunctionWordOf(surface, languages),
  );
  return { ...query, languages, terms: terms.length === 0 ? query.terms : terms };
}

/**
 * The phrases that every result must have. When the whole query is quoted, these are all of its phrases. Within a
 * question (who wrote "The Tailors"?) a phrase is one more thing to search for, which the answer need not repeat.
 */
export function requiredPhrases({ terms, phrases }: ParsedQuery): readonly TextTerm[] {
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

function keyOf(term: QueryTerm): string {
  return `${term.terms.join(' ')}${term.prefix ? '*' : ''}`;
}

function termsOf(word: string): QueryTerm[] {
  const bare = word.replace(EDGES, '');
  const tokens = queryTokens(bare);
  if (tokens.length > 1 && IDENTIFIER.test(bare) && tokens.every((token) => token.kind === 'word')) {
    const whole: QueryTerm = {
      terms: tokens.map((token) => token.term),
      prefix: false,
      surface: tokens.map((token) => token.surface).join(' '),
      kind: 'identifier',
    };
    // "self-healing" may also be written as two words.
    return PLAIN_HYPHENS.test(bare) ? [whole, ...tokens.map(single)] : [whole];
  }
  return tokens.map(single);
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
