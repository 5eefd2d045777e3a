import { describe, expect, it } from 'vitest';
import { parseDuration } from './values.ts';

describe('parseDuration', () => {
  it.each([
    ['500ms', 500],
    ['5s', 5000],
    ['1.5 m', 90_000],
    ['2H', 7_200_000],
    ['1d', 86_400_000],
  ])('reads %s', (text, milliseconds) => expect(parseDuration(text)).toBe(milliseconds));

  it.each(['5', 's', '-5s', '5 weeks', '5s 3ms', '', '1e3s', '5constructor', `${'9'.repeat(30)}d`])(
    'refuses %j',
    (text) => expect(parseDuration(text)).toBeUndefined(),
  );
});
