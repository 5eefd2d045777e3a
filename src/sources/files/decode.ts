export interface DecodedText {
  /** Without a byte order mark; lines end with `\n`. */
  readonly text: string;
  /** The encoding in which some bytes are invalid, each replaced by U+FFFD; `null` if all are valid. */
  readonly invalidEncoding: string | null;
}

/** A file with a NUL byte in its first bytes is binary. */
const BINARY_PROBE_BYTES = 8192;

/** Decodes the bytes of a file as UTF-8, or as UTF-16 if they begin with its byte order mark. Returns `null` for binary files. */
export function decodeText(bytes: Uint8Array): DecodedText | null {
  const encoding = encodingOf(bytes);
  if (encoding === 'utf-8' && bytes.subarray(0, BINARY_PROBE_BYTES).includes(0)) return null;
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return { text: unixLines(text), invalidEncoding: null };
  } catch {
    const text = new TextDecoder(encoding).decode(bytes);
    return { text: unixLines(text), invalidEncoding: encoding.toUpperCase() };
  }
}

function encodingOf(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8';
}

function unixLines(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}
