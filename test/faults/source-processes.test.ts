import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { SearchOutput } from '../../src/engine/records/results/search-fields.ts';
import type { SourcesListOutput } from '../../src/engine/reading/source-schemas.ts';
import { SourcesHome } from '../e2e/sources-home.ts';
import { eventOf, refreshed, WatchProcess } from '../e2e/watch-process.ts';
import { isAlive } from '../contract/alive.ts';
import { repetitions } from '../repetitions.ts';
import { HANGING_JOB, jobLines, SLOW_JOB, waitForLog, writeJob } from './source-jobs.ts';

const INTERVAL_MS = 1000;
/** The lease time in `src/engine/shared/lease.ts`. */
const LEASE_MS = 10_000;

function homeOf(job: string, more: Readonly<Record<string, unknown>> = {}): SourcesHome {
  const source = {
    id: 'jobs',
    command: 'node job.mjs',
    refreshInterval: INTERVAL_MS,
    timeout: '10m',
    ...more,
  };
  const home = new SourcesHome({ sources: [source] });
  writeJob(home.path, 'job.mjs', job);
  return home;
}

async function stateOf(home: SourcesHome): Promise<SourcesListOutput['sources'][number] | undefined> {
  return (await home.json<SourcesListOutput>('sources', 'list')).sources[0];
}

describe('two processes with the same sources', () => {
  it('refresh them one at a time, and as often as a single process (S12)', async () => {
    const RUNS = 4;
    const home = homeOf(SLOW_JOB);
    await home.json('sources', 'approve', 'jobs');
    const watches = [new WatchProcess(home.path), new WatchProcess(home.path)];
    await waitForLog(home.path, 'ended', RUNS);
    for (const { code } of await Promise.all(watches.map((watch) => watch.stop()))) expect(code).toBe(0);
    const lines = jobLines(home.path);
    const [begun, ended] = (['begun', 'ended'] as const).map((event) =>
      lines.filter((line) => line.event === event),
    );
    expect(ended?.length).toBeGreaterThanOrEqual(RUNS);
    for (const [i, { at, pid }] of begun!.slice(1).entries()) {
      // The previous run ended at least one interval earlier.
      expect(ended![i]?.pid).toBe(begun![i]?.pid);
      expect(pid).not.toBe(ended![i]?.pid);
      expect(at - ended![i]!.at).toBeGreaterThanOrEqual(INTERVAL_MS);
    }
    const refreshes = watches.reduce((sum, watch) => sum + watch.count(refreshed('jobs')), 0);
    expect(refreshes).toBe((await stateOf(home))?.refreshes);
    // The last run may have been stopped together with its process.
    expect(ended!.length - refreshes).toBeLessThanOrEqual(1);
    expect(watches.map((watch) => watch.count(eventOf('failed', 'jobs')))).toEqual([0, 0]);
  });

  it('continue within two lease times after one is killed during a refresh, which commits nothing', async () => {
    const home = homeOf(HANGING_JOB);
    await home.json('sources', 'approve', 'jobs');
    const watches = [new WatchProcess(home.path), new WatchProcess(home.path)];
    // The job, its child and its grandchild.
    const orphans = [...(await waitForLog(home.path, 'begun')), ...(await waitForLog(home.path, 'child', 2))];
    const [victim, survivor] = watches.toSorted((a, b) => b.events.length - a.events.length);
    const refreshEvents = ({ events }: WatchProcess): unknown[] =>
      events.filter(({ event }) => event !== 'watching');
    expect(refreshEvents(victim!)).toMatchObject([{ event: 'begun', source: 'jobs' }]);
    expect(refreshEvents(survivor!)).toEqual([]);
    writeFileSync(join(home.path, 'calm'), '');
    await victim!.stop('SIGKILL');
    // The processes of its command end too.
    await vi.waitUntil(() => !orphans.some(({ pid }) => isAlive(pid)), { timeout: 100_000, interval: 10 });
    expect(await survivor!.next(refreshed('jobs'), 0, 2 * LEASE_MS)).toMatchObject({ added: 1 });
    expect(await home.search('harbour')).toEqual([[expect.any(String), 'harbour of the living']]);
    // On a busy machine the next refresh may be due already, so that the source is not fresh.
    expect(await stateOf(home)).toMatchObject({
      documents: 1,
      consecutive_failures: 0,
      total_failures: 0,
    });
    expect((await survivor!.stop()).code).toBe(0);
  });
});

describe('a process that is killed', () => {
  const DOCUMENTS = repetitions(500, 2000);
  /** Prints documents that are all tagged with the number of the run. */
  const MANY_DOCUMENTS_JOB = `
const run = readFileSync('jobs.log', 'utf8').split('begun').length - 1;
const documents = Array.from({ length: ${String(DOCUMENTS)} }, (_, i) => ({
  id: 'd' + (i + run * 500),
  text: 'harbour number ' + i + ' of run' + run + ' and what is said about it there',
  tags: ['run' + run],
}));
process.stdout.write(JSON.stringify(documents), () => log('ended'));
`;

  /** The number of documents of each run. */
  async function runsOf(home: SourcesHome): Promise<[string, number][]> {
    const counts: [string, number][] = [];
    for (let run = 1; run <= jobLines(home.path).filter(({ event }) => event === 'begun').length; run++) {
      const tag = `run${String(run)}`;
      const { results } = await home.json<SearchOutput>('search', tag, '--tag', tag, '-n', '1');
      if (results.length > 0) counts.push([tag, (await stateOf(home))?.documents ?? 0]);
    }
    return counts;
  }

  it('during a refresh leaves all of its documents and state, or none', async () => {
    const home = homeOf(MANY_DOCUMENTS_JOB, { maxDocuments: 10_000, refreshInterval: '1h' });
    await home.approveAndRefresh('jobs');
    expect(await runsOf(home)).toEqual([['run1', DOCUMENTS]]);
    const wal = join(home.path, 'loci.db-wal');
    const isWritten = (): boolean => (statSync(wal, { throwIfNoEntry: false })?.size ?? 0) > 250 * DOCUMENTS;
    for (const [run, isDue] of [
      [2, () => true],
      [3, isWritten],
    ] as const) {
      // A paused source is due at once when it resumes.
      await home.json('sources', 'pause', 'jobs');
      await home.json('sources', 'resume', 'jobs');
      const before = await stateOf(home);
      const watch = new WatchProcess(home.path);
      await waitForLog(home.path, 'ended', run);
      await vi.waitUntil(() => isDue() || watch.events.some(refreshed('jobs')), {
        timeout: 100_000,
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
    // The refresh waits for the lease of the killed process.
    await home.json('sources', 'refresh', 'jobs');
    expect(await runsOf(home)).toEqual([['run4', DOCUMENTS]]);
  });
});
