import { approveSource } from '../../../test/contract/tasks-source.ts';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { letterVectors, OLLAMA, startProvider } from '../../../test/embedding/provider-server.ts';
import { folderForEach, openInline, settings, writeNotes } from '../../../test/contract/engines.ts';
import type { RefreshEvent } from './refresh-scheduler.ts';
import { CONFIG_FILE, loadConfig } from '../../config/load.ts';
import type { EngineContext } from '../context.ts';
import { LiveSettings } from '../live-settings.ts';
import { keepFresh, refreshSources } from './sources.ts';
import { forgetSource } from './forget-source.ts';
import { search } from '../records/search.ts';
import { write } from '../records/write.ts';

const HANGING = { command: 'sleep 600', timeout: '10m' };
const QUICK = { id: 'quick', command: 'cat tasks.json', refreshInterval: '1h' };

const folder = folderForEach();
let loci: EngineContext;

afterEach(() => loci.close());

/** Refreshes the sources and a vault of one note, and returns the events. Approves the sources that `isApproved` accepts. */
async function keep(
  sources: readonly Readonly<Record<string, unknown> & { id: string }>[],
  isApproved: (id: string) => boolean,
): Promise<RefreshEvent[]> {
  await writeFile(join(folder.path, 'tasks.json'), '[{"id":"a","text":"Buy tile samples"}]');
  await writeNotes(join(folder.path, 'notes'), { 'a.md': 'The grout is grey.' });
  const vaults = [{ path: join(folder.path, 'notes'), refreshInterval: 100 }];
  const config = settings(folder.path, {
    vaults,
    sources: sources.map((each) => ({ cwd: folder.path, ...each })),
  });
  loci = await openInline(config);
  for (const { id } of sources) if (isApproved(id)) await approveSource(loci, id);
  const events: RefreshEvent[] = [];
  keepFresh(loci, { newVaults: true, onEvent: (event) => events.push(event) });
  return events;
}

/** The number of events of a kind, of the vault or of the sources. */
function count(events: readonly RefreshEvent[], kind: RefreshEvent['kind'], isVault = false): number {
  return events.filter(
    (event) => event.kind === kind && ('source' in event && event.source === 'notes') === isVault,
  ).length;
}

it('refreshes a source while a dozen others hang', async () => {
  const hanging = Array.from({ length: 12 }, (_, i) => ({ id: `hanging${String(i)}`, ...HANGING }));
  const events = await keep([...hanging, QUICK], () => true);
  await vi.waitUntil(() => count(events, 'refreshed') === 1, { timeout: 100_000, interval: 10 });
  expect(count(events, 'begun')).toBe(13);
  expect(count(events, 'failed')).toBe(0);
});

it('refreshes a source although many others wait for approval', async () => {
  const waiting = Array.from({ length: 9 }, (_, i) => ({ ...QUICK, id: `waiting${String(i)}` }));
  const events = await keep([...waiting, QUICK], (id) => id === 'quick');
  const isDone = (): boolean => count(events, 'refreshed') === 1 && count(events, 'waiting') >= 9;
  await vi.waitUntil(isDone, { timeout: 100_000, interval: 10 });
  // Sources that cannot run are reported only once.
  expect(count(events, 'waiting')).toBe(9);
});

it('does not refresh a vault that was forgotten, although its settings are unchanged', async () => {
  const events = await keep([{ ...QUICK, refreshInterval: '200ms' }], () => true);
  await vi.waitUntil(() => count(events, 'refreshed', true) > 0, { timeout: 100_000, interval: 10 });
  expect(await forgetSource(loci, 'notes')).toBe(1);
  const [before, rounds] = [count(events, 'refreshed', true), count(events, 'refreshed')];
  await vi.waitUntil(() => count(events, 'refreshed') >= rounds + 3, { timeout: 100_000, interval: 10 });
  expect(count(events, 'refreshed', true)).toBe(before);
  expect((await search(loci, { query: 'grout' })).results).toEqual([]);
});

it('reads a vault that the settings get while it runs, and says that they are in force', async () => {
  await writeNotes(join(folder.path, 'notes'), { 'a.md': 'The grout is grey.' });
  await writeNotes(join(folder.path, 'old'), { 'b.md': 'The oven is old.' });
  const file = join(folder.path, CONFIG_FILE);
  const rest = 'embedding: { provider: none }\n';
  await writeFile(file, `${rest}vaults: [{ path: old }]\n`);
  const live = await LiveSettings.open(file, () => loadConfig({ home: folder.path, env: {} }));
  loci = await openInline(live.values, { create: true, liveSettings: live });
  const events: RefreshEvent[] = [];
  keepFresh(loci, { onEvent: (event) => events.push(event) });
  await writeFile(file, `${rest}vaults: [{ path: old }, { path: notes }]\n`);
  await vi.waitUntil(() => count(events, 'refreshed', true) === 1, { timeout: 100_000, interval: 10 });
  expect(events[0]).toEqual({ kind: 'settings' });
  // A vault that the settings had from the beginning waits for `index`.
  expect((await search(loci, { query: 'grout oven' })).results).toMatchObject([{ citation: 'a.md#L1-L1' }]);
});

it('embeds what was written in another namespace while the provider was down', async () => {
  await using server = await startProvider({ format: OLLAMA, embed: letterVectors(384) });
  loci = await openInline(settings(folder.path), { create: true });
  await write(loci, { content: 'The grout is grey.' });
  await loci.close();
  const embedding = { provider: 'ollama', model: 'all-minilm', url: server.origin };
  loci = await openInline(settings(folder.path, { embedding }));
  let embedded = 0;
  const onEvent = (event: RefreshEvent): void => {
    if (event.kind === 'embedded') embedded += event.contents;
  };
  keepFresh(loci, { derivationRestMs: 0, onEvent });
  await vi.waitUntil(() => embedded === 1, { timeout: 100_000, interval: 10 });
  server.faults.push(...Array.from({ length: 50 }, () => 'reset' as const));
  const other = loci.as({ ...loci.caller, namespace: 'other' });
  expect(await write(other, { content: 'The backsplash is blue.' })).toMatchObject({ embedded: false });
  server.faults.splice(0);
  await vi.waitUntil(() => embedded === 2, { timeout: 100_000, interval: 10 });
});

it('embeds what has no vector yet, and derives to which notes documents belong', async () => {
  const sources = [{ ...QUICK, cwd: folder.path }];
  const words = settings(folder.path, { sources });
  await writeFile(join(folder.path, 'tasks.json'), '[{"id":"a","text":"Buy tile samples"}]');
  loci = await openInline(words, { create: true });
  await write(loci, { content: 'The backsplash gets a blue tile.', title: 'Kitchen' });
  await approveSource(loci, 'quick');
  await refreshSources(loci);
  await loci.close();
  loci = await openInline(
    settings(folder.path, { sources, embedding: { provider: 'local', revectorize: false } }),
  );
  const events: RefreshEvent[] = [];
  keepFresh(loci, { onEvent: (event) => events.push(event) });
  await vi.waitUntil(() => events.some(({ kind }) => kind === 'embedded'), {
    timeout: 100_000,
    interval: 10,
  });
  expect(events).toContainEqual({ kind: 'embedded', contents: 2 });
  const { results, related } = await search(loci, { query: 'the kitchen', limit: 1 });
  expect(results.map(({ title }) => title)).toEqual(['Kitchen']);
  expect(related.map(({ belongs_to }) => belongs_to.title)).toEqual(['Kitchen']);
});

it('does not begin a source again whose refresh ends while the states are read', async () => {
  const command = ['sh', '-c', 'until [ -e go ]; do sleep .02; done; cat tasks.json'];
  const events = await keep([{ ...QUICK, id: 'waiting', command }], () => true);
  const until = (condition: () => boolean): Promise<unknown> =>
    vi.waitUntil(condition, { timeout: 100_000, interval: 10 });
  await until(() => count(events, 'begun') === 1 && count(events, 'refreshed', true) >= 2);
  const { records } = loci.store;
  const items = records.items.bind(records);
  let held = 0;
  const hold = vi.spyOn(records, 'items').mockImplementation(async (...args) => {
    const isOfScheduler = new Error().stack?.includes('startDue') === true;
    const states = await items(...args);
    if (!isOfScheduler || count(events, 'refreshed') > 0) return states;
    held++;
    await until(() => count(events, 'refreshed') > 0);
    return states;
  });
  await until(() => held > 0);
  await writeFile(join(folder.path, 'go'), '');
  await until(() => count(events, 'refreshed') === 1);
  hold.mockRestore();
  const reads = count(events, 'refreshed', true);
  await until(() => count(events, 'refreshed', true) >= reads + 3);
  expect([count(events, 'begun'), count(events, 'left')]).toEqual([1, 0]);
});
