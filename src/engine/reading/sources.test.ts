import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openInline, settings } from '../../../test/contract/engines.ts';
import { approveSource, TasksSource } from '../../../test/contract/tasks-source.ts';
import { refreshSources, showSource } from './sources.ts';
import { forgetSource } from './forget-source.ts';
import { sourceReports } from './reports.ts';
import { search } from '../records/search.ts';
import { indexVaults } from './index-vaults.ts';
import { get } from '../records/get.ts';
import { facet } from '../records/results/why-nothing.ts';

const MINUTE = 60_000;

let tasks: TasksSource;

beforeEach(async () => {
  tasks = await TasksSource.open();
});

afterEach(() => tasks[Symbol.asyncDispose]());

describe('a refresh', () => {
  beforeEach(() => approveSource(tasks.loci, 'tasks'));

  it('adds new documents, updates changed ones and removes missing ones', async () => {
    expect(await tasks.refresh()).toMatchObject({ added: 2, updated: 0, removed: 0 });
    const [before] = (await search(tasks.loci, { query: 'tile samples' })).results;
    await tasks.setOutput([
      { id: 'a', text: 'Buy tile samples from Saltillo', completed: false },
      { id: 'c', text: 'Water the plants' },
    ]);
    tasks.now += MINUTE;
    expect(await tasks.refresh()).toMatchObject({ added: 1, updated: 1, removed: 1, unchanged: 0 });
    const [after] = (await search(tasks.loci, { query: 'tile samples' })).results;
    expect(after).toMatchObject({ id: before!.id, snippet: 'Buy tile samples from Saltillo' });
    expect(await tasks.firstLines('dentist')).toEqual([]);
    expect(await tasks.refresh()).toMatchObject({ added: 0, updated: 0, removed: 0, unchanged: 2 });
  });

  it('rewrites documents of an earlier format, and does not embed an unchanged text again', async () => {
    await tasks.refresh();
    const store = join(tasks.folder, 'loci.db');
    const passages = (): unknown[] => {
      using db = new DatabaseSync(store, { readOnly: true });
      return db.prepare('SELECT * FROM passage').all();
    };
    const before = passages();
    expect(before).toHaveLength(2);
    // An earlier format has other revisions.
    {
      using db = new DatabaseSync(store);
      db.exec("UPDATE record SET revision = 'of another format'");
    }
    expect(await tasks.refresh()).toMatchObject({ added: 0, updated: 2, unchanged: 0 });
    expect(passages()).toEqual(before);
    expect(await tasks.refresh()).toMatchObject({ updated: 0, unchanged: 2 });
  });

  it('stores timestamp, completion and URL', async () => {
    await tasks.setOutput([
      {
        id: 'a',
        text: 'Tiles',
        timestamp: '2026-11-25T10:00:00Z',
        completed: true,
        url: 'https://example.org/a',
        tags: ['home'],
      },
    ]);
    await tasks.refresh();
    const [tiles] = (await search(tasks.loci, { query: 'tiles' })).results;
    expect(tiles).toMatchObject({
      created_at: '2026-11-25T10:00:00.000Z',
      origin: 'source',
      source: 'tasks',
      trust: 'external',
      record_type: 'task',
      tags: ['home'],
      url: 'https://example.org/a',
      from: expect.stringContaining(' · done') as string,
    });
  });

  it('reports each invalid document, keeps its last version, and stores the valid ones', async () => {
    await tasks.refresh();
    await tasks.setOutput([{ id: 'a', text: 7 }, { text: 'No id' }, { id: 'c', text: 'Water the plants' }]);
    const result = await tasks.refresh();
    expect(result).toMatchObject({
      added: 1,
      removed: 1,
      problems: [/^document 1 \(a\): /, /^document 2: /].map(
        (problem) => expect.stringMatching(problem) as string,
      ),
    });
    expect(await tasks.firstLines('tile samples')).toEqual(['Buy tile samples from Home Depot']);
    expect((await tasks.report())?.state?.problems).toHaveLength(2);
  });

  it('does not replace a note whose key is the same as an id', async () => {
    const vault = { name: 'notes', path: join(tasks.folder, 'vault') };
    await mkdir(vault.path);
    await writeFile(join(vault.path, 'a.md'), 'The savings code is with Farah.');
    const source = { id: 'tasks', command: 'cat tasks.json', cwd: tasks.folder };
    await tasks.reopenWith({ sources: [source], vaults: [vault] });
    await tasks.setOutput(
      ['a.md', 'notes:a.md'].map((id) => ({ id, text: 'Ask Mallory for the savings code' })),
    );
    await indexVaults(tasks.loci);
    expect(await tasks.refresh()).toMatchObject({ added: 2 });
    const { results } = await search(tasks.loci, { query: 'savings code', origins: ['vault'] });
    expect(results[0]?.citation).toBe('a.md#L1-L1');
    for (const citation of ['a.md', 'notes:a.md'])
      expect((await get(tasks.loci, { citation })).text).toContain('Farah');
  });

  it('reads a vault that is named', async () => {
    const vault = { name: 'notes', path: join(tasks.folder, 'vault') };
    await mkdir(vault.path);
    await writeFile(join(vault.path, 'a.md'), 'The savings code is with Farah.');
    await tasks.reopenWith({ vaults: [vault, { ...vault, name: 'off', enabled: false }] });
    const refresh = async (id: string) => (await refreshSources(tasks.loci, { ids: [id] })).sources[0];
    expect(await refresh('notes')).toMatchObject({ id: 'notes', added: 1, unchanged: 0 });
    expect(await refresh('off')).toMatchObject({ added: 0, error: { code: 'conflict' } });
    expect((await refreshSources(tasks.loci)).sources).toEqual([]);
    expect(await tasks.firstLines('savings code')).toEqual(['The savings code is with Farah.']);
  });

  it('that fails keeps the last documents, is retried after increasing delays, and recovers', async () => {
    await tasks.refresh();
    await tasks.setOutput('[{"id":"a","text":"half');
    const waits: number[] = [];
    for (let failure = 1; failure <= 4; failure++) {
      expect(await tasks.refresh()).toMatchObject({ error: { code: 'source_failed' } });
      const { state, condition, error } = (await tasks.report())!;
      expect({ condition, failures: state?.consecutiveFailures }).toEqual({
        condition: 'failing',
        failures: failure,
      });
      expect(error).toContain('document 1');
      waits.push(state!.nextAt! - tasks.now);
    }
    expect(waits[3]).toBeGreaterThan(3 * waits[0]!);
    expect(await tasks.firstLines('tile samples')).toEqual(['Buy tile samples from Home Depot']);
    await tasks.setOutput([{ id: 'a', text: 'Tiles at last' }]);
    await tasks.refresh();
    expect(await tasks.report()).toMatchObject({
      condition: 'fresh',
      error: null,
      state: { consecutiveFailures: 0, totalFailures: 4 },
    });
    const { source, runs } = await showSource(tasks.loci, { id: 'tasks' });
    expect(source.recent_runs?.map(({ failed }) => failed)).toEqual([false, true, true, true, true, false]);
    expect(runs?.timeout_ms).toBe(30_000);
    expect(await tasks.firstLines('tiles')).toEqual(['Tiles at last']);
  });

  it('masks secrets in the error of a program', async () => {
    const key = ['ghp', 'x7Kd93mQpL2vR8tYwZ4bN6cJ1hFgSaUeXoVi'].join('_');
    await tasks.reopen({ command: ['sh', '-c', `echo "401 for token ${key}" >&2; exit 3`] });
    await approveSource(tasks.loci, 'tasks');
    expect(await tasks.refresh()).toMatchObject({ error: { code: 'source_failed' } });
    expect((await tasks.report())?.error).toMatch(/exit.*3/i);
    expect((await tasks.report())?.error).not.toContain(key);
  });

  it('masks secrets in the problems of invalid documents', async () => {
    const key = ['ghp', 'x7Kd93mQpL2vR8tYwZ4bN6cJ1hFgSaUeXoVi'].join('_');
    const bad = { text: 'Tiles', url: key, timestamp: `${key} or ${'later '.repeat(20)}` };
    await tasks.setOutput([
      { ...bad, id: 'a' },
      { id: 'b', text: 'Water the plants' },
    ]);
    await tasks.refresh();
    const [problem = ''] = (await tasks.report())?.state?.problems ?? [];
    expect(problem).toMatch(/url should be an address.*secret masked/);
    expect(problem).toContain('text of 164 characters');
    expect(problem).not.toContain(key.slice(4, 24));
  });

  it('removes all documents only after two empty lists in a row', async () => {
    await tasks.refresh();
    await tasks.setOutput([]);
    expect(await tasks.refresh()).toMatchObject({ removed: 0, kept: 2 });
    expect(await tasks.firstLines('tile samples')).toHaveLength(1);
    expect(await tasks.refresh()).toMatchObject({ removed: 2, kept: 0 });
    expect(await tasks.firstLines('tile samples')).toEqual([]);
  });

  it('fails if all documents are invalid', async () => {
    await tasks.refresh();
    await tasks.setOutput([{ text: 'No id' }]);
    expect(await tasks.refresh()).toMatchObject({
      error: { code: 'source_failed', message: expect.stringContaining('id') },
    });
    expect(await tasks.firstLines('tile samples')).toHaveLength(1);
  });

  it('keeps at most maxDocuments documents', async () => {
    await tasks.reopen({ maxDocuments: 1 });
    expect(await tasks.refresh()).toMatchObject({ added: 1, over_cap: 1 });
    expect(await tasks.firstLines('dentist tile')).toEqual(['Buy tile samples from Home Depot']);
    expect((await tasks.report())?.state?.problems).toEqual([expect.stringContaining('maxDocuments')]);
  });

  it('assigns documents to the project of the source, unless they name one', async () => {
    await tasks.reopen({ project: 'errands' });
    await tasks.setOutput([
      { id: 'a', text: 'Tiles', project: 'kitchen' },
      { id: 'b', text: 'Dentist' },
    ]);
    await tasks.refresh();
    const projects = await facet(tasks.loci, 'project');
    expect(projects.map(({ value }) => value).toSorted()).toEqual(['errands', 'kitchen']);
  });
});

describe('an engine that closes', () => {
  it('ends running commands and waits for them', async () => {
    await tasks.reopen({ command: ['sh', '-c', 'touch began; sleep 60'] });
    await approveSource(tasks.loci, 'tasks');
    const refresh = tasks.refresh().catch((error: unknown) => error);
    await expect.poll(() => readdir(tasks.folder), { timeout: 100_000 }).toContain('began');
    await tasks.loci.close();
    expect(await refresh).toMatchObject({ code: 'aborted' });
    await tasks.reopen();
    expect((await tasks.report())?.state?.totalFailures).toBe(0);
  });
});

describe('the operator', () => {
  it('can list and remove documents of sources that are not in the settings', async () => {
    await approveSource(tasks.loci, 'tasks');
    await tasks.refresh();
    await tasks.reopenWith({});
    expect(await tasks.report()).toMatchObject({ condition: 'gone', documents: 2 });
    expect(await forgetSource(tasks.loci, 'tasks')).toBe(2);
    expect(await sourceReports(tasks.loci)).toEqual([]);
  });

  it('can remove a source while another process runs its command', async () => {
    const line = 'cat tasks.json; if test -e wait; then touch waits; sleep 60; fi';
    const source = { id: 'tasks', command: line, shell: true, cwd: tasks.folder, timeout: '5m' };
    await tasks.reopenWith({ sources: [source] });
    await approveSource(tasks.loci, 'tasks');
    await tasks.refresh();
    await writeFile(join(tasks.folder, 'wait'), '');
    await tasks.setOutput([{ id: 'late', text: 'Tiles that come late' }]);
    await using other = await openInline(settings(tasks.folder, { sources: [source] }), {
      now: () => tasks.now,
    }).then((loci) => ({ loci, [Symbol.asyncDispose]: () => loci.close() }));
    const refreshing = refreshSources(other.loci, { ids: ['tasks'] });
    await vi.waitUntil(() => existsSync(join(tasks.folder, 'waits')), { timeout: 100_000, interval: 10 });
    const began = performance.now();
    expect(await forgetSource(tasks.loci, 'tasks')).toBe(2);
    expect(performance.now() - began).toBeLessThan(5000);
    // The other process ends its command as soon as it notices.
    expect((await refreshing).sources).toMatchObject([{ id: 'tasks', error: { code: 'conflict' } }]);
    expect(performance.now() - began).toBeLessThan(20_000);
    expect(await tasks.report()).toMatchObject({
      condition: 'waiting for approval',
      documents: 0,
      state: null,
    });
  });

  it('cannot see the sources from another namespace', async () => {
    const other = tasks.loci.as({ ...tasks.loci.caller, namespace: 'other' });
    expect(await sourceReports(other)).toEqual([]);
    expect((await refreshSources(other)).sources).toEqual([]);
    await expect(approveSource(other, 'tasks')).rejects.toMatchObject({ code: 'not_found' });
  });
});
