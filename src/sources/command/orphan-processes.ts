import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { pacer } from './pace.ts';

/** Set to a word of its own for each run: by it the processes of a command are known, wherever they have gone. */
export const RUN_ID_ENV = 'RUN_BY_LOCI';

/** Milliseconds. */
const GRACE_PERIOD_MS = 1000;
const POLL_INTERVAL_MS = 50;

/** The processes of one run that are looked for. */
export interface OrphanProcesses {
  /** What `MARK` was set to. Only who has it is touched: numbers of sessions are given again. */
  readonly runId: string;
  /** Those of this session alone; else wherever they are. */
  readonly session: number | null;
}

/**
 * Ends what has left the process group of a command: SIGTERM, then SIGKILL. In its session there are jobs of a shell with
 * `set -m`; what began a session of its own (`setsid`) a command that came to its end may have meant to leave: `gpg-agent` is
 * nobody's stray. Found is what keeps its environment, where there is a /proc as Linux has it.
 */
export async function endOrphanProcesses(strays: OrphanProcesses): Promise<void> {
  if ((await signalOrphanProcesses(strays, 'SIGTERM')) === 0) return;
  const deadline = performance.now() + GRACE_PERIOD_MS;
  while (performance.now() < deadline) {
    await setTimeout(POLL_INTERVAL_MS);
    if ((await signalOrphanProcesses(strays, 0)) === 0) return;
  }
  await signalOrphanProcesses(strays, 'SIGKILL');
}

/** Answers how many there were. Each is looked at and signalled at once, so that its number is nobody else's by then. */
async function signalOrphanProcesses(
  { runId: mark, session }: OrphanProcesses,
  signal: NodeJS.Signals | 0,
): Promise<number> {
  const pace = pacer();
  let count = 0;
  for (const pid of processes()) {
    if ((session === null || isIn(session, pid)) && hasRunId(mark, pid)) count += sendSignal(pid, signal);
    await pace();
  }
  return count;
}

function processes(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/** Behind the name in brackets stand the state, the parent, the group and the session (proc_pid_stat(5)). */
function isIn(session: number, pid: number): boolean {
  return /^.*\) \w \d+ \d+ (\d+) /s.exec(read(pid, 'stat'))?.[1] === String(session);
}

/** Of one that has ended and waits to be buried nothing is left to read. */
function hasRunId(mark: string, pid: number): boolean {
  return read(pid, 'environ').split('\0').includes(`${RUN_ID_ENV}=${mark}`);
}

/** Nothing of what has gone, or is another user's. */
function read(pid: number, file: 'stat' | 'environ'): string {
  try {
    return readFileSync(`/proc/${String(pid)}/${file}`, 'latin1');
  } catch {
    return '';
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals | 0): number {
  try {
    process.kill(pid, signal);
    return 1;
  } catch {
    return 0;
  }
}
