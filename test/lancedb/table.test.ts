import { mkdirSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Connection } from '../../src/adapters/lancedb/package.ts';
import { Notes } from './adapter.ts';
import { LANCEDB } from './installation.ts';

/** The versions of the table: each write adds one. */
function versionsOf(notes: Notes): string[] {
  return notes.tableFolders().flatMap((folder) => readdirSync(join(folder, '_versions')));
}

/** The CPU time of the longest turn of the event loop, in milliseconds. It does not depend on other load of the machine. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = process.threadCpuUsage();
  const turn = (): void => {
    const { user, system } = process.threadCpuUsage(last);
    longest = Math.max(longest, (user + system) / 1000);
    last = process.threadCpuUsage();
  };
  const timer = setInterval(turn, 1);
  await work();
  turn();
  clearInterval(timer);
  return longest;
}

const { connect } = createRequire(join(LANCEDB, 'from.js'))('@lancedb/lancedb') as {
  readonly connect: (folder: string) => Promise<Connection>;
};

describe('the table of the lancedb adapter', () => {
  it('is read again after a restart, without another write for notes that are the same', async () => {
    const notes = new Notes();
    notes.write({ 'a/x.md': 'A heron.', 'a/y.md': 'An egret.', 'b/z.md': 'A heron.' });
    const pools = [notes.pool('a'), notes.pool('b')];
    const first = await notes.open();
    await first.registerPools(pools);
    await first.close();
    const versions = versionsOf(notes);
    const second = await notes.open();
    await second.registerPools(pools);
    expect(await notes.found(second, 'heron')).toEqual(expect.arrayContaining(['a/x.md', 'b/z.md']));
    // Another order, name and tier of pools concern no note.
    await second.registerPools([{ ...notes.pool('c', 'b'), tier: 'warm' }, notes.pool('a')]);
    expect(await notes.found(second, { query: 'heron', poolIds: ['c'] })).toEqual(['b/z.md']);
    expect(versionsOf(notes)).toEqual(versions);
    notes.write({ 'a/x.md': 'A stork.' });
    await second.indexPaths([notes.path('a/x.md')]);
    expect(versionsOf(notes)).toHaveLength(versions.length + 1);
    expect(await notes.found(second, 'stork')).toEqual(['a/x.md']);
  });

  it.each(['_versions', 'data', '_indices', '_transactions'])(
    'is made anew if its files in %s are damaged',
    async (part) => {
      const notes = new Notes();
      notes.write({ 'a/x.md': 'A heron.', 'a/long.md': 'An egret in a long note. '.repeat(30_000) });
      const first = await notes.open();
      await first.registerPools([notes.pool('a')]);
      await first.close();
      const [table] = notes.tableFolders();
      const damaged = readdirSync(join(table!, part), { recursive: true, withFileTypes: true });
      for (const file of damaged) if (file.isFile()) truncateSync(join(file.parentPath, file.name), 10);
      expect(damaged.length).toBeGreaterThan(0);
      const second = await notes.open();
      await second.registerPools([notes.pool('a')]);
      // The first query may be the one that finds the damage.
      await vi.waitFor(async () => {
        expect(await notes.found(second, 'heron')).toEqual(['a/x.md']);
      }, 100_000);
      expect(await second.status()).toMatchObject({ ok: true, details: { notes: 2 } });
    },
  );

  it('has the notes of a small pool beside a large one whose notes fit better', async () => {
    const notes = new Notes();
    const large = Array.from({ length: 400 }, (_, i) => [`large/${String(i)}.md`, 'heron heron heron']);
    notes.write({ ...Object.fromEntries(large), 'small/x.md': `A heron. ${'Some more words. '.repeat(20)}` });
    const adapter = await notes.open();
    await adapter.registerPools([notes.pool('large'), notes.pool('small')]);
    expect(await notes.found(adapter, { query: 'heron', poolIds: ['small'], limit: 3 })).toEqual([
      'small/x.md',
    ]);
    expect(await notes.found(adapter, { query: 'heron', limit: 500 })).toHaveLength(401);
  });

  it('knows pools, notes and values of front matter by any name', async () => {
    const notes = new Notes();
    const hostile = `'); DROP TABLE x; --\n"\\ %_\u202e`;
    const name = `it's a "note" \\ é\n.md`;
    const frontMatter = `---\n${JSON.stringify(hostile)}: ${JSON.stringify(hostile)}\n---\n`;
    notes.write({ [`it's/${name}`]: `${frontMatter}A heron.`, 'other/x.md': 'A heron.' });
    const adapter = await notes.open();
    await adapter.registerPools([{ ...notes.pool(hostile), path: notes.path("it's") }, notes.pool('other')]);
    const found = (values: string[]): Promise<string[]> =>
      notes.found(adapter, { query: 'heron', filters: { [hostile]: values } });
    expect(await found(['x', hostile])).toEqual([`it's/${name}`]);
    expect(await found(['x'])).toEqual([]);
    expect(await notes.found(adapter, { query: 'heron', poolIds: [hostile] })).toEqual([`it's/${name}`]);
    rmSync(notes.path(`it's/${name}`));
    await adapter.indexPaths([notes.path("it's")]);
    expect(await notes.found(adapter, 'heron')).toEqual(['other/x.md']);
  });

  it('filters notes of which many have other values', async () => {
    const notes = new Notes();
    const tags = Array.from({ length: 500 }, (_, i) => `tag${String(i)}`);
    notes.write({
      'a/many.md': `---\ntags: [${tags.join(', ')}]\n---\nA heron.`,
      ...Object.fromEntries(
        Array.from({ length: 60 }, (_, i) => [
          `a/other${String(i)}.md`,
          `---\ntags: [${tags.slice(1).join(', ')}]\n---\nheron`,
        ]),
      ),
    });
    const adapter = await notes.open();
    await adapter.registerPools([notes.pool('a')]);
    expect(await notes.found(adapter, { filters: { tags: 'tag0' }, limit: 5 })).toEqual(['a/many.md']);
  });

  it('finds words of English by their stems, and those of languages without spaces', async () => {
    const notes = new Notes();
    notes.write({
      'a/en.md': 'The baker repaired three ovens.',
      'a/zh.md': '我们的厨房改造计划。烤箱坏了。',
      'a/ja.md': 'オーブンの温度を測る。',
      'a/code.md': `See config.max_retries, and the commit ${'0123456789abcdef'.repeat(4)}.`,
      'a/de.md': 'Die Müllabfuhr kommt am Dienstag.',
    });
    const adapter = await notes.open();
    await adapter.registerPools([notes.pool('a')]);
    const cases = {
      'how is the oven repaired?': 'a/en.md',
      烤箱: 'a/zh.md',
      温度: 'a/ja.md',
      retries: 'a/code.md',
      ['0123456789abcdef'.repeat(4)]: 'a/code.md',
      müllabfuhr: 'a/de.md',
    };
    for (const [query, path] of Object.entries(cases))
      expect(await notes.found(adapter, query), query).toEqual([path]);
  });

  it('takes no character of a query for an operator, in a table with an index of its words', async () => {
    const notes = new Notes();
    for (let i = 0; i < 1100; i++) notes.write({ [`a/${String(i)}.md`]: `Other words ${String(i)}.` });
    notes.write({ 'a/x.md': 'The oven costs much.' });
    const adapter = await notes.open();
    await adapter.registerPools([notes.pool('a')]);
    for (const query of ['"oven costs"', '"costs oven" "costs much"', '"oven', '-oven', 'title:oven*'])
      expect(await notes.found(adapter, query), query).toEqual(['a/x.md']);
    expect(await adapter.status()).toMatchObject({ ok: true });
  });

  it('is made anew if it loses its columns while it is open', async () => {
    const notes = new Notes();
    notes.write({ 'a/x.md': 'A heron.' });
    const adapter = await notes.open();
    await adapter.registerPools([notes.pool('a')]);
    const [table] = notes.tableFolders();
    for (const entry of readdirSync(table!, { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name);
      if (entry.isFile()) writeFileSync(file, Buffer.alloc(statSync(file).size));
    }
    await vi.waitFor(async () => {
      expect(await notes.found(adapter, 'heron')).toEqual(['a/x.md']);
    }, 100_000);
    expect(await adapter.status()).toMatchObject({ ok: true });
  });

  it('is not made anew if the system cannot open it at the moment', async () => {
    const notes = new Notes();
    notes.write({ 'a/x.md': 'A heron.' });
    const first = await notes.open();
    await first.registerPools([notes.pool('a')]);
    await first.close();
    const versions = versionsOf(notes);
    const connections = Object.getPrototypeOf(await connect(notes.tables)) as Connection;
    const openTable = vi.spyOn(connections, 'openTable');
    onTestFinished(() => {
      openTable.mockRestore();
    });
    const second = await notes.open();
    openTable.mockRejectedValueOnce(new Error('LanceError(IO): Too many open files (os error 24), io.rs:1'));
    await expect(second.registerPools([notes.pool('a')])).rejects.toThrow('Too many open files');
    expect(versionsOf(notes)).toEqual(versions);
    await second.registerPools([notes.pool('a')]);
    expect(await notes.found(second, 'heron')).toEqual(['a/x.md']);
    expect(versionsOf(notes)).toEqual(versions);
  });

  it('is in a folder that only its owner can access, and leaves other tables there', async () => {
    const notes = new Notes();
    notes.write({ 'a/x.md': 'A heron.' });
    mkdirSync(join(notes.tables, 'mine.lance'), { recursive: true, mode: 0o755 });
    mkdirSync(join(notes.tables, 'passages-0123456789ab-0123456789ab.lance'));
    const adapter = await notes.open();
    await adapter.registerPools([notes.pool('a')]);
    expect(statSync(notes.tables).mode & 0o777).toBe(0o700);
    const names = notes.tableFolders().map((folder) => basename(folder));
    expect(names).toEqual(['mine.lance', expect.stringMatching(/^passages-(?!0123456789ab)/)]);
  });

  it('gets the notes of many pools in few writes', async () => {
    const notes = new Notes();
    const names = Array.from({ length: 60 }, (_, i) => String(i));
    for (const name of names) notes.write({ [`${name}/x.md`]: 'A heron.' });
    const adapter = await notes.open();
    await adapter.registerPools(names.map((name) => notes.pool(name)));
    expect(await notes.found(adapter, { limit: 100 })).toHaveLength(60);
    expect(versionsOf(notes).length).toBeLessThan(5);
  });

  it('has nothing of notes that cannot be read, which the status names until they can', async () => {
    const notes = new Notes();
    notes.write({ 'a/x.md': 'A heron.\0', 'a/y.canvas': 'A heron.', 'a/z.md': 'A heron.' });
    const adapter = await notes.open();
    await adapter.registerPools([notes.pool('a')]);
    expect(await notes.found(adapter, 'heron')).toEqual(['a/z.md']);
    const message = ['a/x.md', 'a/y.canvas'].map(
      (name) => `${notes.path(name)} is not searched: it is no text`,
    );
    expect(await adapter.status()).toMatchObject({ ok: false, message: message.join('\n') });
    notes.write({ 'a/x.md': 'A heron.' });
    rmSync(notes.path('a/y.canvas'));
    await adapter.indexPaths([notes.path('a/x.md'), notes.path('a/y.canvas')]);
    expect(await adapter.status()).toMatchObject({ ok: true });
  });

  it('is compacted, so that many small changes leave few versions', async () => {
    const notes = new Notes();
    notes.write({ 'a/x.md': 'A heron.' });
    const adapter = await notes.open();
    await adapter.registerPools([notes.pool('a')]);
    // The versions that are made now are older than those that other processes may be reading.
    vi.useFakeTimers({ now: Date.now() + 3_600_000, toFake: ['Date'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const counts: number[] = [];
    for (let i = 0; i < 25; i++) {
      notes.write({ 'a/x.md': `A heron, number${String(i)}.` });
      await adapter.indexPaths([notes.path('a/x.md')]);
      counts.push(versionsOf(notes).length);
    }
    expect(Math.max(...counts)).toBeGreaterThan(15);
    expect(counts.at(-1)).toBeLessThan(12);
    expect(await notes.found(adapter, 'number24')).toEqual(['a/x.md']);
    expect(await notes.found(adapter, 'number23')).toEqual([]);
  });

  it('does not block the event loop while it is made', async () => {
    const notes = new Notes();
    const text = `# Herons\n\n${'Herons stand in the water and wait. '.repeat(200)}`;
    for (let i = 0; i < 1500; i++) notes.write({ [`a/${String(i)}.md`]: `${text} ${String(i)}` });
    const adapter = await notes.open();
    await adapter.init({ dataDir: notes.home });
    expect(await longestTurn(() => adapter.registerPools([notes.pool('a')]))).toBeLessThan(50);
    expect(await notes.found(adapter, { limit: 1000 })).toHaveLength(1000);
  });
});
