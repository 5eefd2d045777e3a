import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { LociError, messageOf } from '../../../core/errors.ts';
import { systemErrorCode } from '../../../core/fs/file-errors.ts';

/** After SIGTERM, a group has this long to end before it is sent SIGKILL. */
const GRACE_PERIOD_MS = 1000;
/** How long to wait until a killed group is gone. */
const KILL_TIMEOUT_MS = 500;
const MIN_POLL_INTERVAL_MS = 2;
const MAX_POLL_INTERVAL_MS = 50;

/**
 * The script of a guard, a shell that runs next to each command. It reads the id of the command's process group, then waits for
 * another line from this process, and kills the group if the pipe closes without one. When this process is killed (SIGKILL, a
 * crash), it cannot clean up, but the system closes its pipes. The guard does not start the command, so that exactly the approved
 * program runs. The guard has its own session, so that a signal to the group of this process does not end it.
 *
 * If this process is killed after it has started the command and before it has sent the group id, the guard finds the command by
 * its run id. The pipe cannot close before the command has replaced the forked process, because that process has it open too.
 */
const GUARD_SCRIPT = `
if read -r group; then
  read -r finished || kill -s KILL -- "-$group"
else
  for each in $(grep -lsF -- "$1" /proc/[0-9]*/environ); do
    each=\${each#/proc/}
    kill -s KILL -- "-\${each%/environ}"
  done
fi`;
const NOTHING_TO_GUARD = 'none\nfinished\n';

/** The process of a guard; `null` on a system without /bin/sh. */
type Guard = ChildProcess | null;

/** Running process groups and their guards. They are killed when this process exits. */
const running = new Map<number, Guard>();

function killAll(): void {
  for (const group of running.keys()) signalGroup(group, 'SIGKILL');
}

/**
 * Starts a guard. Call it before the command starts, so that the command always has a guard. On a system without /bin/sh, commands
 * run without a guard. If the guard cannot be started for another reason, such as a process limit, the command must not run.
 * @param runId an entry of the environment of the command and of no other process, as `NAME=value`
 * @throws LociError `source_failed` when the guard cannot be started
 */
export async function startGuard(runId: string): Promise<Guard> {
  try {
    const guard = spawn('/bin/sh', ['-c', GUARD_SCRIPT, 'guard', runId], {
      cwd: '/',
      env: {},
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    await once(guard, 'spawn');
    // Another process may kill the guard. Writing to it must not fail then.
    for (const each of [guard, guard.stdin]) each.on('error', () => undefined);
    guard.unref();
    if (guard.stdin instanceof Socket) guard.stdin.unref();
    return guard;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null;
    const message = `the command was not started, because the process that would end it if Loci is killed cannot be started: ${messageOf(error)}`;
    throw new LociError('source_failed', message, { cause: error });
  }
}

/** Tells the guard of a command that did not start to exit. */
export function dismissGuard(guard: Guard): void {
  guard?.stdin?.end(NOTHING_TO_GUARD);
}

/**
 * Registers a running process group, which is then killed if this process ends first. Call it in the same tick as the start of the
 * command, so that the guard receives the group id without delay.
 */
export function registerGroup(group: number, guard: Guard): void {
  if (running.size === 0) process.on('exit', killAll);
  running.set(group, guard);
  guard?.stdin?.write(`${String(group)}\n`);
}

/**
 * Ends every process of a group: SIGTERM, and SIGKILL a second later. Resolves when they are gone, or cannot be ended.
 * @param group the process id of its leader
 */
export async function endGroup(group: number): Promise<void> {
  try {
    if (!signalGroup(group, 'SIGTERM') || (await isGone(group, GRACE_PERIOD_MS))) return;
    signalGroup(group, 'SIGKILL');
    await isGone(group, KILL_TIMEOUT_MS);
  } finally {
    running.get(group)?.stdin?.end('finished\n');
    running.delete(group);
    if (running.size === 0) process.off('exit', killAll);
  }
}

async function isGone(group: number, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  let interval = MIN_POLL_INTERVAL_MS;
  while (performance.now() < deadline) {
    await setTimeout(interval);
    interval = Math.min(interval * 2, MAX_POLL_INTERVAL_MS);
    if (!signalGroup(group, 0)) return true;
  }
  return false;
}

/** Whether the group has a process that can be signalled. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch {
    // No process is left, or only those of other users.
    return false;
  }
}
