import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { SearchOutput } from '../../src/operations/records/search.ts';
import type { SourcesListOutput } from '../../src/operations/sources/list.ts';
import { SourcesHome } from '../e2e/sources-home.ts';
import { refreshed, told, WatchProcess } from '../e2e/watch-process.ts';
import { isAlive } from '../contract/alive.ts';
import { HANGING_JOB, jobLines, SLOW_JOB, untilLogged, writeJob } from './source-jobs.ts';

const INTERVAL = 1000;
/** Milliseconds; as `src/engine/refresh/lease.ts` has it. */
const LEASE = 10_000;

function homeOf(job: string, more: Readonly<Record<string, unknown>> = {}): SourcesHome {
  const source = { id: 'jobs', command: 'node job.mjs', refreshInterval: INTERVAL, timeout: '10m', ...more };
  const home = new SourcesHome({ sources: [source] });
  writeJob(home.path, 'job.mjs', job);
  return home;
}

async function stateOf(home: SourcesHome): Promise<SourcesListOutput['sources'][number] | undefined> {
  return (await home.json<SourcesListOutput>('sources', 'list')).sources[0];
}

describe('two processes with the same sources', () => {
  it('refresh them one at a time, and as often as one would (S12)', async () => {
    const RUNS = 8;
    const home = homeOf(SLOW_JOB);
    await home.json('sources', 'approve', 'jobs');
    const both = [new WatchProcess(home.path), new WatchProcess(home.path)];
    await untilLogged(home.path, 'ended', RUNS);
    for (const { code } of await Promise.all(both.map((watch) => watch.stop()))) expect(code).toBe(0);
    const lines = jobLines(home.path);
    const [begun, ended] = (['begun', 'ended'] as const).map((what) =>
      lines.filter((line) => line.what === what),
    );
    expect(ended?.length).toBeGreaterThanOrEqual(RUNS);
    for (const [i, { at, pid }] of begun!.slice(1).entries()) {
      // The one before is over, and that by an interval.
      expect(ended![i]?.pid).toBe(begun![i]?.pid);
      expect(pid).not.toBe(ended![i]?.pid);
      expect(at - ended![i]!.at).toBeGreaterThanOrEqual(INTERVAL);
    }
    const refreshes = both.reduce((sum, watch) => sum + watch.count(refreshed('jobs')), 0);
    expect(refreshes).toBe((await stateOf(home))?.refreshes);
    // The last run may have been ended when they were stopped.
    expect(ended!.length - refreshes).toBeLessThanOrEqual(1);
    expect(both.map((watch) => watch.count(told('failed', 'jobs')))).toEqual([0, 0]);
  });

  it('go on without the one that is killed in the middle, within two lease times; it commits nothing', async () => {
    const home = homeOf(HANGING_JOB);
    await home.json('sources', 'approve', 'jobs');
    const both = [new WatchProcess(home.path), new WatchProcess(home.path)];
    // The job, its child and its grandchild.
    const orphans = [
      ...(await untilLogged(home.path, 'begun')),
      ...(await untilLogged(home.path, 'child', 2)),
    ];
    const [victim, other] = both.toSorted((a, b) => b.events.length - a.events.length);
    const done = ({ events }: WatchProcess): unknown[] => events.filter(({ event }) => event !== 'watching');
    expect(done(victim!)).toMatchObject([{ event: 'begun', source: 'jobs' }]);
    expect(done(other!)).toEqual([]);
    writeFileSync(join(home.path, 'calm'), '');
    await victim!.stop('SIGKILL');
    // What it started is ended with it.
    await vi.waitUntil(() => !orphans.some(({ pid }) => isAlive(pid)), { timeout: 5000, interval: 10 });
    expect(await other!.next(refreshed('jobs'), 0, 2 * LEASE)).toMatchObject({ added: 1 });
    expect(await home.found('harbour')).toEqual([[expect.any(String), 'harbour of the living']]);
    expect(await stateOf(home)).toMatchObject({ condition: 'fresh', documents: 1, failures: 0, failed: 0 });
    expect((await other!.stop()).code).toBe(0);
  });
});

describe('a process that is killed', () => {
  const DOCUMENTS = 2000;
  /** All of them are of one run. */
  const MANY = `
const run = readFileSync('jobs.log', 'utf8').split('begun').length - 1;
const documents = Array.from({ length: ${String(DOCUMENTS)} }, (_, i) => ({
  id: 'd' + (i + run * 500),
  text: 'harbour number ' + i + ' of run' + run + ' and what is said about it there',
  tags: ['run' + run],
}));
process.stdout.write(JSON.stringify(documents), () => log('ended'));
`;

  /** How many documents there are of each run. */
  async function runsOf(home: SourcesHome): Promise<[string, number][]> {
    const counts: [string, number][] = [];
    for (let run = 1; run <= jobLines(home.path).filter(({ what }) => what === 'begun').length; run++) {
      const tag = `run${String(run)}`;
      const { results } = await home.json<SearchOutput>('search', tag, '--tag', tag, '-n', '1');
      if (results.length > 0) counts.push([tag, (await stateOf(home))?.documents ?? 0]);
    }
    return counts;
  }

  it('in the middle of a refresh leaves all of it or nothing, its state included', async () => {
    const home = homeOf(MANY, { maxDocuments: 10_000, refreshInterval: '1h' });
    await home.takeIn('jobs');
    expect(await runsOf(home)).toEqual([['run1', DOCUMENTS]]);
    const wal = join(home.path, 'loci.db-wal');
    const isWritten = (): boolean => (statSync(wal, { throwIfNoEntry: false })?.size ?? 0) > 500_000;
    for (const [run, isTime] of [
      [2, () => true],
      [3, isWritten],
    ] as const) {
      // Due at once.
      await home.json('sources', 'resume', 'jobs');
      const before = await stateOf(home);
      const watch = new WatchProcess(home.path);
      await untilLogged(home.path, 'ended', run);
      await vi.waitUntil(() => isTime() || watch.events.some(refreshed('jobs')), {
        timeout: 30_000,
        interval: 1,
      });
      await watch.stop('SIGKILL');
      const after = await stateOf(home);
      const isDone = after?.refreshes !== before?.refreshes;
      const [[tag, documents] = ['', 0], ...others] = await runsOf(home);
      expect([documents, others]).toEqual([DOCUMENTS, []]);
      if (isDone) expect(tag).toBe(`run${String(run)}`);
      expect(after?.refreshes === before?.refreshes ? after : null).toEqual(isDone ? null : before);
      expect((await home.run(['doctor'])).code).toBe(0);
    }
    // It waits for the lease of the dead one, and goes on.
    await home.json('sources', 'refresh', 'jobs');
    expect(await runsOf(home)).toEqual([['run4', DOCUMENTS]]);
  });
});
