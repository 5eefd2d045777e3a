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
    lastOffset(limit, Math.max(from, earliest), (at) => endsSentence(text, at)) ??
    lastOffset(limit, Math.max(from, earliest), (at) => text[at] === '\n') ??
    lastOffset(limit, from, (at) => isSpace(text, at)) ??
    lastOffset(limit, Math.max(from, earliest), (at) => CJK_PAUSES.includes(text[at - 1]!)) ??
    codePointOffset(text, from, limit)
  );
}

function lastOffset(limit: number, floor: number, accepts: (at: number) => boolean): number | null {
  for (let at = limit; at > floor; at--) if (accepts(at)) return at;
  return null;
}

function endsSentence(text: string, at: number): boolean {
  if (at < text.length && CLOSING_MARKS.includes(text[at]!)) return false;
  let last = at - 1;
  const furthest = Math.max(0, last - MAX_CLOSING_MARKS);
  while (last > furthest && CLOSING_MARKS.includes(text[last]!)) last--;
  const char = text[last]!;
  return CJK_SENTENCE_ENDS.includes(char) || (SENTENCE_ENDS.includes(char) && isSpace(text, at));
}

function isSpace(text: string, at: number): boolean {
  return at >= text.length || /\s/.test(text[at]!);
}

/** The nearest offset to `limit` that does not split a surrogate pair. */
function codePointOffset(text: string, from: number, limit: number): number {
  if (!splitsSurrogatePair(text, limit)) return limit;
  return limit - 1 > from ? limit - 1 : limit + 1;
}

/** Whether the offset lies inside a surrogate pair. */
function splitsSurrogatePair(text: string, offset: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(offset - 1, offset + 1));
}
