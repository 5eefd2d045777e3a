import type { Secret } from './secret.ts';

/** The line that begins a private key: RFC 7468, OpenSSH, OpenPGP (RFC 9580, section 6.2). */
const BEGIN = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g;
const END = /-----END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/;
/** An RSA key of 16,384 bits takes 13,000 characters; it may be indented and quoted. */
const MAX_LENGTH = 40_000;
/** What may stand between the lines of a key: its wraps, written out or not, and the marks of quotes and strings. */
const WRAP = String.raw`(?:[\s>|"',#*]|\\+[nrt])`;
/** A line of a key. Prose has no word of so many letters. */
const LINE = '[A-Za-z0-9+/]{24,}={0,2}';
/** The headers of old formats (RFC 1421), each with its line's end. */
const HEADERS = String.raw`(?:[A-Z][A-Za-z-]{2,20}: [^\n\\]{0,200}(?:\n|\\+n)${WRAP}*){0,5}`;
/** The last line, which may be short; then the text, the paragraph or the string ends behind it. */
const LAST_LINE = String.raw`(?:${WRAP}{1,40}[A-Za-z0-9+/]{1,23}={0,2}(?=${WRAP}{0,40}(?:$|[\n-])|["'\x60]))?`;
/** A key that has lost its end. */
const OPEN_BODY = new RegExp(`${WRAP}*${HEADERS}${LINE}(?:${WRAP}{1,40}${LINE})*${LAST_LINE}`, 'y');
const KEY_MATERIAL = /[A-Za-z0-9+/]{12,}/g;

/** Private keys in PEM, with the lines that begin and end them, however they are wrapped. */
export function findPrivateKeys(text: string): Secret[] {
  const begins = [...text.matchAll(BEGIN)];
  return begins.flatMap(({ 0: begin, index: start }, place) => {
    const body = start + begin.length;
    const next = begins[place + 1]?.index ?? text.length;
    const end = endOfKey(text, body, Math.min(next, body + MAX_LENGTH));
    return end === null ? [] : [{ kind: 'private key', start, end }];
  });
}

/** Null where the lines are only spoken of. */
function endOfKey(text: string, body: number, limit: number): number | null {
  const within = text.slice(body, limit);
  const end = END.exec(within);
  if (end !== null && hasKeyMaterial(within.slice(0, end.index))) return body + end.index + end[0].length;
  OPEN_BODY.lastIndex = 0;
  const open = OPEN_BODY.exec(within);
  return open === null ? null : body + open[0].length;
}

function hasKeyMaterial(body: string): boolean {
  const runs = body.replaceAll(/\\+[nrt]/g, ' ').match(KEY_MATERIAL) ?? [];
  return runs.some((run) => /[A-Z]/.test(run) && /[a-z]/.test(run));
}
