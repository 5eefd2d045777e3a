import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { settings, temporaryFolder, writeNotes } from '../../../test/contract/engines.ts';
import { sourceNameKey } from '../../config/sources-schema.ts';
import { isSubject } from '../../core/caller.ts';
import { openEngine } from '../../engine/open.ts';
import { indexVaults } from '../../engine/reading/index-vaults.ts';
import { search } from '../../engine/records/search.ts';
import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import type { LociAdapter, MemoryPoolDefinition, MemoryQuery } from '../contract.ts';
import { createAdapter } from '../create-adapter.ts';
import { namesOf, poolNamespace } from './pool-search.ts';

let home: string;
let resources: AsyncDisposableStack;

beforeEach(async () => {
  resources = new AsyncDisposableStack();
  home = resources.use(await temporaryFolder()).path;
});

afterEach(() => resources.disposeAsync());

async function open(values: Readonly<Record<string, unknown>> = {}): Promise<LociAdapter> {
  const adapter = await createAdapter(
    { memory: { adapter: 'loci' }, embedding: { provider: 'none' }, ...values },
    { home, onWarning: () => undefined },
  );
  resources.defer(() => adapter.close());
  return adapter;
}

function pool(id: string, options: Partial<MemoryPoolDefinition> = {}): MemoryPoolDefinition {
  return { id, tier: 'hot', path: join(home, id), ...options };
}

/** The pools and paths of what an agent finds, sorted. */
async function found(adapter: LociAdapter, query: Partial<MemoryQuery> = {}): Promise<string[]> {
  const results = await adapter.recall({ agentId: 'ada', query: 'oven', limit: 100, ...query });
  return results.map(({ metadata }) => `${String(metadata?.['pool'])}:${String(metadata?.['path'])}`).sort();
}

/** The number of records of each source in the store. */
async function stored(): Promise<readonly unknown[]> {
  const namespace = poolNamespace('pools', {});
  const engine = await openEngine({ ...settings(home), namespace });
  const facet = await engine.store.records.facet(namespace, 'source', { now: Date.now() });
  await engine.close();
  return facet.map(({ records }) => records);
}

describe('pools', () => {
  it('that are gone, or were registered by an earlier process, leave nothing in the store', async () => {
    await writeNotes(home, { 'one/a.md': 'An oven.', 'two/b.md': 'An oven.', 'two/c.md': 'An oven.' });
    const first = await open();
    await first.registerPools([pool('one'), pool('two')]);
    await first.close();
    const second = await open();
    await second.registerPools([pool('two')]);
    expect(await found(second)).toEqual(['two:b.md', 'two:c.md']);
    await second.close();
    expect(await stored()).toEqual([2]);
  });

  it('whose folder is away for a while keep their notes in the store', async () => {
    await writeNotes(home, { 'one/a.md': 'An oven.' });
    const adapter = await open();
    await adapter.registerPools([pool('one')]);
    await rename(join(home, 'one'), join(home, 'away'));
    const second = await open();
    await second.registerPools([pool('one')]);
    expect(await found(second)).toEqual([]);
    expect((await second.status()).message).toContain('the pool one is empty');
    await second.close();
    expect(await stored()).toEqual([1]);
    await rename(join(home, 'away'), join(home, 'one'));
    expect(await found(adapter)).toEqual(['one:a.md']);
  });

  it('in other pools, whatever their names are, belong to themselves, also through links', async () => {
    const names = ['in[n]er', '*', 'new\nline', '!not'];
    await writeNotes(home, { 'outer/a.md': 'An oven.', 'outer/plain/b.md': 'An oven.' });
    for (const [i, name] of names.entries()) {
      const folder = join(home, 'outer', name);
      await writeNotes(folder, { 'secret.md': 'An oven.' });
      await symlink(folder, join(home, `outer/link ${String(i)}`));
      await symlink(join(folder, 'secret.md'), join(home, `outer/plain/link ${String(i)}.md`));
    }
    const inner = names.map((name) => pool(name, { path: join(home, 'outer', name), agents: ['boss'] }));
    const adapter = await open();
    await adapter.registerPools([pool('outer')]);
    expect(await found(adapter)).toHaveLength(2 + names.length);
    await adapter.registerPools([pool('outer'), ...inner]);
    expect(await found(adapter)).toEqual(['outer:a.md', 'outer:plain/b.md']);
    expect(await found(adapter, { agentId: 'boss' })).toHaveLength(2 + names.length);
  });

  it('of another process are no results, even if that process knows fewer', async () => {
    await writeNotes(home, { 'outer/a.md': 'An oven.', 'outer/inner/secret.md': 'An oven.' });
    const inner = pool('inner', { path: join(home, 'outer/inner'), agents: ['boss'] });
    const [adapter, other] = [await open(), await open()];
    await adapter.registerPools([pool('outer'), inner]);
    await other.registerPools([pool('outer')]);
    expect(await found(adapter)).toEqual(['outer:a.md']);
    expect((await adapter.status()).message).toContain('the pool inner is not indexed: another process');
  });

  it.each<[inner: Partial<MemoryPoolDefinition>]>([[{}], [{ agents: ['boss'] }]])(
    'of a pool %j below them, which another process has registered, are missing, and the status says so',
    async (options) => {
      await writeNotes(home, { 'outer/a.md': 'An oven.', 'outer/inner/b.md': 'An oven.' });
      const [adapter, other] = [await open(), await open()];
      await adapter.registerPools([pool('outer')]);
      expect(await adapter.status()).toMatchObject({ ok: true });
      await other.registerPools([
        pool('outer'),
        pool('inner', { path: join(home, 'outer/inner'), ...options }),
      ]);
      expect(await found(adapter)).toEqual(['outer:a.md']);
      expect(await adapter.status()).toMatchObject({
        ok: false,
        message: 'another process has registered other pools, and notes in their folders are not found',
      });
      expect(await other.status()).toMatchObject({ ok: true });
      await other.registerPools([pool('outer', { agents: ['boss'] })]);
      expect((await adapter.status()).message).toContain('the pool outer is not indexed: another process');
    },
  );
});

describe('notes', () => {
  it('are read again, added and removed by `indexPaths`', async () => {
    await writeNotes(home, { 'one/a.md': 'An oven.', 'one/b.md': 'An oven.', 'two/c.md': 'A garden.' });
    const adapter = await open();
    await adapter.registerPools([pool('one'), pool('two')]);
    await writeNotes(home, { 'one/new.md': 'An oven.', 'two/c.md': 'An oven is in the garden.' });
    await rm(join(home, 'one/a.md'));
    await adapter.indexPaths([join(home, 'one/a.md')]);
    expect(await found(adapter)).toEqual(['one:b.md', 'one:new.md']);
    await adapter.indexPaths([home]);
    expect(await found(adapter)).toEqual(['one:b.md', 'one:new.md', 'two:c.md']);
    for (const name of ['b.md', 'new.md']) await rm(join(home, 'one', name));
    await adapter.indexPaths([join(home, 'one')]);
    expect(await found(adapter)).toEqual(['two:c.md']);
  });

  it('are found once for a path, with its lines, its properties and an excerpt', async () => {
    await writeNotes(home, { 'one/e\u0301/Oven.md': '---\ntags: [a, b]\nid: 7\n---\n# Heat\n\nAn oven.\n' });
    const adapter = await open();
    await adapter.registerPools([pool('one'), pool('same', { path: join(home, 'one') })]);
    const file = join(home, 'one/e\u0301/Oven.md');
    expect(await adapter.recall({ agentId: 'ada', query: 'oven', poolIds: ['one', 'same'] })).toEqual([
      {
        id: file,
        uri: `${file}#L5-L7`,
        score: expect.any(Number) as number,
        snippet: 'An oven.',
        metadata: {
          tags: ['a', 'b'],
          id: 7,
          pool: 'one',
          tier: 'hot',
          path: 'e\u0301/Oven.md',
          title: 'Oven',
        },
      },
    ]);
  });

  it('are cited and shown by the passage that answers, as a search does', async () => {
    const filler = Array.from({ length: 120 }, (_, i) => `The wall ${String(i)} is painted white.`).join(' ');
    const links = Array.from({ length: 8 }, (_, i) => `- [[Oven door ${String(i)}]]`).join('\n');
    const text = `# Kitchen\n\n${links}\n\n## Walls\n\n${filler}\n\n## Appliances\n\nThe oven door opens to the left.\n`;
    await writeNotes(home, { 'one/Kitchen.md': text, 'vault/Kitchen.md': text });
    const adapter = await open();
    await adapter.registerPools([pool('one')]);
    const [result] = await adapter.recall({ agentId: 'ada', query: 'oven door' });
    const engine = await openEngine(
      settings(home, { vaults: [{ name: 'v', path: join(home, 'vault') }], search: { minScore: 0 } }),
    );
    resources.defer(() => engine.close());
    await indexVaults(engine);
    const [hit] = (await search(engine, { query: 'oven door' })).results;
    expect(result?.uri).toBe(join(home, 'one', hit!.citation));
    expect(result?.snippet).toBe('The oven door opens to the left.');
    expect(
      text
        .split('\n')
        .slice(Number(/#L(\d+)/.exec(hit!.citation)![1]) - 1)
        .join('\n'),
    ).not.toContain('[[');
  });

  it('that cannot be read are named by the status', async () => {
    await mkdir(join(home, 'one'));
    await writeFile(join(home, 'one/a.md'), Buffer.from([0, 1, 2, 0xff, 0]));
    const adapter = await open();
    await adapter.registerPools([pool('one')]);
    expect(await adapter.status()).toMatchObject({
      ok: false,
      message: `${join(home, 'one/a.md')} is not searched: it is not a text file`,
      details: { store: 'sqlite', provider: 'none', notes: { one: 0 }, waiting: 0 },
    });
  });
});

it('filters compare all properties, and go on until enough notes have them', async () => {
  const notes = Object.fromEntries(
    Array.from({ length: 400 }, (_, i) => [
      `one/${String(i)}.md`,
      `---\nproject: p\n---\n${'An oven. '.repeat(3)}`,
    ]),
  );
  await writeNotes(home, {
    ...notes,
    'one/last.md': `---\nproject: q\n---\nAn oven, ${'and other words, '.repeat(99)}`,
  });
  const adapter = await open();
  await adapter.registerPools([pool('one')]);
  expect(await found(adapter, { filters: { project: 'q' } })).toEqual(['one:last.md']);
  expect(await found(adapter, { filters: { project: ['q', 'p'] }, limit: 1000 })).toHaveLength(401);
  expect(await found(adapter, { filters: { project: 'r' } })).toEqual([]);
});

it('an agent gets nothing of pools that it does not see, whatever it asks for', async () => {
  const secret = '---\nproject: q\n---\nAn oven with the password mackerel, see [[open]].';
  await writeNotes(home, { 'open/open.md': '---\nproject: q\n---\nAn oven.', 'secret/mackerel.md': secret });
  const adapter = await open();
  await adapter.registerPools([pool('open'), pool('secret', { agents: ['boss'], tier: 'warm' })]);
  const narrowed: Partial<MemoryQuery>[] = [
    {},
    { poolIds: ['secret'] },
    { poolIds: ['secret', 'open'] },
    { tiers: ['warm'] },
    { filters: { project: 'q' } },
  ];
  const modes: Partial<MemoryQuery>[] = [{}, { mode: 'keyword' }, { mode: 'semantic' }];
  const queries = ['oven', 'password mackerel', 'makerel', '"password mackerel"'].flatMap((query) =>
    narrowed.flatMap((each) => modes.map((mode) => ({ query, ...each, ...mode }))),
  );
  for (const query of queries) {
    const answer = await adapter.recall({ agentId: 'ada', limit: 1000, ...query });
    expect(JSON.stringify(answer)).not.toMatch(/mackerel|secret|password/);
  }
  expect(await found(adapter, { agentId: 'boss', query: 'mackerel' })).toEqual(['secret:mackerel.md']);
});

it('the owner’s memory and the pools of the same store find nothing of each other', async () => {
  await writeNotes(home, { 'one/a.md': 'An oven.', 'vault/b.md': 'An oven.' });
  const adapter = await open();
  await adapter.registerPools([pool('one')]);
  const engine = await openEngine(settings(home, { vaults: [{ path: join(home, 'vault') }] }));
  resources.defer(() => engine.close());
  await indexVaults(engine);
  const { results } = await search(engine, { query: 'oven', min_score: 0 });
  expect(results.map(({ citation }) => citation)).toEqual(['b.md#L1-L1']);
  expect(await found(adapter)).toEqual(['one:a.md']);
  const namespaces = await engine.store.admin.namespaces(ADMIN_NAMESPACE);
  const hidden = namespaces.filter((each) => each !== 'default');
  expect(hidden).toEqual([poolNamespace('pools', {})]);
  // No token and no setting can name it.
  expect(hidden.some(isSubject)).toBe(false);
  expect(hidden).not.toContain(settings(home, { namespace: hidden[0] }).namespace);
});

it('pools of other agents are in other namespaces, and their results are merged by confidence', async () => {
  await writeNotes(home, {
    'all/a.md': 'The oven is in the kitchen.',
    'ada/b.md': 'The oven costs 3480.',
    'boss/c.md': 'The oven is a present.',
  });
  const adapter = await open();
  const pools = [pool('all'), pool('ada', { agents: ['ada'] }), pool('boss', { agents: ['boss', 'boss'] })];
  await adapter.registerPools(pools);
  const results = await adapter.recall({ agentId: 'ada', query: 'oven costs' });
  expect(results.map(({ metadata }) => metadata?.['path'])).toEqual(['b.md', 'a.md']);
  expect(results[0]!.score!).toBeGreaterThan(results[1]!.score!);
  expect((await adapter.status()).details).toMatchObject({ notes: { all: 1, ada: 1, boss: 1 } });
  // A pool that other agents see moves to another namespace, and leaves nothing behind.
  await adapter.registerPools([pool('all'), pool('ada'), pool('boss')]);
  expect(await found(adapter)).toEqual(['ada:b.md', 'all:a.md', 'boss:c.md']);
  expect(await stored()).toEqual([1, 1, 1]);
  await adapter.close();
  const engine = await openEngine(settings(home));
  resources.defer(() => engine.close());
  const namespaces = await engine.store.admin.namespaces(ADMIN_NAMESPACE);
  expect(namespaces).toEqual([poolNamespace('pools', {})]);
});

it('of pools in several namespaces, what was said later stands first', async () => {
  await writeNotes(home, {
    'all/2025-02-11.md': 'The collection day of the paper bin is Monday.',
    'ada/2026-03-09.md': 'The collection day of the paper bin is Thursday.',
  });
  const adapter = await open();
  await adapter.registerPools([pool('all'), pool('ada', { agents: ['ada'] })]);
  const query = 'collection day of the paper bin';
  const paths = async (text: string): Promise<unknown[]> =>
    (await adapter.recall({ agentId: 'ada', query: text })).map(({ metadata }) => metadata?.['path']);
  expect(await paths(query)).toEqual(['2026-03-09.md', '2025-02-11.md']);
  expect(await paths(`what was the ${query} before`)).toEqual(['2025-02-11.md', '2026-03-09.md']);
});

it('a store that cannot be opened gives empty answers until it can', async () => {
  await writeNotes(home, { 'one/a.md': 'An oven.' });
  await writeFile(join(home, 'loci.db'), 'this is no database'.repeat(1000));
  const adapter = await open({ adapters: { pools: [pool('one')] } });
  expect(await found(adapter)).toEqual([]);
  expect(await adapter.status()).toMatchObject({
    ok: false,
    message: expect.stringContaining('loci.db') as string,
  });
  await rm(join(home, 'loci.db'));
  expect(await found(adapter)).toEqual(['one:a.md']);
});

it('two processes that register the same pools at once do not disturb each other', async () => {
  const notes = Array.from({ length: 100 }, (_, i) => [`one/${String(i)}.md`, `An oven ${String(i)}.`]);
  await writeNotes(home, Object.fromEntries(notes) as Record<string, string>);
  const adapters = await Promise.all([open(), open()]);
  await Promise.all(adapters.map((adapter) => adapter.registerPools([pool('one')])));
  for (const adapter of adapters) expect(await found(adapter)).toHaveLength(100);
  expect(await stored()).toEqual([100]);
});

it('ids that differ in case, in normalisation or in lone surrogates have other names, and none begins like another', () => {
  const ids = [
    'A',
    'a',
    'É',
    'É'.normalize('NFD'),
    '\ud800',
    '\ud801',
    'a/',
    'a\n',
    '',
    'x'.repeat(99),
    'x'.repeat(100),
  ];
  const names = ids.map((id) => sourceNameKey(namesOf({ id })));
  for (const [i, name] of names.entries())
    expect(names.filter((other) => other.startsWith(name))).toEqual([names[i]]);
});
