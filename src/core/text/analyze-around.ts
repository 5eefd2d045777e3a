import { analyze, stem, type Token } from './analyze.ts';

/**
 * The tokens of `analyze(text)` whose term is one of these, in order. Most words of a text begin with another letter
 * than any of the terms, and a stem begins as its word does: those are passed over unread.
 */
export function analyzeAmong(text: string, terms: ReadonlySet<string>): Token[] {
  const tokens: Token[] = [];
  if (terms.size === 0) return tokens;
  const initials = initialsOf(terms);
  for (let start = 0; start < text.length; start++) {
    if (kindAt(text, start) === SEPARATOR) continue;
    let end = start;
    let plain = true;
    for (let kind; end < text.length && (kind = kindAt(text, end)) !== SEPARATOR; end++)
      plain &&= kind === PLAIN;
    if (!plain) pushRun(text, start, end, terms, tokens);
    else if (initials[text.charCodeAt(start)] === 1) pushWord(text, start, end, terms, tokens);
    start = end;
  }
  return tokens;
}

/** Of each character below 128 whether it may begin a word of the terms. */
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
/** ASCII letters and digits are plain; an apostrophe may join two words to one. */
const KINDS: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[A-Za-z0-9]/.test(character)) return PLAIN;
  return character === "'" ? OTHER : SEPARATOR;
});

function kindAt(text: string, at: number): number {
  return KINDS[text.charCodeAt(at)] ?? OTHER;
}

/** Beyond this a word is cut, which `analyze` knows how to. */
const LONG = 64;

function pushWord(
  text: string,
  start: number,
  end: number,
  terms: ReadonlySet<string>,
  tokens: Token[],
): void {
  if (end - start > LONG) {
    pushRun(text, start, end, terms, tokens);
    return;
  }
  const surface = text.slice(start, end).toLowerCase();
  const term = stem(surface);
  if (terms.has(term)) tokens.push({ term, surface, start, end, kind: 'word' });
}

/** What stands between two ASCII separators is analysed alike whatever is around it: no word goes beyond. */
function pushRun(
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
