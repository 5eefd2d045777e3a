import { expect, it } from 'vitest';
import { formatCount } from './format-count.ts';

it.each([
  [0, 'note', undefined, '0 notes'],
  [1, 'note', undefined, '1 note'],
  [2, 'entry', 'entries', '2 entries'],
  [1, 'entry', 'entries', '1 entry'],
])('formats %i of %s, or %s', (count, singular, plural, text) => {
  expect(formatCount(count, singular, plural)).toBe(text);
});
