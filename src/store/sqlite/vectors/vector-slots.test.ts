import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quantise } from './quantise.ts';
import { VectorSlots } from './vector-slots.ts';

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
