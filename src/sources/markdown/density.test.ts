import { describe, expect, it } from 'vitest';
import { assertParseable } from './density.ts';

describe('assertParseable', () => {
  it.each([
    ['single letters', 'a\n'.repeat(700_000)],
    ['list items', '- a\n'.repeat(376_000)],
    ['nested quotes', `${'>'.repeat(45)}a\n\n`.repeat(8400)],
    ['nested lists', `${'- '.repeat(45)}a\n\n`.repeat(8400)],
    ['cells of a row', '|a'.repeat(1_100_000)],
  ])('refuses too many %s', (_, content) => {
    expect(() => {
      assertParseable(content);
    }).toThrow(expect.objectContaining({ code: 'unreadable' }) as Error);
  });

  it.each([
    ['nothing', ''],
    ['5 MB of short lines', 'ten letters\n'.repeat(416_000)],
    ['5 MB of a table', `${'| cell '.repeat(20)}|\n`.repeat(35_000)],
    ['5 MB of items', '- an item of some words\n  - one below\n'.repeat(140_000)],
    ['5 MB in one line', 'x'.repeat(5_000_000)],
  ])('accepts %s', (_, content) => {
    expect(() => {
      assertParseable(content);
    }).not.toThrow();
  });
});
