/**
 * The header of a message (RFC 5322): a Map from small-letter names to values, unfolded, the first of each name.
 * Stops at the first empty line.
 * @param {Uint8Array} head The beginning of the message.
 * @returns {Map<string, string>}
 */
export function parseHeaders(head) {
  // Latin 1 keeps every byte, so the end of the header is found before anything is decoded.
  const bytes = Buffer.from(head);
  const end = /(?:^|\n)\r?\n/.exec(bytes.latin1Slice());
  const text = decodeBytes(bytes.subarray(0, end?.index ?? bytes.length));
  const headers = new Map();
  for (const line of text.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const [, name, value] = /^([!-9;-~]+)[ \t]*:(.*)$/s.exec(line) ?? [];
    if (name !== undefined && !headers.has(name.toLowerCase())) headers.set(name.toLowerCase(), value.trim());
  }
  return headers;
}

/** Headers should be ASCII. Some are UTF-8 (RFC 6532), and old ones Windows-1252. */
function decodeBytes(bytes) {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

const ENCODED_WORD = /=\?([^?*\s]+)(?:\*[^?\s]*)?\?([qb])\?([^?\s]*)\?=/gi;

/**
 * A value with its encoded words (RFC 2047) decoded, on one line, without control characters. Blanks between two
 * encoded words are removed, and a character that is split between two words is joined.
 */
export function decodeText(value) {
  let text = '';
  let last = 0;
  let pending = null;
  for (const found of value.matchAll(ENCODED_WORD)) {
    const [whole, charset, encoding, encoded] = found;
    const between = value.slice(last, found.index);
    const bytes = /b/i.test(encoding) ? Buffer.from(encoded, 'base64') : decodeQ(encoded);
    if (pending !== null && between.trim() === '' && pending.charset === charset.toLowerCase()) {
      pending.bytes = Buffer.concat([pending.bytes, bytes]);
    } else {
      text += textOf(pending);
      if (pending === null || between.trim() !== '') text += between;
      pending = { charset: charset.toLowerCase(), bytes };
    }
    last = found.index + whole.length;
  }
  return cleaned(text + textOf(pending) + value.slice(last));
}

function decodeQ(encoded) {
  const latin1 = encoded
    .replaceAll('_', ' ')
    .replace(/=([0-9A-F]{2})/gi, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)));
  return Buffer.from(latin1, 'latin1');
}

function textOf(pending) {
  if (pending === null) return '';
  try {
    return new TextDecoder(pending.charset).decode(pending.bytes);
  } catch {
    // The character set is unknown, but most of them contain ASCII.
    return pending.bytes.toString('latin1').replace(/[^ -~]/g, '\u{fffd}');
  }
}

/** Removes characters that break the line or change the direction of text. */
function cleaned(text) {
  return text
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

/**
 * The first mailbox of a From header: `{ name, address }`. An address within a name is no address.
 * @param {string} value
 */
export function parseSender(value) {
  const line = value.replace(/\s+/g, ' ').trim();
  const angled = /^\s*(?:"((?:\\.|[^"\\])*)"|([^<,"]*))\s*<\s*([^<>\s]+)\s*>/.exec(line);
  if (angled !== null) {
    const [, quoted, plain, address] = angled;
    return { name: decodeText(quoted?.replace(/\\(.)/g, '$1') ?? plain), address };
  }
  const [, address, comment] = /^\s*([^\s<>(),;"]+@[^\s<>(),;"]+)\s*(?:\(([^()]*)\))?/.exec(line) ?? [];
  if (address !== undefined) return { name: decodeText(comment ?? ''), address };
  return { name: decodeText(line), address: '' };
}
