import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync, watch } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Notes } from './adapter.ts';

const WRITER = fileURLToPath(new URL('writer.ts', import.meta.url));

function startWriter(notes: Notes, ...pools: readonly string[]): ChildProcessWithoutNullStreams {
  const args = [WRITER, notes.home, ...pools.map((pool) => `${pool}=${notes.path(pool)}`)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function said(child: ChildProcessWithoutNullStreams, line: string): Promise<void> {
  const [data] = (await once(child.stdout, 'data')) as [Buffer];
  expect(data.toString()).toBe(`${line}\n`);
}

async function killed(child: ChildProcessWithoutNullStreams): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

describe('processes that share a table of LanceDB', () => {
  it('read what the one that writes has written, say so, and one of them writes once it is killed', async () => {
    const notes = new Notes();
    notes.write({ 'a/x.md': 'A heron.', 'b/y.md': 'A heron.', 'c/z.md': 'An egret.' });
    mkdirSync(notes.path('empty'));
    const writer = startWriter(notes, 'a', 'b');
    await said(writer, 'registered');
    const reader = await notes.open();
    await reader.registerPools([notes.pool('a'), notes.pool('b'), notes.pool('empty')]);
    expect((await notes.found(reader, 'heron')).sort()).toEqual(['a/x.md', 'b/y.md']);
    expect(await reader.status()).toMatchObject({ ok: true, details: { writes: false } });

    notes.write({ 'a/new.md': 'A stork.' });
    await reader.indexPaths([notes.path('a/new.md')]);
    expect(await notes.found(reader, 'stork')).toEqual([]);
    writer.stdin.write(`${notes.path('a/new.md')}\n`);
    await said(writer, 'indexed');
    expect(await notes.found(reader, 'stork')).toEqual(['a/new.md']);

    await reader.registerPools([notes.pool('a'), notes.pool('c')]);
    expect(await notes.found(reader, 'egret')).toEqual([]);
    const { ok, message } = await reader.status();
    const others = 'is not indexed: another process may have registered other pools';
    expect([ok, message]).toEqual([false, `the pool c ${others}`]);

    // The writer has it for all agents.
    await reader.registerPools([{ ...notes.pool('a'), agents: ['main'] }]);
    expect(await notes.found(reader, 'heron')).toEqual([]);
    expect((await reader.status()).message).toBe(`the pool a ${others}`);

    await reader.registerPools([notes.pool('a'), notes.pool('c')]);
    await killed(writer);
    await reader.indexPaths([notes.path('c')]);
    expect(await notes.found(reader, 'egret')).toEqual(['c/z.md']);
    expect(await reader.status()).toMatchObject({ ok: true, details: { writes: true, notes: 3 } });
  });

  it('shows a reader nothing of a pool below, which the process that writes does not know', async () => {
    const notes = new Notes();
    notes.write({ 'a/x.md': 'A heron.', 'a/secret/y.md': 'A heron.' });
    const writer = startWriter(notes, 'a');
    await said(writer, 'registered');
    const reader = await notes.open();
    await reader.registerPools([notes.pool('a'), { ...notes.pool('s', 'a/secret'), agents: ['other'] }]);
    expect(await notes.found(reader, 'heron')).toEqual(['a/x.md']);
  });

  it('write nothing without the lock, which the error names', async () => {
    const notes = new Notes();
    const lock = join(notes.tables, 'writer.lock');
    mkdirSync(lock, { recursive: true });
    const adapter = await notes.open();
    await expect(adapter.registerPools([])).rejects.toThrow(`${lock} cannot be used as a lock`);
    rmSync(lock, { recursive: true });
    await adapter.registerPools([]);
  });

  it('go on where one was killed that indexed, with each note once', async () => {
    const notes = new Notes();
    const count = 2500;
    for (let i = 0; i < count; i++)
      notes.write({
        [`a/${String(i)}.md`]: `# Heron ${String(i)}\n\n${'It waits in the water. '.repeat(80)}`,
      });
    let versions = 0;
    for (const more of [1, 2]) {
      const writer = startWriter(notes, 'a');
      const registered = vi.fn();
      writer.stdout.on('data', registered);
      await versionsReach(notes, versions + more);
      await killed(writer);
      expect(registered).not.toHaveBeenCalled();
      versions = countVersions(notes);
    }
    const adapter = await notes.open();
    await adapter.registerPools([notes.pool('a')]);
    expect(await adapter.status()).toMatchObject({ ok: true, details: { notes: count } });
    const found = await notes.found(adapter, { query: 'heron', limit: 1000 });
    expect(new Set(found).size).toBe(1000);
  });
});

/** The writer may be making or removing a table. */
function countVersions(notes: Notes): number {
  try {
    return notes.tableFolders().flatMap((folder) => readdirSync(`${folder}/_versions`)).length;
  } catch {
    return 0;
  }
}

async function versionsReach(notes: Notes, count: number): Promise<void> {
  const changes = watch(notes.home, { recursive: true });
  try {
    while (countVersions(notes) < count) await once(changes, 'change');
  } finally {
    changes.close();
  }
}
