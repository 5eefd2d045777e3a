import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { components, dequantised, quantise } from './quantise.ts';

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
