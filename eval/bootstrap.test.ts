import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bootstrap, pairedDifference } from './bootstrap.ts';

const differences = fc.array(fc.integer({ min: -10, max: 10 }), { minLength: 1, maxLength: 30 });

describe('bootstrap', () => {
  it('gives the same interval for the same numbers', () => {
    const values = [0.5, 0, 0, 1, -1, 0.25, 0, 0.5];
    expect(bootstrap(values)).toEqual(bootstrap(values));
  });

  it('computes the interval of a fair coin', () => {
    // Standard error of the mean of 400 tosses of ±1: 1/20, so 1.96 of them are 0.098.
    const { mean, low, high } = bootstrap(Array.from({ length: 400 }, (_, i) => (i % 2 === 0 ? 1 : -1)));
    expect(mean).toBe(0);
    expect(low).toBeCloseTo(-0.098, 2);
    expect(high).toBeCloseTo(0.098, 2);
  });

  it('has no width when all differences are equal, or there are none', () => {
    expect(bootstrap([0.2, 0.2, 0.2])).toEqual({
      mean: expect.closeTo(0.2, 12),
      low: expect.closeTo(0.2, 12),
      high: expect.closeTo(0.2, 12),
    });
    expect(bootstrap([])).toEqual({ mean: 0, low: 0, high: 0 });
  });

  it('contains the mean and is within the values', () => {
    fc.assert(
      fc.property(differences, (values) => {
        const { mean, low, high } = bootstrap(values, 200);
        expect(low).toBeLessThanOrEqual(mean + 1e-9);
        expect(high).toBeGreaterThanOrEqual(mean - 1e-9);
        expect(low).toBeGreaterThanOrEqual(Math.min(...values) - 1e-9);
        expect(high).toBeLessThanOrEqual(Math.max(...values) + 1e-9);
      }),
      { numRuns: 40 },
    );
  });
});

describe('pairedDifference', () => {
  it('is the first minus the second, query by query', () => {
    expect(pairedDifference([1, 1, 0], [0, 0, 0]).mean).toBeCloseTo(2 / 3, 12);
    expect(pairedDifference([0, 1], [1, 1]).mean).toBe(-0.5);
    expect(() => pairedDifference([1], [])).toThrow(RangeError);
  });
});
