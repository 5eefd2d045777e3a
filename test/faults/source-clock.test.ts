import { approveSource } from '../contract/tasks-source.ts';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { RefreshEvent } from '../../src/engine/reading/refresh-scheduler.ts';
import { openStore } from '../../src/store/registry.ts';
import { openInline, settings } from '../contract/engines.ts';
import { temporaryFolder } from '../e2e/loci-command.ts';
import { isAlive } from '../contract/alive.ts';
import { HANGING_JOB, waitForLog, writeJob } from './source-jobs.ts';
import type { EngineContext } from '../../src/engine/context.ts';
import { keepFresh, refreshSources } from '../../src/engine/reading/sources.ts';
import { sourceReports } from '../../src/engine/reading/reports.ts';
import { search } from '../../src/engine/records/search.ts';
import { write } from '../../src/engine/records/write.ts';
import { takeLease } from '../contract/written-samples.ts';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const YEAR = 365 * 24 * HOUR;
/** The interval of the source `beat`. */
const BEAT_MS = 300;

/** An engine that refreshes sources, with a clock that the test can set. */
class SourceEngine {
  readonly folder: string = temporaryFolder();
  readonly events: RefreshEvent[] = [];
  /** The difference between the clock of the engine and the real time. */
  clockOffsetMs = 0;
  loci!: EngineContext;

  async start(sources: readonly Readonly<Record<string, unknown>>[]): Promise<void> {
    writeFileSync(join(this.folder, 'tasks.json'), '[{"id":"a","text":"Buy tile samples"}]');
    const config = settings(this.folder, { sources: sources.map((each) => ({ cwd: this.folder, ...each })) });
    this.loci = await openInline(config, { now: () => Date.now() + this.clockOffsetMs });
    onTestFinished(() => this.loci.close());
    for (const { id } of config.sources) await approveSource(this.loci, id);
    keepFresh(this.loci, { onEvent: (event) => this.events.push(event) });
  }

  count(kind: RefreshEvent['kind'], source: string): number {
    return this.events.filter((event) => event.kind === kind && 'source' in event && event.source === source)
      .length;
  }

  /** Waits until a source has been refreshed that many more times. */
  async waitForRefreshes(source: string, more: number): Promise<void> {
    const expected = this.count('refreshed', source) + more;
    await vi.waitUntil(() => this.count('refreshed', source) >= expected, { timeout: 100_000, interval: 10 });
  }
}

const taskSource = (id: string, refreshInterval: number): Readonly<Record<string, unknown>> => ({
  id,
  command: 'cat tasks.json',
  refreshInterval,
});

describe('a clock that jumps', () => {
  it.each([
    ['back', -YEAR],
    ['forward', YEAR],
  ])('%s by a year causes one early refresh; later ones are on time', async (_, jump) => {
    const engine = new SourceEngine();
    await engine.start([taskSource('beat', BEAT_MS), taskSource('hourly', HOUR)]);
    await vi.waitUntil(() => engine.count('refreshed', 'hourly') === 1, { timeout: 100_000, interval: 10 });
    await engine.waitForRefreshes('beat', 2);
    expect(engine.count('refreshed', 'hourly')).toBe(1);
    engine.clockOffsetMs = jump;
    await engine.waitForRefreshes('hourly', 1);
    const begunBefore = engine.count('begun', 'beat');
    const started = performance.now();
    await engine.waitForRefreshes('beat', 3);
    // Two intervals lie between three refreshes.
    expect(performance.now() - started).toBeGreaterThan(2 * BEAT_MS - 50);
    expect(engine.count('begun', 'beat') - begunBefore).toBeLessThanOrEqual(4);
    expect(engine.count('refreshed', 'hourly')).toBe(2);
    expect(engine.events.filter(({ kind }) => kind === 'failed' || kind === 'left')).toEqual([]);
    const reports = await sourceReports(engine.loci);
    // The other source may be due again.
    const report = reports.find(({ id }) => id === 'hourly');
    expect(report?.condition).toBe('fresh');
    const hourly = report?.state?.nextAt ?? 0;
    expect(hourly - (Date.now() + jump)).toBeGreaterThan(HOUR - 60 * SECOND);
    expect(hourly - (Date.now() + jump)).toBeLessThanOrEqual(HOUR);
  });

  it('back does not make other processes wait for the lease of a dead process', async () => {
    const engine = new SourceEngine();
    await engine.start([taskSource('hourly', HOUR)]);
    await engine.waitForRefreshes('hourly', 1);
    const store = await openStore({ path: join(engine.folder, 'loci.db') }, { create: false });
    const now = Date.now() + YEAR;
    const lease = { name: 'source/hourly', holder: 'the dead', now, until: now + 10 * SECOND };
    expect(await takeLease(store, 'default', lease)).toBeGreaterThan(0);
    await store.close();
    const { sources } = await refreshSources(engine.loci, { ids: ['hourly'] });
    expect(sources).toMatchObject([{ unchanged: 1 }]);
  });
});

it('a source that hangs does not delay searches, other sources or the end of the engine', async () => {
  const engine = new SourceEngine();
  writeJob(engine.folder, 'job.mjs', HANGING_JOB);
  await engine.start([
    { id: 'hanging', command: 'node job.mjs', timeout: '10m' },
    { ...taskSource('beat', BEAT_MS), name: 'Tasks' },
  ]);
  const [{ pid } = { pid: 0 }] = await waitForLog(engine.folder, 'begun');
  await engine.waitForRefreshes('beat', 3);
  const { results } = await search(engine.loci, { query: 'tile samples', min_score: 0 });
  expect(results).toMatchObject([{ source: 'beat' }]);
  await write(engine.loci, { content: 'The harbour closes at six.' });
  // The source was running the whole time.
  expect([isAlive(pid), engine.count('begun', 'hanging'), engine.count('refreshed', 'hanging')]).toEqual([
    true,
    1,
    0,
  ]);
  await engine.loci.close();
  expect(isAlive(pid)).toBe(false);
  expect(engine.count('failed', 'hanging')).toBe(0);
});
