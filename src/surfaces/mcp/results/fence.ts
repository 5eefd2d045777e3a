import {
  jsonEscapes,
  replaceInvisible,
  withoutInvisible,
  withoutInvisibleOrMarks,
} from '../../../core/text/invisible-characters.ts';

const SIGN = '\ufffd';

/**
 * Recalled text between two fences, for a model to read as data, and nothing in it that a person who looks at it would not
 * see. The fence is a run of tildes longer than any in the
 * text (CommonMark 0.31, section 4.5), so that no text can end it and go on as if it were ours.
 */
export function fence(recalled: string, label: string): string {
  const text = withoutInvisible(recalled);
  const longest = Math.max(0, ...Array.from(text.matchAll(/~+/g), ([run]) => run.length));
  const marks = '~'.repeat(Math.max(3, longest + 1));
  return `${marks} ${label}\n${text}${text.endsWith('\n') ? '' : '\n'}${marks}`;
}

/** Text of others on one line, so that it cannot begin a line that looks like ours, without what is not seen. */
export function onOneLine(text: string): string {
  return withoutInvisibleOrMarks(text)
    .replaceAll(/[\s\u0085\u2028\u2029\p{Cc}]+/gu, ' ')
    .trim();
}

/** An answer as JSON: what is hidden in texts of others is written as escapes, and means the same. */
export function jsonText(output: unknown): string {
  return replaceInvisible(JSON.stringify(output), jsonEscapes);
}

/**
 * A message of ours that may repeat texts of others: nothing in it is hidden, and no line but its first begins where
 * one of ours does.
 */
export function asMessage(text: string): string {
  return withoutInvisible(text)
    .replaceAll(/[[\p{Cc}\u2028\u2029]--\n]+/gv, ' ')
    .replaceAll(/\n */g, '\n    ')
    .trim();
}

/**
 * An answer without what is hidden in texts of others, names of fields among them. In a snippet a sign stands for each
 * character, because `highlights` count them.
 * @param asItIs the field whose text is answered to the letter
 */
export function withoutHiddenTexts(value: unknown, asItIs: string | null, name = ''): unknown {
  if (typeof value === 'string') {
    if (name === asItIs) return value;
    return name === 'snippet'
      ? replaceInvisible(value, ({ length }) => SIGN.repeat(length))
      : withoutInvisible(value);
  }
  if (Array.isArray(value)) return value.map((item) => withoutHiddenTexts(item, null, name));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([key, held]) => [
    withoutInvisible(key),
    // What has the same name further in is another field.
    typeof held === 'string' ? withoutHiddenTexts(held, asItIs, key) : withoutHiddenTexts(held, null, key),
  ]);
  return Object.fromEntries(fields) as unknown;
}
