import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { eventLoopYielder } from '../../../core/threads/slices.ts';

/** A variable that is set to a unique value for each run. It identifies the processes of a command in /proc. */
export const RUN_ID_ENV = 'RUN_BY_LOCI';

const GRACE_PERIOD_MS = 1000;
const POLL_INTERVAL_MS = 50;

interface OrphanProcesses {
  /** The value of `RUN_ID_ENV`. Processes without it are never signalled, because session ids are reused. */
  readonly runId: string;
  /** Only processes of this session; `null` for all. */
  readonly session: number | null;
}

/**
 * Ends the processes that have left the process group of a command: SIGTERM, then SIGKILL. Jobs of a shell with `set -m` are in the
 * session of the command. A process that started its own session (`setsid`) may be meant to outlive a command that has ended
 * normally, as `gpg-agent` is. Processes are found through their environment, on systems whose /proc is like that of Linux.
 */
export async function endOrphanProcesses(orphans: OrphanProcesses): Promise<void> {
  if ((await signalOrphanProcesses(orphans, 'SIGTERM')) === 0) return;
  const deadline = performance.now() + GRACE_PERIOD_MS;
  while (performance.now() < deadline) {
    await setTimeout(POLL_INTERVAL_MS);
    if ((await signalOrphanProcesses(orphans, 0)) === 0) return;
  }
  await signalOrphanProcesses(orphans, 'SIGKILL');
}

/** Answers how many there were. Each is signalled right after the check, before its process id can be reused. */
async function signalOrphanProcesses(
  { runId, session }: OrphanProcesses,
  signal: NodeJS.Signals | 0,
): Promise<number> {
  const yieldIfBusy = eventLoopYielder();
  let count = 0;
  for (const pid of processIds()) {
    if ((session === null || isInSession(session, pid)) && hasRunId(runId, pid))
      count += sendSignal(pid, signal);
    await yieldIfBusy();
  }
  return count;
}

function processIds(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/** The name in brackets is followed by the state, the parent, the group and the session (proc_pid_stat(5)). */
function isInSession(session: number, pid: number): boolean {
  return /^.*\) \w \d+ \d+ (\d+) /s.exec(readProcFile(pid, 'stat'))?.[1] === String(session);
}

/** The environment of a zombie process is empty. */
function hasRunId(runId: string, pid: number): boolean {
  return readProcFile(pid, 'environ').split('\0').includes(`${RUN_ID_ENV}=${runId}`);
}

/** Empty for a process that has ended or belongs to another user. */
function readProcFile(pid: number, file: 'stat' | 'environ'): string {
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
