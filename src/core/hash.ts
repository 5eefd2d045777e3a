import { createHash } from 'node:crypto';

/** SHA-256, hexadecimal. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The first 16 bytes of SHA-256, hexadecimal: enough to tell contents apart, half the room. */
export function shortHash(text: string): string {
  return sha256(text).slice(0, 32);
}
