import { createHash } from 'node:crypto';
import type { SecretPattern } from './secret.ts';

/** What every pattern of `STATED_SECRETS` requires. */
export const SECRET_IN_CONTEXT = new RegExp(
  'A[KS]IA|key-data|LS0tLS1CRUdJTiB|Private-Lines|WIFI:|wi-?fi|wlan|wpa|psk|pre-?shared|router|hotspot|netzwerk|sess|sid|cookie|' +
    'pin|puk|geheimzahl|passcode|code|kombination|combination|recovery|backup|scratch|emergency|wiederherst|[2m]fa|one-time|phrase|words?|mnemonic|' +
    String.raw`:[\w.@*-]+:\S|[5KL][1-9A-HJ-NP-Za-km-z]{50}|[0-9a-f]{64}|\d{6}-\d{6}-`,
  'iu',
);

/** Between a name and a stated value: `: `, ` = `, ` is `. */
const STATES = String.raw`["'\x60*_]{0,3}[ \t]{0,3}(?:[:=]|(?:is|was|ist|lautet|est|es)\b)[*_]{0,2}[ \t]{0,3}["'\x60#]{0,2}`;
/** One recovery code: at least eight letters and digits, in groups or not. */
const CODE_GROUPS = String.raw`(?:\d{4}[ \xa0]\d{4}|[0-9A-Za-z]{4,10}(?:-[0-9A-Za-z]{4,10}){1,7}|[0-9A-Za-z]{8,32})(?![0-9A-Za-z-])`;
const CODE = String.raw`(?=[A-Za-z-]{0,80}\d)${CODE_GROUPS}`;
/** What is between two codes: blanks, commas, line breaks, marks and numbers of lists, tick boxes. */
const BETWEEN_CODES = String.raw`[\s,;*•>|\x60\[\]-]{1,12}(?:\d{1,2}[.)][ \t]{1,3}(?:\[[ xX]?\][ \t]{1,3})?)?\x60?`;
/** In a list, a code on a line of its own may have letters only. */
const NEXT_CODE = String.raw`${BETWEEN_CODES}${CODE}|[ \t\x60]{0,4}\r?\n[ \t>]{0,8}(?:[-*•][ \t]{1,3}|\d{1,2}[.)][ \t]{1,3})?\x60?${CODE_GROUPS}(?=[ \t\x60]{0,4}[\r\n]|[ \t\x60]{0,4}$)`;
/** Frequent English words that the list of BIP 39 lacks. */
const NOT_IN_BIP_39: readonly string[] =
  'the and for with from are was were but not your our has had his her him its she who whom which while would could should their them these those than how did does each every some most may new made said well here'.split(
    ' ',
  );
/** A word that a seed phrase may have. */
const WORD = String.raw`(?<![A-Za-z])(?!${NOT_IN_BIP_39.map((word) => String.raw`${word}\b`).join('|')})[a-z]{3,8}\b`;
const LIST_MARK = String.raw`(?:[-*][ \t]|\d{1,2}[.):]?[ \t]{1,2})?`;
const DOOR =
  '(?:door|gate|alarm|safe|locker|lock(?: ?box)?|garage|entry|key ?box|haustür|tür|tresor|alarmanlagen)';
const OF_OWNER = String.raw`(?:my|our|the|meine?|unsere?|die|der|mi|mon|el|le|il mio|card|bank|debit|credit|sim|phone|iphone|device|tablet|visa|mastercard|ec|giro|konto|handy)`;

function pattern(
  kind: string,
  format: string,
  flags = 'dgiu',
  accept?: SecretPattern['accept'],
): SecretPattern {
  return { kind, pattern: new RegExp(format, flags), ...(accept && { accept }) };
}

/** Secrets without a format of their own, which are recognised by what is around them or by a checksum. */
export const STATED_SECRETS: readonly SecretPattern[] = [
  pattern(
    'AWS secret key',
    String.raw`(?<![A-Z0-9])A[KS]IA[A-Z0-9]{16}(?![A-Z0-9])[\s\S]{0,80}?(?<![0-9A-Za-z/+=_.-])(?<secret>[0-9A-Za-z/+]{40})(?![0-9A-Za-z/+=_.-])`,
    'dg',
    isMixed,
  ),
  pattern(
    'AWS secret key',
    String.raw`(?<![0-9A-Za-z/+=_.-])(?<secret>[0-9A-Za-z/+]{40})(?![0-9A-Za-z/+=_.-])[\s\S]{0,80}?(?<![A-Z0-9])A[KS]IA[A-Z0-9]{16}(?![A-Z0-9])`,
    'dg',
    isMixed,
  ),
  pattern(
    'private key',
    String.raw`\bclient-key-data["']?:[ \t]{0,4}["']?(?<secret>[0-9A-Za-z+/]{40,}={0,2})`,
  ),
  // A PEM file in base64: BEGIN PRIVATE, RSA, EC or ENCRYPTED, OPENSSH, DSA; not CERTIFICATE or PUBLIC.
  pattern(
    'private key',
    String.raw`(?<![0-9A-Za-z+/])LS0tLS1CRUdJTiB(?:QUklW|[SFPE])[0-9A-Za-z+/]{60,}={0,2}`,
    'g',
  ),
  pattern(
    'private key',
    String.raw`^[ \t>]{0,8}Private-Lines:[ \t]\d{1,3}\r?\n(?<secret>(?:[ \t>]{0,8}[0-9A-Za-z+/]{1,80}={0,2}(?:\r?\n|$)){1,200})`,
    'dgm',
  ),
  pattern(
    'wallet key',
    String.raw`(?<![0-9A-Za-z])(?<secret>[5KL][1-9A-HJ-NP-Za-km-z]{50,51})(?![0-9A-Za-z])`,
    'dg',
    isBase58Check,
  ),
  pattern(
    'wallet key',
    String.raw`\b(?:private|secret|wallet|signer|signing|deployer|eth(?:ereum)?|metamask|btc|bitcoin)[ _-]?(?:private[ _-]?)?(?:key|pk)\b[^\n0-9a-f\]]{0,24}(?<secret>(?:0x)?[0-9a-f]{64})(?![0-9a-f])`,
  ),
  // `host:port:database:user:password` of libpq.
  pattern(
    'password',
    String.raw`^(?:[\w.-]{1,255}|\*):(?:\d{4,5}|\*):(?:[A-Za-z_][\w-]{0,62}|\*):[\w.@-]{1,63}:(?<secret>[^\s:]{4,200})$`,
    'dgm',
  ),
  pattern(
    'session cookie',
    String.raw`(?:\b(?:sess(?:ion)?|phpsess|jsession|sid|connect\.sid)|_sess(?:ion)?)(?:[_.-]?(?:id|key|token|data))?=(?<secret>[\w%.~+/-]{16,4096})`,
    'dgiu',
    isSessionId,
  ),
  pattern(
    'session cookie',
    String.raw`\bcookie["']?:[ \t]{1,3}["']?(?:[\w.-]{1,64}=[\w%.~+/-]{0,256};[ \t]{0,2}){0,20}[\w.-]{0,58}(?:auth|token|remember|jwt|csrf)[\w.-]{0,20}=(?<secret>[\w%.~+/-]{16,4096})`,
  ),
  pattern('wifi key', String.raw`\bWIFI:[^\n]{0,200}?P:(?<secret>(?:[^;\\\s]|\\[^\s]){4,63});`),
  pattern(
    'wifi key',
    String.raw`\b(?:(?:wi-?fi|wlan|wpa[23]?|router|hotspot|netzwerk)[ _-]?(?:network[ _-]?)?(?:key|pin|code|psk|passphrase|schlüssel)|pre-?shared[ _-]?key|psk)${STATES}(?<secret>\d{4}(?:[ -]?\d{4}){1,5}|[^\s"'\x60]{8,63}(?<![.,;:!?)]))`,
    'dgiu',
    (secret) => /\d/.test(secret) && !/^[<$[{(]/.test(secret),
  ),
  // A word of letters only: the sentence states it and ends.
  pattern(
    'wifi key',
    String.raw`\b(?:wi-?fi|wlan|wpa[23]?|hotspot)[ _-]?(?:network[ _-]?)?(?:key|psk|passphrase|schlüssel)(?:[ \t]{0,3}:[ \t]{0,3}|[ \t]{1,3}(?:is|ist|lautet|es|est)[ \t]{1,3})["'\x60]?(?<secret>[a-z]{12,63})(?=["'\x60]?[.,;]?[ \t]{0,3}[\r\n]|["'\x60]?[.,;]?[ \t]{0,3}$)`,
  ),
  pattern(
    'PIN',
    String.raw`\b(?:${OF_OWNER}[ -]){1,4}(?:pin|puk|geheimzahl|passcode)(?:[ -]?(?:code|number|nummer))?(?:[ \t]{1,3}(?:of|for|de|del|von|für)(?:[ \t]{1,3}[a-zà-ÿ]{2,12}){0,3}[ \t]{1,3}(?:visa|mastercard|(?:sim|giro|ec-?)?(?:card|karte)|phone|iphone|tablet|tarjeta|carte))?${STATES}(?<secret>\d{4,8})(?![\d.,:/-]*\d)`,
  ),
  pattern(
    'PIN',
    String.raw`\b(?:PIN|PUK)[ \t]{0,2}[:=][ \t]{0,3}(?<secret>\d{4}|\d{8})(?![\d.,:/-]*\d)`,
    'dg',
  ),
  pattern(
    'PIN',
    String.raw`\b${DOOR}[ -]?(?:code|pin|combination|kombination)${STATES}(?<secret>[#*]?\d{1,8}(?:-\d{1,4}){0,4}[#*]?)(?![\d.,:/]*\d)`,
    'dgiu',
    (secret) => secret.length >= 4,
  ),
  pattern(
    'recovery code',
    String.raw`\b(?:recovery|backup|scratch|emergency|wiederherstellungs|2fa|mfa|one-time)[ _-]?(?:codes?|keys?|schlüssel)\b(?:[^\n:=|\]]{0,40}(?:[:=|]|\b(?:is|are|ist|sind|lautet|lauten)\b)[*_"']{0,3}[ \t]{0,3}(?:\s{0,4}${BETWEEN_CODES})?|[^\n:=|\]]{0,40}\s{0,4}\n${BETWEEN_CODES}|[^\n:=|\]]{0,40}\n)["'\x60]?(?<![0-9A-Za-z])(?<secret>(?:${CODE}|${CODE_GROUPS}${BETWEEN_CODES}${CODE})(?:${NEXT_CODE})*)`,
    'dgiu',
    areRecoveryCodes,
  ),
  pattern(
    'seed phrase',
    String.raw`\b(?:[Ss]eed|[Rr]ecovery|[Mm]nemonic|[Ww]allet|[Bb]ackup|SEED|RECOVERY|BACKUP)[ -]?(?:[Pp]hrase|[Ww]ords?|[Mm]nemonic|PHRASE|WORDS)\b[^\n:\]]{0,40}?[:\n]{0,2}\s{0,3}${LIST_MARK}(?<secret>${WORD}(?:${[23, 20, 17, 14, 11].map((words) => String.raw`(?:[\s,]{1,3}${LIST_MARK}${WORD}){${String(words)}}`).join('|')}))`,
    'dgu',
  ),
  // BitLocker.
  pattern('recovery code', String.raw`(?<![\d-])(?:\d{6}-){7}\d{6}(?![\d-])`, 'g'),
];

/** Words, with a year or a short number after them, and dates: `archive01`, `meeting2024`, `2024-2025-season`. */
const WORDS_WITH_NUMBER =
  /^(?:[A-Za-z]*(?:(?:19|20)\d\d|\d{0,2})(?:-|$))+$|^\d{0,2}[A-Za-z]+$|^(?:19|20)\d\d(?:0[1-9]|1[0-2])[0-3]\d$/;

/** Whether at least half of the codes are no words: a random code may look like a word with a number. */
function areRecoveryCodes(list: string): boolean {
  const codes = list.match(/\d{4}[ \xa0]\d{4}|[0-9A-Za-z-]{8,}/g) ?? [];
  return 2 * codes.filter((code) => !WORDS_WITH_NUMBER.test(code)).length >= codes.length;
}

function isMixed(secret: string): boolean {
  return /\d/.test(secret) && /[a-z]/.test(secret) && /[A-Z]/.test(secret);
}

/** Letters of both cases, or at least four digits among the letters. */
function isSessionId(secret: string): boolean {
  return isMixed(secret) || (/[a-z]/i.test(secret) && (secret.match(/\d/g)?.length ?? 0) >= 4);
}

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Whether the last four bytes are the checksum of the others: keys in the wallet import format of Bitcoin. */
function isBase58Check(secret: string): boolean {
  let value = 0n;
  for (const digit of secret) value = value * 58n + BigInt(BASE58.indexOf(digit));
  const bytes = Buffer.from(
    value.toString(16).padStart(2 * Math.ceil(value.toString(16).length / 2), '0'),
    'hex',
  );
  const hash = (data: Uint8Array): Buffer => createHash('sha256').update(data).digest();
  return (
    bytes[0] === 0x80 &&
    hash(hash(bytes.subarray(0, -4)))
      .subarray(0, 4)
      .equals(bytes.subarray(-4))
  );
}
