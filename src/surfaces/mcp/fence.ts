/**
 * Recalled text between two fences, for a model to read as data. The fence is a run of tildes longer than any in the
 * text (CommonMark 0.31, section 4.5), so that no text can end it and go on as if it were ours.
 */
export function fence(text: string, label: string): string {
  const longest = Math.max(0, ...Array.from(text.matchAll(/~+/g), ([run]) => run.length));
  const marks = '~'.repeat(Math.max(3, longest + 1));
  return `${marks} ${label}\n${text}${text.endsWith('\n') ? '' : '\n'}${marks}`;
}

/** Text of others on one line, so that it cannot begin a line that looks like ours. */
export function onOneLine(text: string): string {
  return text.replaceAll(/[\s\u0085\u2028\u2029\p{Cc}]+/gu, ' ').trim();
}
