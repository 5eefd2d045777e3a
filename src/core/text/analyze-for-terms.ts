import { analyze, stem, type Token } from './analyze.ts';

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
