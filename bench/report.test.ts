import { describe, expect, it } from 'vitest';
import { exactNearest } from './exact.ts';
import { isReached, missedTargets, ratioOf, sectionLines, type Measure } from './report.ts';
import { quantile } from './timing.ts';

const writes: Measure = {
  what: 'writes',
  unit: 'a second',
  ours: 150,
  baseline: { name: 'bare', value: 200 },
  target: { of: 'ratio', least: 0.6, checked: true },
};

describe('a measure', () => {
  it('reaches a target with its ratio or its figure, bounds included', () => {
    expect(ratioOf(writes)).toBe(0.75);
    expect(isReached(writes)).toBe(true);
    expect(isReached({ ...writes, ours: 119 })).toBe(false);
    expect(isReached({ ...writes, target: { of: 'ours', most: 150, checked: true } })).toBe(true);
    expect(isReached({ ...writes, target: { of: 'ours', most: 149, checked: true } })).toBe(false);
  });

  it('reaches no target when it is not a number', () => {
    expect(isReached({ ...writes, ours: Number.NaN })).toBe(false);
  });

  it('fails the check only if its target is checked', () => {
    const slow = { ...writes, ours: 1 };
    const reported: Measure = { ...slow, what: 'times', target: { of: 'ratio', least: 0.6, checked: false } };
    expect(missedTargets([{ title: 'size', measures: [writes, slow, reported] }])).toEqual([slow]);
  });

  it('is shown with its baseline and its target', () => {
    const lines = sectionLines({ title: '10,000 passages', measures: [writes] });
    expect(lines[0]).toMatch(/^10,000 passages +ours +baseline +ratio +must reach +ok$/);
    expect(lines[1]).toMatch(/^writes, a second +150 +200 +bare +0\.750 +ratio ≥ 0\.6 +yes$/);
  });
});

describe('a quantile', () => {
  it('is the nearest rank, in any order of the values', () => {
    const values = Array.from({ length: 100 }, (_, i) => 100 - i);
    expect(quantile(values, 0.5)).toBe(50);
    expect(quantile(values, 0.95)).toBe(95);
    expect(quantile(values, 1)).toBe(100);
    expect(quantile([7], 0.5)).toBe(7);
    expect(quantile([], 0.5)).toBeNaN();
  });
});

describe('the exact scan', () => {
  it('finds the rows with the largest dot products, best first', () => {
    const rows = [0.1, 0.9, -1, 0.5, 0.8].flatMap((value) => [value, 0, 0, 0]);
    expect(exactNearest(Float32Array.from(rows), Float32Array.of(1, 0, 0, 0), 3)).toEqual([1, 4, 3]);
  });
});
