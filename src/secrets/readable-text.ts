/** Characters that nobody sees: soft hyphen, zero-width spaces and joiners, marks of direction, byte order mark. */
const INVISIBLE = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+/g;
/** ASCII in the width of an ideograph: `：`, `Ａ`. */
const FULL_WIDTH = /[\uff01-\uff5e]/g;
const WIDTH_OFFSET = 0xfee0;

/** A text as a reader sees it, and where each of its characters stands in the text itself. */
export interface ReadableText {
  readonly text: string;
  /** Offset in the text itself of the code unit at an offset of `text`. */
  readonly original: (at: number) => number;
}

/** Full-width ASCII becomes ASCII, as it does in the index, and what cannot be seen is left out. */
export function readableText(text: string): ReadableText {
  const narrow = text.replace(FULL_WIDTH, (wide) => String.fromCharCode(wide.charCodeAt(0) - WIDTH_OFFSET));
  const visible = narrow.replace(INVISIBLE, '');
  if (visible.length === narrow.length) return { text: narrow, original: (at) => at };
  const offsets = new Uint32Array(visible.length);
  let read = 0;
  let from = 0;
  const keep = (end: number): void => {
    for (let at = from; at < end; at += 1) offsets[read++] = at;
  };
  for (const { 0: invisible, index } of narrow.matchAll(INVISIBLE)) {
    keep(index);
    from = index + invisible.length;
  }
  keep(narrow.length);
  return { text: visible, original: (at) => offsets[at] ?? text.length };
}
