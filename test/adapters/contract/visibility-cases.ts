import assert from 'node:assert/strict';
import type { Cases, Host } from './host.ts';

/** Ids of agents that nothing names, but that mean something to a file system, a database or a program. */
const STRANGERS: readonly string[] = [
  'stranger',
  '../../etc',
  '/',
  '*',
  '%',
  'MAIN',
  'main ',
  ' main',
  'main\0',
  'main,other',
  "' OR '1'='1",
  '__proto__',
  'constructor',
  'toString',
  'undefined',
  'null',
  'a'.repeat(10_000),
  '\ud800',
];

async function writeHerons(host: Host, ...pools: readonly string[]): Promise<void> {
  await host.write(Object.fromEntries(pools.map((pool) => [`${pool}/a.md`, `The heron of ${pool}.\n`])));
}

/** Fifty notes that fit a query better than the note `few/a.md`. */
async function writeManyAndOne(host: Host): Promise<void> {
  const names = Array.from({ length: 50 }, (_, i) => `many/${String(i)}.md`);
  await host.write({
    ...Object.fromEntries(
      names.map((name, i) => [name, `---\nkind: many\n---\n\nHeron, heron ${String(i)}.\n`]),
    ),
    'few/a.md': `---\nkind: few\n---\n\n${'The sea is wide. '.repeat(20)} A heron. ${'The ferry is late. '.repeat(20)}\n`,
  });
}

/** Who sees which pools. */
export const visibilityCases: Cases = {
  'does not tell what is in pools that the agent does not see by its results or their scores': async (
    host,
  ) => {
    const fillers = Array.from({ length: 20 }, (_, i) => [
      `open/${String(i)}.md`,
      `A note of day ${String(i)}: the weather, the bus and the vendor.\n`,
    ]);
    await host.write({
      ...(Object.fromEntries(fillers) as Record<string, string>),
      'open/oven.md': 'The induction oven was chosen.\n',
      'open/garden.md': 'Plant the carrots in spring, and water the oven plants.\n',
      'hidden/a.md': 'Nothing of interest.\n',
    });
    await host.register({ id: 'open' }, { id: 'hidden', agents: ['other'] });
    const queries = ['axolotl', 'axolotl oven', 'carots', 'oven vendor', 'weather bus'];
    const recallAll = (): Promise<unknown> => Promise.all(queries.map((query) => host.recall({ query })));
    const before = await recallAll();
    await host.write({
      'hidden/a.md': 'Axolotl is the name of the merger. Carots, carots.\n',
      ...Object.fromEntries(
        Array.from({ length: 30 }, (_, i) => [
          `hidden/${String(i)}.md`,
          `Oven ${String(i)}, weather, vendor.\n`,
        ]),
      ),
    });
    await host.index('hidden');
    assert.notDeepEqual(await host.recall({ query: 'axolotl', agentId: 'other' }), []);
    assert.deepEqual(await recallAll(), before);
  },

  'searches hot and warm pools unless it is told the tiers': async (host) => {
    await writeHerons(host, 'hot', 'warm', 'cold');
    await host.register({ id: 'hot' }, { id: 'warm', tier: 'warm' }, { id: 'cold', tier: 'cold' });
    assert.deepEqual(await host.found(), ['hot/a.md', 'warm/a.md']);
    for (const [tiers, expected] of [
      [['cold'], ['cold/a.md']],
      [['hot'], ['hot/a.md']],
      [['hot', 'hot'], ['hot/a.md']],
      [
        ['warm', 'cold'],
        ['cold/a.md', 'warm/a.md'],
      ],
      [
        ['hot', 'warm', 'cold'],
        ['cold/a.md', 'hot/a.md', 'warm/a.md'],
      ],
      [[], []],
    ] as const)
      assert.deepEqual(await host.found({ tiers }), expected, JSON.stringify(tiers));
  },

  'lets the ids of pools narrow a search, and never widen it': async (host) => {
    await writeHerons(host, 'a', 'b', 'cold', 'closed');
    await host.register(
      { id: 'a' },
      { id: 'b', tier: 'warm' },
      { id: 'cold', tier: 'cold' },
      { id: 'closed', agents: ['other'] },
    );
    assert.deepEqual(await host.found({ poolIds: ['b'] }), ['b/a.md']);
    assert.deepEqual(await host.found({ poolIds: ['b', 'b', 'unknown'] }), ['b/a.md']);
    assert.deepEqual(await host.found({ poolIds: ['a', 'b', 'closed', 'cold'] }), ['a/a.md', 'b/a.md']);
    assert.deepEqual(await host.found({ poolIds: ['a', 'cold'], tiers: ['cold'] }), ['cold/a.md']);
    for (const poolIds of [[], ['unknown'], ['closed'], ['cold'], ['*'], [''], ['A']])
      assert.deepEqual(await host.found({ poolIds }), [], JSON.stringify(poolIds));
    assert.deepEqual(await host.found({ poolIds: ['b'], tiers: ['hot'] }), []);
  },

  'shows an agent the pools that name it, and those that name nobody': async (host) => {
    await writeHerons(host, 'open', 'empty', 'mine', 'ours', 'theirs', 'editors');
    await host.register(
      { id: 'open' },
      { id: 'empty', agents: [], roles: [] },
      { id: 'mine', agents: ['main'] },
      { id: 'ours', agents: ['other', 'main'], roles: ['nobody has this role'] },
      { id: 'theirs', agents: ['other'] },
      { id: 'editors', roles: ['main'] },
    );
    assert.deepEqual(await host.found(), ['empty/a.md', 'mine/a.md', 'open/a.md', 'ours/a.md']);
    assert.deepEqual(await host.found({ agentId: 'other' }), [
      'empty/a.md',
      'open/a.md',
      'ours/a.md',
      'theirs/a.md',
    ]);
    assert.deepEqual(await host.found({ poolIds: ['theirs', 'editors'] }), []);
    for (const agentId of STRANGERS)
      assert.deepEqual(await host.found({ agentId }), ['empty/a.md', 'open/a.md'], agentId.slice(0, 50));
  },

  'shows an agent the pools of its roles': async (host, context) => {
    const { agentWithRole } = host.options;
    if (agentWithRole === undefined) {
      context.skip('no agent has a role');
      return;
    }
    const { agentId, role } = agentWithRole;
    await writeHerons(host, 'open', 'role', 'both', 'other');
    await host.register(
      { id: 'open' },
      { id: 'role', roles: ['another role', role] },
      { id: 'both', roles: [role], agents: ['main'] },
      { id: 'other', roles: ['another role'], agents: ['another agent'] },
    );
    assert.deepEqual(await host.found({ agentId }), ['both/a.md', 'open/a.md', 'role/a.md']);
    assert.deepEqual(await host.found({ agentId: 'main' }), ['both/a.md', 'open/a.md']);
    assert.deepEqual(await host.found({ agentId: role }), ['open/a.md']);
  },

  'gives no place of the results to what is left out': async (host) => {
    await writeManyAndOne(host);
    await host.register({ id: 'many', agents: ['other'] }, { id: 'few' });
    assert.deepEqual(await host.found({ limit: 1 }), ['few/a.md'], 'pools of others');
    await host.register({ id: 'many', tier: 'cold' }, { id: 'few' });
    assert.deepEqual(await host.found({ limit: 1 }), ['few/a.md'], 'other tiers');
    await host.register({ id: 'many' }, { id: 'few' });
    assert.deepEqual(await host.found({ limit: 1, poolIds: ['few'] }), ['few/a.md'], 'other pools');
    assert.deepEqual(await host.found({ limit: 1, filters: { kind: 'few' } }), ['few/a.md'], 'filters');
  },

  'filters by the front matter': async (host) => {
    const note = (frontMatter: string): string => `---\n${frontMatter}\n---\n\nA heron.\n`;
    await host.write({
      'notes/draft.md': note('status: draft\ntags: [boat, sea]\nyear: 2024\ndone: true'),
      'notes/final.md': note('status: final\ntags:\n  - boat\nyear: 2025\ndone: false'),
      'notes/quote.md': note(`status: "it's"`),
      'notes/none.md': 'A heron, without a status: draft\n',
    });
    await host.register({ id: 'notes' });
    for (const [filters, expected] of [
      [{}, ['draft', 'final', 'none', 'quote']],
      [{ status: 'draft' }, ['draft']],
      [{ status: ['draft', 'final'] }, ['draft', 'final']],
      [{ status: ['final', 'unknown'] }, ['final']],
      [{ status: "it's" }, ['quote']],
      [{ tags: 'sea' }, ['draft']],
      [{ tags: 'boat' }, ['draft', 'final']],
      [{ tags: ['sea', 'lake'] }, ['draft']],
      [{ year: '2024' }, ['draft']],
      [{ done: 'false' }, ['final']],
      [{ tags: 'boat', status: 'final' }, ['final']],
      [{ tags: 'sea', status: 'final' }, []],
      [{ status: [] }, []],
      [{ status: 'dra' }, []],
      [{ status: '' }, []],
      [{ tags: 'boat, sea' }, []],
      [{ unknown: 'draft' }, []],
      [{ constructor: 'draft' }, []],
      [{ ['__proto__']: 'draft' }, []],
      [{ "status' OR '1'='1": 'draft' }, []],
      [{ status: "draft' OR '1'='1" }, []],
      [{ status: '%' }, []],
    ] as const) {
      const found = await host.found({ filters });
      assert.deepEqual(
        found,
        expected.map((name) => `notes/${name}.md`),
        JSON.stringify(filters),
      );
    }
  },
};
