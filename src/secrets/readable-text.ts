/** Invisible characters: soft hyphen, zero-width spaces and joiners, direction marks, byte order mark. */
const INVISIBLE = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+/g;
/** Full-width ASCII: `：`, `Ａ`. */
const FULL_WIDTH = /[\uff01-\uff5e]/g;
const WIDTH_OFFSET = 0xfee0;

/** A text as a reader sees it, with the offsets of its characters in the original text. */
interface ReadableText {
  readonly text: string;
  /** The offset in the original text of the code unit at an offset of `text`. */
  readonly original: (offset: number) => number;
}

/** Converts full-width ASCII to ASCII, as the index does, and removes invisible characters. */
export function readableText(text: string): ReadableText {
  const narrow = text.replace(FULL_WIDTH, (wide) => String.fromCharCode(wide.charCodeAt(0) - WIDTH_OFFSET));
  const visible = narrow.replace(INVISIBLE, '');
  if (visible.length === narrow.length) return { text: narrow, original: (offset) => offset };
  const offsets = new Uint32Array(visible.length);
  let kept = 0;
  let from = 0;
  const keep = (end: number): void => {
    for (let offset = from; offset < end; offset += 1) offsets[kept++] = offset;
  };
  for (const { 0: invisible, index } of narrow.matchAll(INVISIBLE)) {
    keep(index);
    from = index + invisible.length;
  }
  keep(narrow.length);
  return { text: visible, original: (offset) => offsets[offset] ?? text.length };
}
