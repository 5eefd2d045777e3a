/** Finds where a text that is too long for one passage may be cut. */

export type CutAt = 'lines' | 'sentences';

const CJK_SENTENCE_ENDS = '。！？｡';
const SENTENCE_ENDS = '.!?…';
const CLOSERS = '"\')]}”’»」』）】》*_';
const CJK_PAUSES = '，、；：';
/** Quotes and brackets that may follow a full stop and still end the sentence with it. */
const MAX_CLOSERS = 4;

/** Sentence ends earlier than this share of the window make passages too short; a word's end is taken instead. */
const EARLIEST_SENTENCE_END = 0.25;

/**
 * The best offset in `(from, limit]` to end a piece that starts at `from`: a line's end, a sentence's end, a
 * word's end, a pause, and at last anywhere between two code points. Always past `from`.
 */
export function cutOffset(text: string, from: number, limit: number, cutAt: CutAt): number {
  if (cutAt === 'lines') {
    const newline = text.slice(from + 1, limit + 1).lastIndexOf('\n');
    if (newline >= 0) return from + 1 + newline;
  }
  const earliest = from + Math.floor((limit - from) * EARLIEST_SENTENCE_END);
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
  if (at < text.length && CLOSERS.includes(text[at]!)) return false;
  let last = at - 1;
  const furthest = Math.max(0, last - MAX_CLOSERS);
  while (last > furthest && CLOSERS.includes(text[last]!)) last--;
  const char = text[last]!;
  return CJK_SENTENCE_ENDS.includes(char) || (SENTENCE_ENDS.includes(char) && isSpace(text, at));
}

function isSpace(text: string, at: number): boolean {
  return at >= text.length || /\s/.test(text[at]!);
}

/** The nearest offset to `limit` that does not part a surrogate pair. */
function codePointOffset(text: string, from: number, limit: number): number {
  if (!isPair(text, limit)) return limit;
  return limit - 1 > from ? limit - 1 : limit + 1;
}

/** Whether the offset lies inside a surrogate pair. */
function isPair(text: string, offset: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(offset - 1, offset + 1));
}
