export interface DecodedText {
  /** Without a byte order mark; lines end with `\n`. */
  readonly text: string;
  /** The encoding whose rules some bytes broke; each such place holds U+FFFD. */
  readonly broken: string | null;
}

/** A NUL byte this early says that a file is no text. */
const BINARY_PROBE_BYTES = 8192;

/** The text of a file's bytes (UTF-8, or UTF-16 behind its byte order mark), or `null` when they are no text. */
export function decodeText(bytes: Uint8Array): DecodedText | null {
  const encoding = encodingOf(bytes);
  if (encoding === 'utf-8' && bytes.subarray(0, BINARY_PROBE_BYTES).includes(0)) return null;
  try {
    return { text: unixLines(new TextDecoder(encoding, { fatal: true }).decode(bytes)), broken: null };
  } catch {
    return { text: unixLines(new TextDecoder(encoding).decode(bytes)), broken: encoding.toUpperCase() };
  }
}

function encodingOf(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8';
}

function unixLines(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}
