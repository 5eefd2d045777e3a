import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openLoci, type Loci } from '../../src/engine/open.ts';
import type { RefreshEvent } from '../../src/engine/refresh/refresh-scheduler.ts';
import { openStore } from '../../src/store/registry.ts';
import { settings } from '../contract/engines.ts';
import { temporaryFolder } from '../e2e/loci-command.ts';
import { isAlive } from '../contract/alive.ts';
import { HANGING_JOB, untilLogged, writeJob } from './source-jobs.ts';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const YEAR = 365 * 24 * HOUR;
/** The interval of the source `beat`. */
const BEAT_MS = 300;

/** An engine that refreshes sources, with a clock that the test can set. */
class Keeping {
  readonly folder: string = temporaryFolder();
  readonly events: RefreshEvent[] = [];
  /** The difference of the clock to the real time, in milliseconds. */
  jump = 0;
  loci!: Loci;

  async start(sources: readonly Readonly<Record<string, unknown>>[]): Promise<void> {
    writeFileSync(join(this.folder, 'tasks.json'), '[{"id":"a","text":"Buy tile samples"}]');
    const config = settings(this.folder, { sources: sources.map((each) => ({ cwd: this.folder, ...each })) });
    this.loci = await openLoci(config, { now: () => Date.now() + this.jump });
    onTestFinished(() => this.loci.close());
    for (const { id } of config.sources) await this.loci.sources.approve(id);
    this.loci.sources.keepFresh({ onEvent: (event) => this.events.push(event) });
  }

  count(kind: RefreshEvent['kind'], source: string): number {
    return this.events.filter((event) => event.kind === kind && 'source' in event && event.source === source)
      .length;
  }

  /** Waits until a source has been refreshed that many more times. */
  async refreshes(source: string, more: number): Promise<void> {
    const wanted = this.count('refreshed', source) + more;
    await vi.waitUntil(() => this.count('refreshed', source) >= wanted, { timeout: 30_000, interval: 10 });
  }
}

const tasks = (id: string, refreshInterval: number): Readonly<Record<string, unknown>> => ({
  id,
  command: 'cat tasks.json',
  refreshInterval,
});

describe('a clock that jumps', () => {
  it.each([
    ['back', -YEAR],
    ['forward', YEAR],
  ])('%s by a year causes one early refresh, and then the usual ones', async (_, jump) => {
    const keeping = new Keeping();
    await keeping.start([tasks('beat', BEAT_MS), tasks('hourly', HOUR)]);
    await vi.waitUntil(() => keeping.count('refreshed', 'hourly') === 1, { timeout: 30_000, interval: 10 });
    await keeping.refreshes('beat', 2);
    expect(keeping.count('refreshed', 'hourly')).toBe(1);
    keeping.jump = jump;
    await keeping.refreshes('hourly', 1);
    const began = keeping.count('begun', 'beat');
    const at = performance.now();
    await keeping.refreshes('beat', 3);
    // An interval lies between two of them.
    expect(performance.now() - at).toBeGreaterThan(2 * BEAT_MS - 50);
    expect(keeping.count('begun', 'beat') - began).toBeLessThanOrEqual(4);
    expect(keeping.count('refreshed', 'hourly')).toBe(2);
    expect(keeping.events.filter(({ kind }) => kind === 'failed' || kind === 'left')).toEqual([]);
    const reports = await keeping.loci.sources.list();
    expect(reports.map(({ condition }) => condition)).toEqual(['fresh', 'fresh']);
    const hourly = reports.find(({ id }) => id === 'hourly')?.state?.nextAt ?? 0;
    expect(hourly - (Date.now() + jump)).toBeGreaterThan(HOUR - 60 * SECOND);
    expect(hourly - (Date.now() + jump)).toBeLessThanOrEqual(HOUR);
  });

  it('back after a process died during a refresh delays no other process by its lease', async () => {
    const keeping = new Keeping();
    await keeping.start([tasks('hourly', HOUR)]);
    await keeping.refreshes('hourly', 1);
    const store = await openStore({
      driver: 'sqlite',
      path: join(keeping.folder, 'loci.db'),
      busyTimeoutMs: 20_000,
      create: false,
    });
    const now = Date.now() + YEAR;
    const lease = { name: 'source/hourly', holder: 'the dead', now, until: now + 10 * SECOND };
    expect(await store.admin.takeLease('default', lease)).toBeGreaterThan(0);
    await store.close();
    expect(await keeping.loci.sources.refresh(['hourly'])).toMatchObject([{ unchanged: 1 }]);
  });
});

it('sources are refreshed as often as their intervals say, however short beside the others', async () => {
  const keeping = new Keeping();
  await keeping.start([tasks('beat', SECOND), tasks('slow', 4 * SECOND)]);
  await keeping.refreshes('slow', 1);
  const before = keeping.count('refreshed', 'beat');
  await keeping.refreshes('slow', 1);
  expect(keeping.count('refreshed', 'beat') - before).toBeGreaterThanOrEqual(2);
});

it('a source that hangs delays neither a search nor another source, nor the end', async () => {
  const keeping = new Keeping();
  writeJob(keeping.folder, 'job.mjs', HANGING_JOB);
  await keeping.start([
    { id: 'hanging', command: 'node job.mjs', timeout: '10m' },
    { ...tasks('beat', BEAT_MS), name: 'Tasks' },
  ]);
  const [{ pid } = { pid: 0 }] = await untilLogged(keeping.folder, 'begun');
  await keeping.refreshes('beat', 3);
  const { results } = await keeping.loci.search({ query: 'tile samples', minScore: 0 });
  expect(results).toMatchObject([{ source: 'beat' }]);
  await keeping.loci.write({ content: 'The harbour closes at six.' });
  // All of that while it hung.
  expect([isAlive(pid), keeping.count('begun', 'hanging'), keeping.count('refreshed', 'hanging')]).toEqual([
    true,
    1,
    0,
  ]);
  await keeping.loci.close();
  expect(isAlive(pid)).toBe(false);
  expect(keeping.count('failed', 'hanging')).toBe(0);
});
