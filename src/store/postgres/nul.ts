/**
 * PostgreSQL stores no U+0000 in a text, and refuses its escape in JSON, so that both are stored as a noncharacter and a digit. The
 * noncharacter itself is stored with a digit as well, so that every text is read as it was written.
 */
const MARK = '\u{10fffe}';

const NUL = '0';
const ESCAPED_NUL = '1';
const MARK_ITSELF = '2';

/** An escape of U+0000 in JSON, but not an escaped backslash before `u0000`. */
const ESCAPE = /(?<!\\)((?:\\\\)*)\\u0000/g;

/** The text as it is stored. */
export function encoded(text: string): string {
  const hasEscape = text.includes('\\u0000');
  if (!hasEscape && !text.includes('\0') && !text.includes(MARK)) return text;
  const marked = text.replaceAll(MARK, MARK + MARK_ITSELF).replaceAll('\0', MARK + NUL);
  return hasEscape ? marked.replace(ESCAPE, `$1${MARK}${ESCAPED_NUL}`) : marked;
}

/** The text as it was written. */
export function decoded(text: string): string {
  return replaced(text, '\0', '\\u0000');
}

/** JSON that the database made of stored texts, with the texts as they were written. */
export function decodedJson(json: string): string {
  return replaced(json, '\\u0000', '\\\\u0000');
}

function replaced(text: string, nul: string, escaped: string): string {
  if (!text.includes(MARK)) return text;
  return text.replaceAll(/\u{10fffe}([012])/gu, (_, digit: string) =>
    digit === NUL ? nul : digit === ESCAPED_NUL ? escaped : MARK,
  );
}
