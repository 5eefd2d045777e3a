import { jsonEscapes, replaceHidden, withoutHidden, withoutUnseen } from '../../core/text/unseen.ts';

/**
 * Recalled text between two fences, for a model to read as data, and nothing in it that a person who looks at it would not
 * see. The fence is a run of tildes longer than any in the
 * text (CommonMark 0.31, section 4.5), so that no text can end it and go on as if it were ours.
 */
export function fence(recalled: string, label: string): string {
  const text = withoutHidden(recalled);
  const longest = Math.max(0, ...Array.from(text.matchAll(/~+/g), ([run]) => run.length));
  const marks = '~'.repeat(Math.max(3, longest + 1));
  return `${marks} ${label}\n${text}${text.endsWith('\n') ? '' : '\n'}${marks}`;
}

/** Text of others on one line, so that it cannot begin a line that looks like ours, without what is not seen. */
export function onOneLine(text: string): string {
  return withoutUnseen(text)
    .replaceAll(/[\s\u0085\u2028\u2029\p{Cc}]+/gu, ' ')
    .trim();
}

/** An answer as JSON: what is hidden in texts of others is written as escapes, and means the same. */
export function jsonText(output: unknown): string {
  return replaceHidden(JSON.stringify(output), jsonEscapes);
}
