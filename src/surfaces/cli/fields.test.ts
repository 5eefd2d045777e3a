import { describe, expect, it } from 'vitest';
import type { InputField } from '../../operations/shared/input.ts';
import { commandLine, fieldOptions, fieldValue } from './fields.ts';
import { loadCommand } from './commands/registry.ts';

const FIELDS: readonly InputField[] = [
  { name: 'query', required: true, schema: { type: 'string' } },
  {
    name: 'tags',
    required: false,
    schema: { type: 'array', description: 'Tags.', items: { type: 'string' } },
  },
  {
    name: 'sources',
    required: false,
    schema: { type: 'array', description: 'Names.', items: { type: 'string' } },
  },
  {
    name: 'categories',
    required: false,
    schema: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
  },
  { name: 'min_score', required: false, schema: { type: 'number' } },
  { name: 'explain', required: false, schema: { type: 'boolean' } },
];

describe('fieldOptions', () => {
  it('names an option after its field, or one entry of a list, and leaves out operands', async () => {
    expect(fieldOptions(FIELDS, await loadCommand('search'))).toMatchObject([
      {
        field: 'tags',
        name: 'tag',
        alias: 'tags',
        kind: 'commaList',
        description: 'Tags. May be repeated, or take several separated by commas.',
      },
      { field: 'sources', name: 'source', kind: 'list', description: 'Names. May be repeated.' },
      { field: 'categories', name: 'category', kind: 'commaList', placeholder: 'a|b' },
      { field: 'min_score', name: 'min-score', alias: null, kind: 'number', placeholder: 'n' },
      { field: 'explain', kind: 'flag', shortOption: 'e' },
    ]);
  });

  it('makes every field an option of an operation that has no command file', async () => {
    expect(fieldOptions(FIELDS, await loadCommand('unknown'))).toHaveLength(FIELDS.length);
  });
});

describe('fieldValue', () => {
  it('parses numbers and lists, and keeps text that is not a number', () => {
    expect(fieldValue('number', '0.5')).toBe(0.5);
    expect(fieldValue('number', 'many')).toBe('many');
    expect(fieldValue('number', ' ')).toBe(' ');
    expect(fieldValue('commaList', ['home, attic', 'paint,'])).toEqual(['home', 'attic', 'paint']);
    expect(fieldValue('list', ['Home, sweet home', ''])).toEqual(['Home, sweet home', '']);
    expect(fieldValue('flag', true)).toBe(true);
  });
});

describe('commandLine', () => {
  it('quotes words that a shell would change', async () => {
    const search = await loadCommand('search');
    const line = (input: Parameters<typeof commandLine>[1]) => commandLine(['search'], input, FIELDS, search);
    expect(line({ query: 'oven', explain: true })).toBe('loci search oven --explain');
    expect(line({ query: `it's "hot" $HOME`, tags: ['a', 'b c'], min_score: 0.5 })).toBe(
      `loci search 'it'\\''s "hot" $HOME' --tag a --tag "b c" --min-score 0.5`,
    );
    expect(line({ query: '' })).toBe('loci search ""');
  });
});
