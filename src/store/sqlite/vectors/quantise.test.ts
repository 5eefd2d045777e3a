import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { components, dotQuantised, quantise } from './quantise.ts';

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

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, component, i) => sum + component * b[i]!, 0);
}

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

  it('keeps cosines within 0.01', () => {
    fc.assert(
      fc.property(unitVector(384), unitVector(384), (vector, query) => {
        expect(Math.abs(dotQuantised(quantise(vector), query) - dot(vector, query))).toBeLessThan(0.01);
      }),
    );
  });

  it('accepts the zero vector and vectors of one component', () => {
    expect(dotQuantised(quantise(new Float32Array(3)), Float32Array.of(1, 2, 3))).toBe(0);
    expect(dotQuantised(quantise(Float32Array.of(-1)), Float32Array.of(1))).toBeCloseTo(-1, 6);
    expect(quantise(Float32Array.of(0.5, -0.5))).toHaveLength(6);
  });

  it('reads bytes at any offset of a longer buffer', () => {
    const vector = Float32Array.of(0.6, -0.8);
    const padded = new Uint8Array(20).fill(99);
    padded.set(quantise(vector), 7);
    expect(dotQuantised(padded.subarray(7, 13), vector)).toBeCloseTo(1, 2);
  });
});
