import { createHash, randomBytes } from 'node:crypto';

/**
 * A UUIDv7 (RFC 9562): 48 bits of milliseconds, then 74 random bits. UUIDs sort by the time at which they were made.
 * @param random 16 bytes; the same make the same UUID
 */
export function uuidv7(now: number, random: Buffer = randomBytes(16)): string {
  const bytes = Buffer.from(random);
  bytes.writeUIntBE(now, 0, 6);
  bytes[6] = 0x70 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** SHA-256 in hexadecimal. */
export function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

/** The first 16 bytes of SHA-256 in hexadecimal. It takes half the space, and collisions of contents are still out of reach. */
export function shortHash(text: string): string {
  return sha256(text).slice(0, 32);
}

/** The number of a record in its citation `record/12` or its address `loci://record/12`; `null` for every other text. */
export function recordNumber(citation: string): number | null {
  const [, digits] = /^(?:loci:\/\/)?record\/(\d{1,15})$/.exec(citation) ?? [];
  return digits === undefined ? null : Number(digits);
}
