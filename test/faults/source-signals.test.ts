import { type ChildProcess, spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { MAIN, startLoci } from '../e2e/loci-command.ts';
import { serverEnvironment } from '../e2e/mcp-session.ts';
import { SourcesHome } from '../e2e/sources-home.ts';
import { isAlive } from '../contract/alive.ts';
import { HANGING_JOB, jobLines, STUBBORN_JOB, waitForLog, writeJob } from './source-jobs.ts';

async function homeOf(job: string): Promise<SourcesHome> {
  const home = new SourcesHome({ sources: [{ id: 'jobs', command: 'node job.mjs', timeout: '10m' }] });
  writeJob(home.path, 'job.mjs', job);
  await home.json('sources', 'approve', 'jobs');
  return home;
}

/** The commands that refresh sources. */
const COMMANDS: Readonly<Record<string, (home: string) => ChildProcess>> = {
  'loci sources watch': (home) => startLoci(['sources', 'watch'], { home }).child,
  'loci serve': (home) => startLoci(['serve', '--port', '0'], { home }).child,
  'loci mcp': (home) => {
    const child = spawn(process.execPath, [MAIN, 'mcp'], { env: serverEnvironment({ home }) });
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test-client', version: '1.0.0' },
    };
    // The input stays open, like that of an agent.
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
    child.stdout.resume();
    return child;
  },
};

/** Starts a command. While `loci serve` starts, the first signal already ends it at once, as the second does later. */
async function start(name: string, home: SourcesHome): Promise<ChildProcess> {
  const child = COMMANDS[name]!(home.path);
  onTestFinished(() => void child.kill('SIGKILL'));
  if (name === 'loci serve') await printed(child, 'Loci listens at');
  return child;
}

async function printed(child: ChildProcess, words: string): Promise<void> {
  let text = '';
  for await (const [chunk] of on(child.stderr!, 'data', { close: ['end'] })) {
    text += String(chunk);
    if (text.includes(words)) return;
  }
  throw new Error(`the command ended: ${text}`);
}

const alivePids = (home: SourcesHome): number[] =>
  jobLines(home.path).flatMap(({ pid }) => (isAlive(pid) ? [pid] : []));

describe.each(Object.keys(COMMANDS))('%s', (name) => {
  it('ends its commands and all their processes at each signal, and exits with 0', async () => {
    // All commands have the same list of signals.
    const signals =
      name === 'loci sources watch'
        ? (['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)
        : (['SIGTERM'] as const);
    const ends = signals.map(async (signal) => {
      const home = await homeOf(HANGING_JOB);
      const child = await start(name, home);
      await waitForLog(home.path, 'child', 2);
      expect(alivePids(home)).toHaveLength(3);
      const exit = once(child, 'exit');
      child.kill(signal);
      return { signal, exit: await exit, alive: alivePids(home) };
    });
    expect(await Promise.all(ends)).toEqual(
      signals.map((signal) => ({ signal, exit: [0, null], alive: [] })),
    );
  });

  it('ends at once at the second signal, and leaves nothing running', async () => {
    const home = await homeOf(STUBBORN_JOB);
    const child = await start(name, home);
    await waitForLog(home.path, 'deaf');
    const exit = once(child, 'exit');
    child.kill('SIGINT');
    await waitForLog(home.path, 'sigterm');
    child.kill('SIGINT');
    expect(await exit).toEqual([130, null]);
    // The job is killed at the same time.
    await vi.waitUntil(() => alivePids(home).length === 0, { timeout: 100_000, interval: 10 });
  });
});

it('`loci sources watch` leaves nothing running when it is killed by SIGKILL', async () => {
  const home = await homeOf(HANGING_JOB);
  const child = await start('loci sources watch', home);
  await waitForLog(home.path, 'child', 2);
  expect(alivePids(home)).toHaveLength(3);
  child.kill('SIGKILL');
  await vi.waitUntil(() => alivePids(home).length === 0, { timeout: 100_000, interval: 10 });
});

it('`loci sources watch` waits for a command that ignores SIGTERM, and kills it', async () => {
  const home = await homeOf(STUBBORN_JOB);
  const child = await start('loci sources watch', home);
  await waitForLog(home.path, 'deaf');
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await waitForLog(home.path, 'sigterm');
  expect(await exit).toEqual([0, null]);
  expect(alivePids(home)).toEqual([]);
});

it('a refresh that is stopped by Ctrl-C ends its command and leaves the source unchanged', async () => {
  const home = await homeOf(HANGING_JOB);
  const { child, ended } = startLoci(['sources', 'refresh'], { home: home.path });
  await waitForLog(home.path, 'child', 2);
  child.kill('SIGINT');
  expect((await ended).code).toBe(130);
  expect(alivePids(home)).toEqual([]);
  const { sources } = await home.json<{ sources: unknown[] }>('sources', 'list');
  expect(sources).toMatchObject([
    { condition: 'new', consecutive_failures: 0, total_failures: 0, error: null },
  ]);
});
