import { describe, expect, it } from 'vitest';
import { parseDuration, parseSize } from './units.ts';

describe('parseDuration', () => {
  it.each([
    ['500ms', 500],
    ['5s', 5000],
    ['1.5 m', 90_000],
    ['2H', 7_200_000],
    ['1d', 86_400_000],
  ])('%s', (text, milliseconds) => expect(parseDuration(text)).toBe(milliseconds));

  it.each(['5', 's', '-5s', '5 weeks', '5s 3ms', '', '1e3s', '5constructor', `${'9'.repeat(30)}d`])(
    '%j is none',
    (text) => expect(parseDuration(text)).toBeUndefined(),
  );
});

describe('parseSize', () => {
  it.each([
    ['12B', 12],
    ['5MB', 5_000_000],
    ['1.5 gb', 1_500_000_000],
    ['1KiB', 1024],
    ['2MiB', 2_097_152],
  ])('%s', (text, bytes) => expect(parseSize(text)).toBe(bytes));

  it.each(['5', 'MB', '5M', '5ms'])('%j is none', (text) => expect(parseSize(text)).toBeUndefined());
});
