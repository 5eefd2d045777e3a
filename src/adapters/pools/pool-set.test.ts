import { mkdirSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/e2e/loci-command.ts';
import type { MemoryPoolDefinition, MemoryQuery } from '../contract.ts';
import { PoolSet, TIERS } from './pool-set.ts';

const NAMES = ['main', 'other', 'editor', '__proto__', 'constructor', '../main', ''];
const names = fc.subarray(NAMES.filter((name) => name !== ''));
const pools = fc.uniqueArray(
  fc.record(
    {
      id: fc.constantFrom('a', 'b', 'c', 'd', '__proto__'),
      tier: fc.constantFrom(...TIERS),
      path: fc.constantFrom('/a', '/a/b', '/c'),
      roles: names,
      agents: names,
    },
    { requiredKeys: ['id', 'tier', 'path'] },
  ),
  { selector: ({ id }) => id },
);
const queries = fc.record(
  {
    agentId: fc.constantFrom(...NAMES),
    query: fc.constant('x'),
    poolIds: fc.subarray(['a', 'b', 'unknown', '__proto__']),
    tiers: fc.subarray([...TIERS]),
  },
  { requiredKeys: ['agentId', 'query'] },
);
const rolesOfAgents = fc.dictionary(fc.constantFrom(...NAMES), fc.subarray(['editor', 'main']));

const idsOf = (found: readonly { readonly id: string }[]): string[] => found.map(({ id }) => id).sort();

describe('PoolSet', () => {
  it('never shows an agent a pool that names others, and narrows by ids and tiers', () => {
    fc.assert(
      fc.property(pools, queries, rolesOfAgents, (definitions, given, roles) => {
        const set = new PoolSet(definitions, { roles });
        const query = given as MemoryQuery;
        const own = new Map(Object.entries(roles)).get(query.agentId) ?? [];
        const isSeen = ({ roles: named = [], agents = [] }: MemoryPoolDefinition): boolean =>
          [...named, ...agents].length === 0 ||
          agents.includes(query.agentId) ||
          named.some((role) => own.includes(role));
        const wanted = definitions
          .filter(isSeen)
          .filter(({ tier }) => (query.tiers ?? ['hot', 'warm']).includes(tier))
          .filter(({ id }) => query.poolIds === undefined || query.poolIds.includes(id));
        expect(idsOf(set.searchedBy(query))).toEqual(idsOf(wanted));
        expect(idsOf(set.seenBy(query.agentId))).toEqual(idsOf(definitions.filter(isSeen)));
      }),
    );
  });

  it('is equal to a set of the same pools, and to no other', () => {
    const pool = { id: 'a', tier: 'hot', path: '/a', roles: ['x', 'y'], agents: [] } as const;
    const b = { id: 'b', tier: 'hot', path: '/b' } as const;
    const equal = (...lists: readonly (readonly MemoryPoolDefinition[])[]): boolean => {
      const [one, two] = lists.map((list) => new PoolSet(list, { vaultRoot: '/' }));
      return one!.equals(two!);
    };
    expect(equal([pool, b], [{ ...pool }, { ...b }])).toBe(true);
    for (const change of [{ id: 'c' }, { tier: 'warm' }, { path: 'b' }, { roles: ['x'] }, { agents: ['x'] }])
      expect(equal([pool], [{ ...pool, ...(change as Partial<MemoryPoolDefinition>) }])).toBe(false);
    expect(equal([pool, b], [pool])).toBe(false);
  });

  it.each<[wrong: unknown, message: RegExp]>([
    ['a', /the pools are no list/],
    [
      Array.from({ length: 1001 }, (_, i) => ({ id: String(i), tier: 'hot', path: '/a' })),
      /more than 1000 pools/,
    ],
    [[{ tier: 'hot', path: '/a' }], /the pool "number 1" is not valid: id: /],
    [[{ id: 'a', tier: 'tepid', path: '/a' }], /the pool "a" is not valid: tier: /],
    [[{ id: 'a', tier: 'hot', path: '/a\0' }], /the pool "a" is not valid: path: a path has no NUL/],
    [[{ id: 'a', tier: 'hot', path: '/a', agents: 'main' }], /"a" is not valid: agents: /],
    [[{ id: 'a', tier: 'hot', path: '/a', agent: [] }], /"a" is not valid: .*agent/],
    [[{ id: 'a', tier: 'hot', path: 'b' }], /its path "b" is relative, and there is no root of the vault/],
    [
      [
        { id: 'a', tier: 'hot', path: '/a' },
        { id: 'a', tier: 'hot', path: '/b' },
      ],
      /the pool "a" is not valid: another pool has the same id/,
    ],
  ])('refuses %j', (wrong, message) => {
    expect(() => new PoolSet(wrong as MemoryPoolDefinition[])).toThrow(
      expect.objectContaining({ code: 'invalid_input', message: expect.stringMatching(message) }),
    );
  });

  it('takes an undefined property as absent', () => {
    const pool = { id: 'a', tier: 'hot', path: '/a', roles: undefined } as unknown as MemoryPoolDefinition;
    expect(new PoolSet([pool]).seenBy('anyone')).toHaveLength(1);
  });

  it('locates pools without links, with the other pools below them', async () => {
    const root = temporaryFolder();
    for (const folder of ['a/b/c', 'a/d', 'ab', 'out']) mkdirSync(join(root, folder), { recursive: true });
    symlinkSync('a', join(root, 'link'));
    const folder = join(root, 'a');
    symlinkSync('../out', join(folder, 'leaves'));
    const paths: readonly [id: string, path: string][] = [
      ['a', folder],
      ['same', join(root, 'link/.')],
      ['b', 'b'],
      ['c', join(root, 'link/b/c')],
      ['beside', join(root, 'ab')],
      ['leaves', 'leaves'],
      ['absolute', join(folder, 'leaves')],
      ['missing', 'missing'],
    ];
    const set = new PoolSet(
      paths.map(([id, path]) => ({ id, tier: 'hot', path })),
      { vaultRoot: join(root, 'link') },
    );
    const problems: string[] = [];
    const located = await set.locate(set.pools, ({ id }, why) => problems.push(`${id}: ${why}`));
    const inner = ['a/b', 'a/b/c', 'a/leaves', 'a/missing'].map((each) => join(root, each));
    expect(located.map((pool) => [pool.id, pool.root, pool.inner])).toEqual([
      ['a', folder, inner],
      ['same', folder, inner],
      ['b', inner[0], [inner[1]]],
      ['c', inner[1], []],
      ['beside', join(root, 'ab'), []],
      ['absolute', join(root, 'out'), []],
    ]);
    expect(problems.sort()).toEqual([
      'leaves: a link leads out of the root of the vault',
      'missing: it does not exist',
    ]);
    const quiet: string[] = [];
    const [outer] = await set.locate(set.pools.slice(0, 1), ({ id }) => quiet.push(id));
    expect([outer?.inner, quiet]).toEqual([inner, []]);
  });

  it('keeps what is in a pool that cannot be used from the pools around it', async () => {
    const root = temporaryFolder();
    for (const folder of ['p/refused', 'p/moved', 'p/above', 'vault'])
      mkdirSync(join(root, folder), { recursive: true });
    symlinkSync('../p/refused', join(root, 'vault/refused'));
    symlinkSync('p/moved', join(root, 'moved'));
    symlinkSync('p/above', join(root, 'above'));
    const definitions: readonly MemoryPoolDefinition[] = [
      { id: 'p', tier: 'hot', path: join(root, 'p') },
      { id: 'refused', tier: 'hot', path: 'refused' },
      { id: 'moved', tier: 'hot', path: join(root, 'moved') },
      { id: 'above', tier: 'hot', path: join(root, 'above/later/x') },
      { id: 'later', tier: 'hot', path: join(root, 'p/later') },
    ];
    const vaultRoot = join(root, 'vault');
    const inner = ['above/later/x', 'later', 'moved', 'refused'].map((each) => join(root, 'p', each));
    let set = new PoolSet(definitions, { vaultRoot });
    const locate = () => set.locate(set.pools.slice(0, 1), () => undefined);
    expect(await locate()).toMatchObject([{ inner }]);
    unlinkSync(join(root, 'moved'));
    expect(await locate()).toMatchObject([{ inner }]);
    set = new PoolSet(definitions, { vaultRoot, previous: set });
    expect(await locate()).toMatchObject([{ inner }]);
  });
});
