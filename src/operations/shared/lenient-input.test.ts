import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { lenientInput } from './lenient-input.ts';

const operation = {
  input: z.strictObject({
    citation: z.string(),
    title: z.string().exactOptional(),
    limit: z.number().int().exactOptional(),
    ids: z.array(z.number().int()).exactOptional(),
    tags: z.array(z.string()).exactOptional(),
    explain: z.boolean().exactOptional(),
  }),
};
const convert = (input: unknown): unknown => lenientInput(operation, input);

describe('lenientInput', () => {
  it('leaves out null and the empty text, except for a required field, whose error is then precise', () => {
    expect(convert({ citation: '', title: '', limit: null, tags: '' })).toEqual({ citation: '' });
  });

  it('converts text into numbers and booleans, and one value into a list', () => {
    expect(convert({ limit: '-3', ids: ['-1'] })).toEqual({ limit: -3, ids: [-1] });
    const input = { limit: ' 3 ', ids: '12', tags: 'kitchen', explain: 'true' };
    expect(convert(input)).toEqual({ limit: 3, ids: [12], tags: ['kitchen'], explain: true });
    expect(convert({ ids: '["1", 2]', tags: '["a","b"]' })).toEqual({ ids: [1, 2], tags: ['a', 'b'] });
    expect(convert({ tags: '[draft' })).toEqual({ tags: ['[draft'] });
    expect(convert({ tags: 'a, b,,c ' })).toEqual({ tags: ['a', 'b', 'c'] });
    expect(convert({ title: 'a, b' })).toEqual({ title: 'a, b' });
  });

  it('accepts path for citation, and text that looks like a number where text belongs', () => {
    expect(convert({ path: 'a.md', title: '12' })).toEqual({ citation: 'a.md', title: '12' });
  });

  it('accepts budget_tokens for budget, and ttl_seconds for expires', () => {
    const input = z.strictObject({ budget: z.number(), expires: z.string() });
    expect(lenientInput({ input }, { budget_tokens: '500', ttl_seconds: 3600 })).toEqual({
      budget: 500,
      expires: '3600s',
    });
  });

  it.each([
    { citation: '', path: 'a.md' },
    { citation: null, path: 'a.md' },
    { citation: 'a.md', path: '' },
    { citation: 'a.md', path: null },
    { citation: 'a.md', path: 'a.md' },
  ])('takes the one that is given: %j', (input) => {
    expect(convert(input)).toEqual({ citation: 'a.md' });
  });

  it('leaves two different citations to validation', () => {
    expect(convert({ citation: 'a.md', path: 'b.md' })).toEqual({ citation: 'a.md', path: 'b.md' });
  });

  it.each([[null], [[]], ['text'], [{ limit: 'three', explain: 'yes', tags: {}, unknown: null }]])(
    'leaves %j to validation',
    (input) => expect(convert(input)).toEqual(input),
  );
});
