import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { isAlive } from '../contract/alive.ts';

/** A line of the log that a job writes. */
export interface JobLine {
  readonly event: 'begun' | 'ended' | 'child' | 'deaf' | 'sigterm';
  readonly pid: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

const LOG = 'jobs.log';

/** The code at the beginning of every job. */
const PRELUDE = `
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
const log = (event, pid = process.pid) =>
  appendFileSync('${LOG}', JSON.stringify({ event, pid, at: Date.now() }) + '\\n');
log('begun');
`;

/** Writes a program for a source to run: `node NAME`. */
export function writeJob(home: string, name: string, body: string): void {
  writeFileSync(join(home, name), PRELUDE + body);
}

/** Prints one document after a delay. */
export const SLOW_JOB = `
setTimeout(() => {
  process.stdout.write(JSON.stringify([{ id: 'a', text: 'harbour by ' + process.pid }]));
  log('ended');
}, 200);
`;

/** Hangs with a child and a grandchild process, unless the file `calm` exists. */
export const HANGING_JOB = `
if (existsSync('calm')) {
  process.stdout.write('[{"id":"a","text":"harbour of the living"}]');
  log('ended');
} else {
  const child = spawn('/bin/sh', ['-c', 'sleep 1000 & echo $!; wait'], { stdio: ['ignore', 'pipe', 'ignore'] });
  log('child', child.pid);
  child.stdout.on('data', (pid) => log('child', Number(pid)));
}
`;

/** Ignores SIGTERM once it has logged `deaf`. */
export const STUBBORN_JOB = `
process.on('SIGTERM', () => log('sigterm'));
log('deaf');
setInterval(() => undefined, 1000);
`;

export function jobLines(home: string): JobLine[] {
  const file = join(home, LOG);
  if (!existsSync(file)) return [];
  // The last line may be incomplete.
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as JobLine);
}

/** Waits until the log has that many lines of a kind, and returns them. Kills the processes in the log after the test. */
export async function waitForLog(home: string, event: JobLine['event'], count = 1): Promise<JobLine[]> {
  const found = (): JobLine[] => jobLines(home).filter((line) => line.event === event);
  await vi.waitUntil(() => found().length >= count, { timeout: 100_000, interval: 10 });
  onTestFinished(() => {
    for (const { pid } of jobLines(home)) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  });
  return found();
}
