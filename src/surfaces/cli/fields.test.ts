import { describe, expect, it } from 'vitest';
import type { InputField } from '../../operations/shared/input.ts';
import { commandLine, fieldOptions, fieldValue } from './fields.ts';
import { shapeOf } from './shapes.ts';

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
  it('names an option after its field, one entry of a list, and leaves operands out', () => {
    expect(fieldOptions(FIELDS, shapeOf('search'))).toMatchObject([
      {
        field: 'tags',
        name: 'tag',
        alias: 'tags',
        kind: 'commaList',
        description: 'Tags. May be repeated, or take several parted by commas.',
      },
      { field: 'sources', name: 'source', kind: 'list', description: 'Names. May be repeated.' },
      { field: 'categories', name: 'category', kind: 'commaList', placeholder: 'a|b' },
      { field: 'min_score', name: 'min-score', alias: null, kind: 'number', placeholder: 'n' },
      { field: 'explain', kind: 'flag', letter: 'e' },
    ]);
  });

  it('makes a command of a verb that no shape is known of', () => {
    expect(shapeOf('pack')).toMatchObject({ words: ['pack'], operands: [] });
    expect(fieldOptions(FIELDS, shapeOf('pack'))).toHaveLength(FIELDS.length);
  });
});

describe('fieldValue', () => {
  it('reads numbers and lists, and leaves what is neither to be refused by name', () => {
    expect(fieldValue('number', '0.5')).toBe(0.5);
    expect(fieldValue('number', 'many')).toBe('many');
    expect(fieldValue('number', ' ')).toBe(' ');
    expect(fieldValue('commaList', ['home, attic', 'paint,'])).toEqual(['home', 'attic', 'paint']);
    expect(fieldValue('list', ['Home, sweet home', ''])).toEqual(['Home, sweet home', '']);
    expect(fieldValue('flag', true)).toBe(true);
  });
});

describe('commandLine', () => {
  it('quotes what a shell would change', () => {
    const line = (input: Parameters<typeof commandLine>[0]) => commandLine(input, FIELDS, shapeOf('search'));
    expect(line({ query: 'oven', explain: true })).toBe('loci search oven --explain');
    expect(line({ query: `it's "hot" $HOME`, tags: ['a', 'b c'], min_score: 0.5 })).toBe(
      `loci search 'it'\\''s "hot" $HOME' --tag a --tag "b c" --min-score 0.5`,
    );
    expect(line({ query: '' })).toBe('loci search ""');
  });
});
