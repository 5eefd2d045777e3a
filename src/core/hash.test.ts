import { describe, expect, it } from 'vitest';
import { sha256, shortHash } from './hash.ts';

describe('hashes', () => {
  it('are SHA-256 of UTF-8 (FIPS 180-2, example B.1), whole or the first 16 bytes', () => {
    const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
    expect(sha256('abc')).toBe(abc);
    expect(shortHash('abc')).toBe(abc.slice(0, 32));
    expect(sha256('é')).toBe('4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c');
  });
});
