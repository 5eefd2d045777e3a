import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CODE_BYTES, SignCodes, signCode } from './sign-codes.ts';

const BITS = Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length);

function hamming(a: Uint8Array, b: Uint8Array): number {
  return a.reduce((sum, byte, i) => sum + BITS[byte ^ b[i]!]!, 0);
}

/** The ascending ids of the `count` nearest codes. Of equal distances, the lowest ids come first. */
function bruteForce(
  entries: readonly { readonly id: number; readonly code: Uint8Array }[],
  query: Uint8Array,
  count: number,
): number[] {
  return entries
    .map((entry) => ({ id: entry.id, distance: hamming(entry.code, query) }))
    .sort((a, b) => a.distance - b.distance || a.id - b.id)
    .slice(0, count)
    .map(({ id }) => id)
    .sort((a, b) => a - b);
}

const code = fc.uint8Array({ minLength: CODE_BYTES, maxLength: CODE_BYTES });
/** Codes of few different bytes, so that many have the same distance. */
const crowded = fc
  .array(fc.constantFrom(0, 1, 255), { minLength: CODE_BYTES, maxLength: CODE_BYTES })
  .map((bytes) => Uint8Array.from(bytes));
const codes = fc.array(fc.oneof(code, crowded), { maxLength: 60 });

/** Gives the codes ascending ids with gaps. */
function withIds(list: readonly Uint8Array[], gaps: readonly number[]): { id: number; code: Uint8Array }[] {
  let id = 0;
  return list.map((entry, i) => ({ id: (id += 1 + (gaps[i] ?? 0)), code: entry }));
}

function fill(
  target: SignCodes,
  entries: readonly { readonly id: number; readonly code: Uint8Array }[],
): void {
  const bytes = new Uint8Array(entries.length * CODE_BYTES);
  for (const [i, entry] of entries.entries()) bytes.set(entry.code, i * CODE_BYTES);
  target.append(
    Uint32Array.from(entries, ({ id }) => id),
    bytes,
  );
}

describe('sign codes', () => {
  it('have a bit for each component that is positive', () => {
    const vector = new Float32Array(384).fill(-1);
    for (const i of [0, 9, 383]) vector[i] = 0.5;
    const expected = new Uint8Array(CODE_BYTES);
    expected[0] = 1;
    expected[1] = 2;
    expected[47] = 128;
    expect(signCode(vector)).toEqual(expected);
    expect(signCode(new Float32Array(384))).toEqual(new Uint8Array(CODE_BYTES));
  });

  it('fold longer vectors and leave the rest of shorter ones unset', () => {
    const long = new Float32Array(400);
    long[3] = -1;
    long[387] = 2;
    expect(signCode(long)[0]).toBe(8);
    expect(signCode(Float32Array.of(1, -1, 1))).toEqual(
      Uint8Array.from({ length: CODE_BYTES }, (_, i) => (i === 0 ? 5 : 0)),
    );
  });

  it('find the same ids as a comparison with every code', () => {
    fc.assert(
      fc.property(
        codes,
        fc.array(fc.nat(3)),
        fc.oneof(code, crowded),
        fc.nat(70),
        (list, gaps, query, count) => {
          const entries = withIds(list, gaps);
          const signCodes = new SignCodes(0);
          fill(signCodes, entries);
          expect(signCodes.size).toBe(entries.length);
          expect(signCodes.lastVector).toBe(entries.at(-1)?.id ?? 0);
          expect(signCodes.nearest(query, count)).toEqual(bruteForce(entries, query, count));
        },
      ),
    );
  });

  it('only search the allowed ids', () => {
    fc.assert(
      fc.property(
        codes,
        fc.array(fc.nat(3)),
        crowded,
        fc.nat(70),
        fc.uniqueArray(fc.nat(200)),
        (list, gaps, query, count, among) => {
          const entries = withIds(list, gaps);
          const signCodes = new SignCodes(0);
          fill(signCodes, entries);
          const allowed = entries.filter(({ id }) => among.includes(id));
          const mask = Uint32Array.from(among).sort();
          expect(signCodes.nearest(query, count, mask)).toEqual(bruteForce(allowed, query, count));
          // The mask does not apply to the next search.
          expect(signCodes.nearest(query, count)).toEqual(bruteForce(entries, query, count));
        },
      ),
    );
  });

  it('lose no code when they grow', () => {
    let seed = 1;
    const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) & 255;
    const entries = Array.from({ length: 5000 }, (_, i) => ({
      id: i * 2 + 1,
      code: Uint8Array.from({ length: CODE_BYTES }, random),
    }));
    const signCodes = new SignCodes(0);
    for (const [from, to] of [
      [0, 1],
      [1, 1024],
      [1024, 1025],
      [1025, 3000],
      [3000, 3000],
      [3000, 5000],
    ] as const) {
      fill(signCodes, entries.slice(from, to));
      const query = entries[from]!.code;
      expect(signCodes.nearest(query, 20)).toEqual(bruteForce(entries.slice(0, to), query, 20));
    }
    expect(signCodes.size).toBe(5000);
  });
});
