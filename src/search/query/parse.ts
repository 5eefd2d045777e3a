import { analyze, type Token } from '../../core/text/analyze.ts';
import { isStopWord } from '../../core/text/stop-words.ts';
import type { TextTerm } from '../../store/store.ts';

/** A query is words, never syntax. */
export interface ParsedQuery {
  /** The text as asked, cut to what is worth reading. */
  readonly text: string;
  /** What to look for, each once: words, identifiers, bigrams; stop words only when there is nothing else. */
  readonly terms: readonly QueryTerm[];
  /** What the asker put in quotes, each once; see `requiredPhrases`. */
  readonly phrases: readonly TextTerm[];
}

export interface QueryTerm extends TextTerm {
  /** As written, folded; for an identifier its parts with a space between. */
  readonly surface: string;
  readonly kind: 'word' | 'identifier' | 'bigram';
}

/** Beyond this a query is a document; its beginning says what it is about. UTF-16 code units. */
export const MAX_QUERY_LENGTH = 8192;
/** Terms that take part in full-text search. */
const MAX_TERMS = 64;
/** Phrases that take part; full-text search takes time with the square of their number. */
const MAX_PHRASES = 32;

const QUOTED = /"([^"]+)"|“([^”]+)”|「([^」]+)」/g;
/** A run without spaces that holds digits or `_ / . : # @ -` between letters: `CONV-1234`, `foo_bar`, `src/a.ts`. */
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
  for (const word of cut.split(/\s+/)) for (const term of termsOf(word)) found.set(keyOf(term), term);
  const all = [...found.values()];
  const telling = all.filter((term) => term.kind !== 'word' || !isStopWord(term.surface));
  const terms = (telling.length > 0 ? telling : all).slice(0, MAX_TERMS);
  return { text: cut, terms, phrases: [...phrases.values()] };
}

/**
 * A query of quotes alone wants just these words; within a question ("who wrote "The Tailors"?") a quoted title is one
 * more thing to look for, and the answer need not repeat it.
 */
export function requiredPhrases({ terms, phrases }: ParsedQuery): readonly TextTerm[] {
  const quoted = new Set(phrases.flatMap((phrase) => phrase.terms));
  return terms.every((term) => term.terms.every((word) => quoted.has(word))) ? phrases : [];
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
    // "self-healing" is two words that may also stand apart.
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

/** A CJK run is asked for by its bigrams; its last character alone only when the run is one character. */
function queryTokens(text: string): Token[] {
  const tokens = analyze(text);
  return tokens.filter((token, i) => {
    if (token.kind !== 'tail') return true;
    const before = tokens[i - 1];
    return before === undefined || before.kind !== 'bigram' || before.end !== token.end;
  });
}
