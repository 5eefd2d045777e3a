export interface DecodedText {
  /** Without a byte order mark; lines end with `\n`. */
  readonly text: string;
  /** The encoding in which some bytes are invalid, each replaced by U+FFFD; `null` if all are valid. */
  readonly invalidEncoding: string | null;
  /** The encoding of before Unicode as which the bytes were read, because they are no UTF-8; `null` for all others. */
  readonly legacyEncoding: LegacyEncoding | null;
}

type LegacyEncoding = 'windows-1252' | 'GB 18030';

/** A file with a NUL byte in its first bytes is binary. */
const BINARY_PROBE_BYTES = 8192;

/**
 * Decodes the bytes of a file as UTF-8, as UTF-16 if they begin with its byte order mark, or as the encoding of before Unicode that
 * they look like. Returns `null` for binary files.
 */
export function decodeText(bytes: Uint8Array): DecodedText | null {
  const encoding = encodingOf(bytes);
  if (encoding === 'utf-8' && bytes.subarray(0, BINARY_PROBE_BYTES).includes(0)) return null;
  const valid = decoded(bytes, encoding);
  if (valid !== null) return { text: unixLines(valid), invalidEncoding: null, legacyEncoding: null };
  const replaced = new TextDecoder(encoding).decode(bytes);
  const legacy = encoding === 'utf-8' && !isDamagedUtf8(replaced) ? legacyText(bytes) : null;
  if (legacy !== null) return { ...legacy, text: unixLines(legacy.text), invalidEncoding: null };
  return { text: unixLines(replaced), invalidEncoding: encoding.toUpperCase(), legacyEncoding: null };
}

function encodingOf(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8';
}

function decoded(bytes: Uint8Array, encoding: string): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Whether a text in UTF-8 has lost some bytes: it has at least as many other characters beyond ASCII as invalid bytes. */
function isDamagedUtf8(replaced: string): boolean {
  const invalid = replaced.match(/\ufffd/g)?.length ?? 0;
  const others = replaced.match(/[^\0-\x7f\ufffd]/gu)?.length ?? 0;
  return others >= invalid;
}

/** What windows-1252 writes in bytes above 0x7f, but for the control characters, which are in no text. */
const ONLY_WESTERN =
  /^[\0-\x7f\xa0-\xff\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013-\u203a\u20ac\u2122]*$/;
const BEYOND_ASCII = /[^\0-\x7f]/gu;
/** Characters and punctuation of Chinese. */
const CHINESE = /[\u3000-\u303f\u4e00-\u9fff\uff00-\uff65]/g;
/** The share of Chinese in what is beyond ASCII, in a text that is Chinese. */
const MIN_CHINESE = 0.9;
/** A longer Chinese text has one of these; one of another encoding that is read as GB 18030 need not. */
const MOST_FREQUENT = /[的一是不了在有我人这中大上个，。、]/;
const MAX_LENGTH_WITHOUT = 40;

/** The bytes of a text above 0x7f stand in pairs in Chinese, and mostly alone in Western languages. */
function legacyText(bytes: Uint8Array): Pick<DecodedText, 'text' | 'legacyEncoding'> | null {
  const { pairs, ofChinese, alone } = highBytes(bytes);
  if (pairs <= alone) {
    const text = new TextDecoder('windows-1252').decode(bytes);
    return ONLY_WESTERN.test(text) ? { text, legacyEncoding: 'windows-1252' } : null;
  }
  const text = ofChinese < MIN_CHINESE * pairs ? null : decoded(bytes, 'gb18030');
  if (text === null) return null;
  const chinese = countOf(text, CHINESE);
  const isChinese =
    chinese >= MIN_CHINESE * countOf(text, BEYOND_ASCII) &&
    (chinese < MAX_LENGTH_WITHOUT || MOST_FREQUENT.test(text));
  return isChinese ? { text, legacyEncoding: 'GB 18030' } : null;
}

/** The bytes above 0x7f: pairs of them, how many of these are in GB 2312, which has the usual characters, and single ones. */
function highBytes(bytes: Uint8Array): { pairs: number; ofChinese: number; alone: number } {
  let [pairs, ofChinese, alone] = [0, 0, 0];
  for (let i = 0; i < bytes.length; i++) {
    const [first, second] = [bytes[i]!, bytes[i + 1] ?? 0];
    if (first < 0x80) continue;
    if (second < 0x80) {
      alone++;
      continue;
    }
    pairs++;
    i++;
    if (first >= 0xa1 && second >= 0xa1) ofChinese++;
  }
  return { pairs, ofChinese, alone };
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

function unixLines(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}
