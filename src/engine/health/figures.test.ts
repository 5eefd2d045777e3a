import { afterEach, beforeEach, expect, it } from 'vitest';
import { openInline, settings, temporaryFolder } from '../../../test/contract/engines.ts';
import { HistoryLog } from '../audit/history-log.ts';
import type { EngineContext } from '../context.ts';
import { write } from '../records/write.ts';
import { doctor } from './doctor.ts';
import { figures, sampleStore } from './figures.ts';

const DAY = 86_400_000;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let loci: EngineContext;
let now = Date.UTC(2026, 10, 24, 12);

beforeEach(async () => {
  folder = await temporaryFolder();
  loci = await openInline(settings(folder.path, { writes: { enabled: true } }), { now: () => now });
});

afterEach(async () => {
  await loci.close();
  await folder[Symbol.asyncDispose]();
});

it('the size of a store is sampled once a day, with the records of all namespaces', async () => {
  await write(loci, { content: 'The oven is induction.' });
  await sampleStore(loci);
  await write(loci.as({ ...loci.caller, namespace: 'ada' }), { content: 'The tiles are green.' });
  await sampleStore(loci);
  now += DAY;
  await sampleStore(loci);
  const { size } = await figures(loci);
  expect(size.map(({ day, records, by_origin: by }) => [day, records, by.memory])).toEqual([
    ['2026-11-24', 1, 1],
    ['2026-11-25', 2, 2],
  ]);
  expect(size[1]!.bytes).toBeGreaterThan(1000);
});

it('searches of agents have their median and slowest times by day', async () => {
  const log = loci.shared(HistoryLog);
  const run = {
    category: 'pack_history',
    surface: 'mcp',
    actor: 'agent',
    inputs: {},
    outcome: 'done',
  } as const;
  for (const tookMs of [10, 20, 30, 40, 1000])
    log.record(loci.namespace, { ...run, name: 'memory_search', at: now, tookMs });
  log.record(loci.namespace, { ...run, name: 'memory_get', at: now, tookMs: 9999 });
  log.record('ada', { ...run, name: 'memory_search', at: now, tookMs: 9999 });
  log.record(loci.namespace, { ...run, name: 'memory_search', at: now - DAY, tookMs: 7 });
  const { searches } = await figures(loci);
  const [before, today] = searches;
  expect(searches).toHaveLength(2);
  expect(before).toMatchObject({ runs: 1, median_ms: 7, slow_ms: 7 });
  expect(today).toMatchObject({ runs: 5, median_ms: 30, slow_ms: 1000, slowest_ms: 1000 });
});

it('doctor names the operation that its hint advises, and none where the hint is to do something else', async () => {
  await loci.close();
  const source = { id: 'tasks', command: 'cat tasks.json', cwd: folder.path };
  const missing = { name: 'notes', path: `${folder.path}/none` };
  const empty = { name: 'empty', path: folder.path };
  loci = await openInline(settings(folder.path, { sources: [source], vaults: [missing, empty] }), {
    now: () => now,
  });
  const checks = await doctor(loci);
  const repair = (name: string) => checks.find((check) => check.name === name)?.repair;
  expect(repair('source tasks')).toEqual({ operation: 'sources-show', input: { id: 'tasks' } });
  expect(repair('vault empty')).toEqual({ operation: 'sources-refresh', input: { ids: ['empty'] } });
  expect(repair('vault notes')).toBeUndefined();
  expect(repair('derived')).toBeUndefined();
});
