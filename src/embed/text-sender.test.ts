import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutInHalf, makeBatches, meanOf, unitVector } from './text-sender.ts';

const length = (text: string): number => text.length;

describe('makeBatches', () => {
  it('keeps the order, loses nothing, and exceeds no limit except with a single text', () => {
    const limits = fc.record({
      items: fc.integer({ min: 1, max: 9 }),
      tokens: fc.integer({ min: 1, max: 40 }),
    });
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 50 })), limits, (texts, limit) => {
        const batches = makeBatches(texts, limit, length);
        expect(batches.flat()).toEqual(texts);
        for (const batch of batches) {
          expect(batch.length).toBeLessThanOrEqual(limit.items);
          const tokens = batch.reduce((sum, text) => sum + text.length, 0);
          expect(batch.length === 1 || tokens <= limit.tokens).toBe(true);
        }
      }),
    );
  });
});

describe('cutInHalf', () => {
  it('loses nothing, cuts no character in two, and makes each part shorter', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 32, maxLength: 200 }), (text) => {
        const parts = cutInHalf(text);
        expect(parts.join('')).toBe(text);
        expect(parts).toHaveLength(2);
        for (const part of parts) {
          expect(part.length).toBeGreaterThan(0);
          expect(part.isWellFormed()).toBe(true);
        }
      }),
    );
  });

  it('cuts between words if it can, and leaves a short text', () => {
    expect(cutInHalf('the oven moves to the other wall of the kitchen')).toEqual([
      'the oven moves to the',
      ' other wall of the kitchen',
    ]);
    expect(cutInHalf('the oven')).toEqual(['the oven']);
  });
});

describe('unitVector and meanOf', () => {
  it('have the length 1', () => {
    fc.assert(
      fc.property(fc.array(fc.float({ noNaN: true, min: -100, max: 100 }), { minLength: 1 }), (vector) => {
        const unit = unitVector(vector);
        if (unit === null) expect(vector.every((component) => Math.abs(component) < 1e-20)).toBe(true);
        else expect(Math.hypot(...unit)).toBeCloseTo(1, 5);
      }),
    );
  });

  it('refuse what is no finite number, and zero', () => {
    for (const vector of [[Number.NaN], [Number.POSITIVE_INFINITY, 1], [null], ['1'], [0, 0], [1e200, 1e200]])
      expect(unitVector(vector)).toBeNull();
  });

  it('weigh each part by its length, and survive parts that cancel out', () => {
    const [x, y] = [Float32Array.of(1, 0), Float32Array.of(0, 1)];
    expect([...meanOf([x, y], [3, 4])]).toEqual([expect.closeTo(0.6, 5), expect.closeTo(0.8, 5)]);
    expect(meanOf([x, Float32Array.of(-1, 0)], [1, 1])).toEqual(x);
  });
});
