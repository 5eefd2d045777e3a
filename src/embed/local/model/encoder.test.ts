import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_WINDOWS, windowsOf } from './encoder.ts';

function range(length: number): number[] {
  return Array.from({ length }, (_, i) => i);
}

describe('windowsOf', () => {
  it('returns a text that fits as one window', () => {
    expect(windowsOf([])).toEqual([[]]);
    expect(windowsOf(range(254))).toEqual([range(254)]);
  });

  it('cuts a longer text into windows of equal length without losing tokens', () => {
    fc.assert(
      fc.property(fc.integer({ min: 255, max: 254 * MAX_WINDOWS }), (length) => {
        const windows = windowsOf(range(length));
        expect(windows.flat()).toEqual(range(length));
        const sizes = windows.map((window) => window.length);
        expect(Math.max(...sizes)).toBeLessThanOrEqual(254);
        expect(Math.min(...sizes)).toBeGreaterThan(Math.max(...sizes) - windows.length);
      }),
    );
  });

  it('returns the first, the last and evenly spread windows of a very long text', () => {
    const windows = windowsOf(range(254 * 100));
    expect(windows.map((window) => (window[0] ?? 0) / 254)).toEqual([0, 14, 28, 42, 57, 71, 85, 99]);
  });

  it('never returns an empty window or more than the maximum number', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), (length) => {
        const windows = windowsOf(range(length));
        expect(windows.length).toBeLessThanOrEqual(MAX_WINDOWS);
        expect(windows.every((window) => window.length > 0 && window.length <= 254)).toBe(true);
        expect(windows.at(-1)?.at(-1)).toBe(length - 1);
      }),
      { numRuns: 50 },
    );
  });
});
