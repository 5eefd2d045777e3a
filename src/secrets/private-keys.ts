import type { Secret } from './secret.ts';

/** The line that begins a private key: RFC 7468, OpenSSH, OpenPGP (RFC 9580, section 6.2). */
const BEGIN = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g;
const END = /-----END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/;
/** An RSA key of 16,384 bits takes 13,000 characters; it may be indented and quoted. */
const MAX_LENGTH = 40_000;
/** Characters between the lines of a key: line breaks, escaped or not, and the marks of quotations and strings. */
const WRAP = String.raw`(?:[\s>|"',#*]|\\+[nrt])`;
/** A line of a key. Prose has no words of that length. */
const LINE = '[A-Za-z0-9+/]{24,}={0,2}';
/** The headers of old formats (RFC 1421), each with its line break. */
const HEADERS = String.raw`(?:[A-Z][A-Za-z-]{2,20}: [^\n\\]{0,200}(?:\n|\\+n)${WRAP}*){0,5}`;
/** The last line. It may be short if the text, the paragraph or the string ends after it. */
const LAST_LINE = String.raw`(?:${WRAP}{1,40}[A-Za-z0-9+/]{1,23}={0,2}(?=${WRAP}{0,40}(?:$|[\n-])|["'\x60]))?`;
/** The body of a key without an END line. */
const UNTERMINATED_BODY = new RegExp(`${WRAP}*${HEADERS}${LINE}(?:${WRAP}{1,40}${LINE})*${LAST_LINE}`, 'y');
const KEY_MATERIAL = /[A-Za-z0-9+/]{12,}/g;

/** Finds private keys in PEM with their BEGIN and END lines, however they are wrapped. */
export function findPrivateKeys(text: string): Secret[] {
  const begins = [...text.matchAll(BEGIN)];
  return begins.flatMap(({ 0: begin, index: start }, i) => {
    const body = start + begin.length;
    const next = begins[i + 1]?.index ?? text.length;
    const end = endOfKey(text, body, Math.min(next, body + MAX_LENGTH));
    return end === null ? [] : [{ kind: 'private key', start, end }];
  });
}

/** Returns null if the BEGIN line is only mentioned in prose. */
function endOfKey(text: string, body: number, limit: number): number | null {
  const content = text.slice(body, limit);
  const end = END.exec(content);
  if (end !== null && hasKeyMaterial(content.slice(0, end.index))) return body + end.index + end[0].length;
  UNTERMINATED_BODY.lastIndex = 0;
  const unterminated = UNTERMINATED_BODY.exec(content);
  return unterminated === null ? null : body + unterminated[0].length;
}

function hasKeyMaterial(body: string): boolean {
  const runs = body.replaceAll(/\\+[nrt]/g, ' ').match(KEY_MATERIAL) ?? [];
  return runs.some((run) => /[A-Z]/.test(run) && /[a-z]/.test(run));
}
