import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CODE_BYTES, components, dequantised, quantise, signCode, SignCodes, VectorSlots } from './codes.ts';

/** Unit vectors of any length, some components zero. */
const unitVector = (length: number): fc.Arbitrary<Float32Array> =>
  fc
    .array(fc.oneof(fc.constant(0), fc.double({ min: -1, max: 1, noNaN: true })), {
      minLength: length,
      maxLength: length,
    })
    .map((values) => {
      const norm = Math.hypot(...values);
      return Float32Array.from(values, (value) => (norm === 0 ? 0 : value / norm));
    });

describe('quantise', () => {
  it('keeps each component within half a step of the largest', () => {
    fc.assert(
      fc.property(unitVector(24), (vector) => {
        const largest = Math.max(...vector.map(Math.abs));
        const scale = largest / 127;
        for (const [i, signed] of components(quantise(vector)).entries()) {
          expect(Math.abs(signed * scale - vector[i]!)).toBeLessThanOrEqual(scale * 0.5001);
        }
      }),
    );
  });

  it('accepts the zero vector and vectors of one component', () => {
    expect(dequantised(quantise(new Float32Array(3)))).toEqual(new Float32Array(3));
    expect(dequantised(quantise(Float32Array.of(-1)))).toEqual(Float32Array.of(-1));
    expect(quantise(Float32Array.of(0.5, -0.5))).toHaveLength(6);
  });

  it('is read at any offset of a longer buffer', () => {
    const vector = Float32Array.of(0.6, -0.8);
    const padded = new Uint8Array(20).fill(99);
    padded.set(quantise(vector), 7);
    expect(dequantised(padded.subarray(7, 13))).toEqual(dequantised(quantise(vector)));
  });
});

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

const NONE: ReadonlySet<number> = new Set();

/** Vectors with components from -1 to 1. */
const vectorOf = (length: number): fc.Arbitrary<Float32Array> =>
  fc
    .array(fc.oneof(fc.constant(0), fc.double({ min: -1, max: 1, noNaN: true })), {
      minLength: length,
      maxLength: length,
    })
    .map((values) => Float32Array.from(values));

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, component, i) => sum + component * b[i]!, 0);
}

describe('slots of vectors', () => {
  it('give the dot products of unit vectors within 0.01, for any number of dimensions', () => {
    const lengths = fc.constantFrom(1, 3, 15, 16, 17, 100, 384, 1000);
    const pair = lengths.chain((length) => fc.tuple(vectorOf(length), vectorOf(length)));
    fc.assert(
      fc.property(pair, ([vector, query]) => {
        const slots = new VectorSlots(vector.length);
        slots.set(7, quantise(vector), NONE);
        const [product = NaN] = slots.dots([7], query);
        const limit = 0.01 * Math.max(1, Math.hypot(...vector) * Math.hypot(...query));
        expect(Math.abs(product - dot(vector, query))).toBeLessThan(limit);
      }),
    );
  });

  it('leave nothing of a longer query or an earlier vector behind', () => {
    const slots = new VectorSlots(3);
    slots.set(1, quantise(Float32Array.of(1, 1, 1)), NONE);
    slots.dots([1], Float32Array.of(1, 1, 1));
    expect(slots.dots([1], Float32Array.of(1))[0]).toBeCloseTo(1, 6);
  });

  it('use the slots that were filled first again, but not those that a call needs', () => {
    const slots = new VectorSlots(4);
    const value = (id: number): Float32Array => Float32Array.of(id, 0, 0, 1);
    const one = Float32Array.of(1, 0, 0, 0);
    for (let id = 1; id <= slots.capacity; id++) slots.set(id, quantise(value(id)), NONE);
    slots.set(slots.capacity + 1, quantise(value(5)), new Set([1, 2]));
    expect([1, 2, 3, 4, slots.capacity + 1].map((id) => slots.has(id))).toEqual([
      true,
      true,
      false,
      true,
      true,
    ]);
    const [first = 0, last = 0, added = 0] = slots.dots([1, slots.capacity, slots.capacity + 1], one);
    expect(first).toBeCloseTo(1, 1);
    expect(last / slots.capacity).toBeCloseTo(1, 5);
    expect(added).toBeCloseTo(5, 1);
  });
});
