import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Says to people and to scanners of secrets whose it is. */
const PREFIX = 'loci_';
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_BYTES = 32;
/** Digits of base 62 that hold 256 bits, and a CRC-32. */
const SECRET_DIGITS = 43;
const CHECK_DIGITS = 6;
const SHAPE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${String(SECRET_DIGITS + CHECK_DIGITS)}}$`);

/**
 * A new token: `loci_`, 256 random bits as 43 digits of base 62 (0–9, A–Z, a–z), and the CRC-32 of these digits as 6
 * more, so that a typo, or a text that only looks like one, is known without asking the store.
 */
export function newTokenText(): string {
  const secret = inBase62(BigInt(`0x${randomBytes(SECRET_BYTES).toString('hex')}`), SECRET_DIGITS);
  return `${PREFIX}${secret}${checkOf(secret)}`;
}

/** Whether a text is of that form, its checksum included. */
export function isTokenText(text: string): boolean {
  if (!SHAPE.test(text)) return false;
  const secret = text.slice(PREFIX.length, -CHECK_DIGITS);
  return text.endsWith(checkOf(secret));
}

function checkOf(secret: string): string {
  return inBase62(BigInt(crc32(secret)), CHECK_DIGITS);
}

function inBase62(value: bigint, digits: number): string {
  const base = BigInt(DIGITS.length);
  let text = '';
  for (let rest = value; text.length < digits; rest /= base) text = `${DIGITS[Number(rest % base)]!}${text}`;
  return text;
}
