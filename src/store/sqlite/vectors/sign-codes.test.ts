import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CODE_BYTES, SignCodes, signCode } from './sign-codes.ts';

const BITS = Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length);

function hamming(a: Uint8Array, b: Uint8Array): number {
  return a.reduce((sum, byte, i) => sum + BITS[byte ^ b[i]!]!, 0);
}

/** The first `count` by distance, then by id; as ids in their order. */
function bruteForce(
  held: readonly { readonly id: number; readonly code: Uint8Array }[],
  query: Uint8Array,
  count: number,
): number[] {
  return held
    .map((one) => ({ id: one.id, distance: hamming(one.code, query) }))
    .sort((a, b) => a.distance - b.distance || a.id - b.id)
    .slice(0, count)
    .map(({ id }) => id)
    .sort((a, b) => a - b);
}

const code = fc.uint8Array({ minLength: CODE_BYTES, maxLength: CODE_BYTES });
/** Few different bytes, so that many codes have the same distance. */
const crowded = fc
  .array(fc.constantFrom(0, 1, 255), { minLength: CODE_BYTES, maxLength: CODE_BYTES })
  .map((bytes) => Uint8Array.from(bytes));
const codes = fc.array(fc.oneof(code, crowded), { maxLength: 60 });

/** Ids ascending, with gaps. */
function withIds(list: readonly Uint8Array[], gaps: readonly number[]): { id: number; code: Uint8Array }[] {
  let id = 0;
  return list.map((one, i) => ({ id: (id += 1 + (gaps[i] ?? 0)), code: one }));
}

function fill(target: SignCodes, held: readonly { readonly id: number; readonly code: Uint8Array }[]): void {
  const bytes = new Uint8Array(held.length * CODE_BYTES);
  for (const [i, one] of held.entries()) bytes.set(one.code, i * CODE_BYTES);
  target.append(
    Uint32Array.from(held, ({ id }) => id),
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

  it('find what a comparison with every code finds', () => {
    fc.assert(
      fc.property(
        codes,
        fc.array(fc.nat(3)),
        fc.oneof(code, crowded),
        fc.nat(70),
        (list, gaps, query, count) => {
          const held = withIds(list, gaps);
          const under = new SignCodes(0);
          fill(under, held);
          expect(under.size).toBe(held.length);
          expect(under.lastVector).toBe(held.at(-1)?.id ?? 0);
          expect(under.nearest(query, count)).toEqual(bruteForce(held, query, count));
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
          const held = withIds(list, gaps);
          const under = new SignCodes(0);
          fill(under, held);
          const allowed = held.filter(({ id }) => among.includes(id));
          const mask = Uint32Array.from(among).sort();
          expect(under.nearest(query, count, mask)).toEqual(bruteForce(allowed, query, count));
          // The mask does not apply to the next search.
          expect(under.nearest(query, count)).toEqual(bruteForce(held, query, count));
        },
      ),
    );
  });

  it('grow without losing any', () => {
    let seed = 1;
    const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) & 255;
    const held = Array.from({ length: 5000 }, (_, i) => ({
      id: i * 2 + 1,
      code: Uint8Array.from({ length: CODE_BYTES }, random),
    }));
    const under = new SignCodes(0);
    for (const [from, to] of [
      [0, 1],
      [1, 1024],
      [1024, 1025],
      [1025, 3000],
      [3000, 3000],
      [3000, 5000],
    ] as const) {
      fill(under, held.slice(from, to));
      const query = held[from]!.code;
      expect(under.nearest(query, 20)).toEqual(bruteForce(held.slice(0, to), query, 20));
    }
    expect(under.size).toBe(5000);
  });
});
