import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../operations/registry.ts';
import { parseInput } from '../../operations/shared/input.ts';
import { routesOf } from './request-input.ts';
import { outputJson, withRequests } from './problem.ts';

describe('withRequests', () => {
  it.each([
    ['`memory_undelete 12` restores it.', '/api/v1/memory/undelete', { id: 12 }],
    ['`startup_list` lists all entries.', '/api/v1/startup/list', {}],
  ])('names a request that exists: %s', async (hint, path, body) => {
    const [, request = '', json = '{}'] = /`POST (\S+)(?: (.+?))?`/.exec(withRequests(hint)) ?? [];
    expect([request, JSON.parse(json)]).toEqual([path, body]);
    const route = (await routesOf(OPERATIONS)).find((each) => each.path === path);
    expect(() => parseInput(route!.operation, JSON.parse(json))).not.toThrow();
  });

  it('leaves commands, and what is not in backticks', () => {
    for (const hint of ['Run `loci index`.', 'no fact is called "memory_list"'])
      expect(withRequests(hint)).toBe(hint);
  });
});

it('requests are named in the note of categories, but not in what somebody stored', () => {
  const output = { note: '`memory_list` lists them.' };
  expect(outputJson('fact-categories', output)).toBe('{"note":"`POST /api/v1/memory/list` lists them."}');
  expect(outputJson('get', output)).toBe(JSON.stringify(output));
});
