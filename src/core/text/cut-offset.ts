export type CutBoundary = 'lines' | 'sentences';

const CJK_SENTENCE_ENDS = '。！？｡';
const SENTENCE_ENDS = '.!?…';
const CLOSING_MARKS = '"\')]}”’»」』）】》*_';
const CJK_PAUSES = '，、；：';
/** Maximum number of closing quotes and brackets between a full stop and the end of the sentence. */
const MAX_CLOSING_MARKS = 4;

/** A sentence end before this share of the window is not used, because the passage would be too short. */
const MIN_SENTENCE_SHARE = 0.25;

/**
 * The best offset in `(from, limit]` to end a piece that starts at `from`: the end of a line, of a sentence or of a word, else
 * a pause, else any boundary between two code points. The result is always greater than `from`.
 */
export function cutOffset(text: string, from: number, limit: number, cutAt: CutBoundary): number {
  if (cutAt === 'lines') {
    const newline = text.slice(from + 1, limit + 1).lastIndexOf('\n');
    if (newline >= 0) return from + 1 + newline;
  }
  const earliest = from + Math.floor((limit - from) * MIN_SENTENCE_SHARE);
  return (
    lastSentenceEnd(text, Math.max(from, earliest), limit) ??
    lastOffset(limit, Math.max(from, earliest), (index) => text[index] === '\n') ??
    lastOffset(limit, from, (index) => isSpace(text, index)) ??
    lastOffset(limit, Math.max(from, earliest), (index) => CJK_PAUSES.includes(text[index - 1]!)) ??
    codePointOffset(text, from, limit)
  );
}

/** The last offset in `(from, limit]` at which a sentence ends. */
export function lastSentenceEnd(text: string, from: number, limit: number): number | null {
  return lastOffset(limit, from, (index) => endsSentence(text, index));
}

function lastOffset(limit: number, floor: number, accepts: (index: number) => boolean): number | null {
  for (let index = limit; index > floor; index--) if (accepts(index)) return index;
  return null;
}

function endsSentence(text: string, index: number): boolean {
  if (index < text.length && CLOSING_MARKS.includes(text[index]!)) return false;
  let last = index - 1;
  const furthest = Math.max(0, last - MAX_CLOSING_MARKS);
  while (last > furthest && CLOSING_MARKS.includes(text[last]!)) last--;
  const char = text[last]!;
  return CJK_SENTENCE_ENDS.includes(char) || (SENTENCE_ENDS.includes(char) && isSpace(text, index));
}

function isSpace(text: string, index: number): boolean {
  return index >= text.length || /\s/.test(text[index]!);
}

/** The nearest offset to `limit` that does not split a surrogate pair. */
function codePointOffset(text: string, from: number, limit: number): number {
  if (!splitsSurrogatePair(text, limit)) return limit;
  return limit - 1 > from ? limit - 1 : limit + 1;
}

/** Whether the offset lies inside a surrogate pair. */
export function splitsSurrogatePair(text: string, offset: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(Math.max(0, offset - 1), offset + 1));
}
