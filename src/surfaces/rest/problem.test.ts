import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../operations/registry.ts';
import { parseInput } from '../../operations/shared/input.ts';
import { routesOf } from './request-input.ts';
import { outputJson, withRequests } from './problem.ts';

describe('withRequests', () => {
  it.each([
    ['`memory_undelete 12` restores it.', '/api/v1/memory/undelete', { id: 12 }],
    ['`startup_list` lists all entries.', '/api/v1/startup/list', {}],
    ['Run `loci doctor`.', '/api/v1/doctor', {}],
    ['Run `loci doctor reindex`.', '/api/v1/reindex', {}],
    [
      'Run `loci doctor reindex --vectors`, or set the previous provider again.',
      '/api/v1/reindex',
      { vectors: true },
    ],
    ['Run `loci sources refresh tasks`.', '/api/v1/sources/refresh', { ids: ['tasks'] }],
    ['`loci sources resume "my notes"` resumes it.', '/api/v1/sources/resume', { id: 'my notes' }],
  ])('names a request that exists: %s', async (hint, path, body) => {
    const [, request = '', json = '{}'] = /`POST (\S+)(?: (.+?))?`/.exec(withRequests(hint)) ?? [];
    expect([request, JSON.parse(json)]).toEqual([path, body]);
    const route = (await routesOf(OPERATIONS)).find((each) => each.path === path);
    expect(() => parseInput(route!.operation, JSON.parse(json))).not.toThrow();
  });

  it.each([
    'Run `loci index`.',
    '`loci sources approve ID` allows one to run.',
    'no fact is called "memory_list"',
  ])('leaves what has no request: %s', (hint) => {
    expect(withRequests(hint)).toBe(hint);
  });
});

describe('outputJson', () => {
  it('replaces names in hints, but not in what somebody stored', () => {
    const output = { hint: 'Run `loci doctor`.', note: null };
    expect(outputJson('doctor', output)).toBe('{"hint":"Run `POST /api/v1/doctor`.","note":null}');
    expect(outputJson('get', output)).toBe(JSON.stringify(output));
  });
});
