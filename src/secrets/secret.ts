import type { Span } from '../core/types.ts';

/** A credential in a text. */
export interface Secret extends Span {
  /** Describes it without any part of it: `AWS access key`. */
  readonly kind: string;
}

/** A kind of credential, and how it is recognised. */
export interface SecretPattern {
  readonly kind: string;
  /** Global, with no empty match. The secret is the group `secret` (with the flag `d`), or else the whole match. */
  readonly pattern: RegExp;
  /** Checks a match; false if it only looks like a secret. */
  readonly accept?: (secret: string, match: RegExpExecArray) => boolean;
}

/** The matches of a list of patterns in a text, in the order of the list. */
export function findPatterns(text: string, patterns: readonly SecretPattern[]): Secret[] {
  return patterns.flatMap(({ kind, pattern, accept }) => {
    const found: Secret[] = [];
    // `matchAll` would copy the pattern, which takes longer than to search a short text.
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      const [start, end] = match.indices?.groups?.['secret'] ?? [match.index, match.index + match[0].length];
      if (accept?.(text.slice(start, end), match) !== false) found.push({ kind, start, end });
    }
    return found;
  });
}

/** What stands in the place of a secret. */
export const MASK: RegExp = /\[secret masked: [^\]\n]{1,80}\]/;

/**
 * Replaces each secret by a mask with its kind. Everything else stays as it is. A masked text has no secrets, so that to
 * mask it again changes nothing.
 *
 * @param secrets the result of `detectSecrets`: in order and without overlaps
 */
export function maskSecrets(text: string, secrets: readonly Secret[]): string {
  let masked = '';
  let from = 0;
  for (const { kind, start, end } of secrets) {
    masked += `${text.slice(from, start)}[secret masked: ${kind}]`;
    from = end;
  }
  return masked + text.slice(from);
}

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
