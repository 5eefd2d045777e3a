import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Tells people and secret scanners that a token belongs to Loci. */
const PREFIX = 'loci_';
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_BYTES = 32;
/** Base 62 digits for 256 bits and for a CRC-32. */
const SECRET_DIGITS = 43;
const CHECK_DIGITS = 6;
const SHAPE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${String(SECRET_DIGITS + CHECK_DIGITS)}}$`);

/**
 * Makes a token: `loci_`, 256 random bits as 43 digits of base 62 (0–9, A–Z, a–z), and the CRC-32 of these digits as 6
 * digits. The checksum detects typos and lookalikes without the store.
 */
export function newTokenText(): string {
  const secret = toBase62(BigInt(`0x${randomBytes(SECRET_BYTES).toString('hex')}`), SECRET_DIGITS);
  return `${PREFIX}${secret}${checksum(secret)}`;
}

/** Whether a text has the form of a token and a correct checksum. */
export function isTokenText(text: string): boolean {
  if (!SHAPE.test(text)) return false;
  const secret = text.slice(PREFIX.length, -CHECK_DIGITS);
  return text.endsWith(checksum(secret));
}

function checksum(secret: string): string {
  return toBase62(BigInt(crc32(secret)), CHECK_DIGITS);
}

function toBase62(value: bigint, digits: number): string {
  const base = BigInt(DIGITS.length);
  let text = '';
  for (let rest = value; text.length < digits; rest /= base) text = `${DIGITS[Number(rest % base)]!}${text}`;
  return text;
}
