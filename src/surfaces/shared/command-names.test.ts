import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../operations/registry.ts';
import { asTyped, commandWords, withCommandNames } from './command-names.ts';

describe('withCommandNames', () => {
  it('replaces the name of each tool by its command', async () => {
    const operations = await Promise.all(OPERATIONS.map(({ load }) => load()));
    const tools = operations.flatMap(({ name, tool }) => (tool === undefined ? [] : [{ name, tool }]));
    expect(tools.length).toBeGreaterThan(9);
    for (const { name, tool } of tools)
      expect(withCommandNames(`\`${tool}\``)).toBe(`\`loci ${commandWords(name).join(' ')}\``);
  });

  it('replaces the names of the tools for startup entries', () => {
    expect(withCommandNames('`startup_list` lists all entries.')).toBe(
      '`loci startup list` lists all entries.',
    );
  });

  it('does not replace names that are not in backticks', () => {
    expect(withCommandNames('no fact is called "memory_list"')).toBe('no fact is called "memory_list"');
  });
});

it.each([
  ['Run `loci embed backfill`.', 'Run `openclaw loci embed backfill`.'],
  ['→ loci sources approve todos', '→ openclaw loci sources approve todos'],
  [
    'take its records out: loci sources remove "Notes"',
    'take its records out: openclaw loci sources remove "Notes"',
  ],
  ['Run `openclaw loci index`; loci is fast.', 'Run `openclaw loci index`; loci is fast.'],
])('commands have the name that a host program gives them: %s', (text, typed) => {
  expect(asTyped(text, 'openclaw loci')).toBe(typed);
  expect(asTyped(text, undefined)).toBe(text);
});
