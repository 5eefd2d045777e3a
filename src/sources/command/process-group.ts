import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { LociError, messageOf } from '../../core/errors.ts';
import { errorCode } from '../../core/fs/file-errors.ts';

/** Milliseconds that a group has to end by itself after SIGTERM; then comes SIGKILL, which asks nobody. */
const GRACE = 1000;
/** Milliseconds in which what was killed is gone, unless the system cannot end it. */
const KILLED = 500;
const FIRST_LOOK = 2;
const LONGEST_LOOK = 50;

/**
 * What a guard does, a shell beside each command: it reads the id of the command's group, then waits for a word from this
 * process, and kills the group where none comes. A process that is killed (SIGKILL, a crash) tells nobody and can do nothing
 * any more, but the system closes its pipes. The guard stands beside the command and not before it: what runs is what was
 * approved, started as it is. It has a session of its own, so that nothing that ends this process's group ends it too.
 *
 * Killed between the start of the command and the word of its group, this process leaves a command that only its mark
 * tells of. The pipe closes no sooner than that command is what it is to be: until then it holds the pipe, too.
 */
const GUARD = `
if read -r group; then
  read -r over || kill -s KILL -- "-$group"
else
  for each in $(grep -lsF -- "$1" /proc/[0-9]*/environ); do
    each=\${each#/proc/}
    kill -s KILL -- "-\${each%/environ}"
  done
fi`;
const NOTHING_TO_GUARD = 'none\nover\n';

/** A shell that waits to be told which group it guards; `null` where the system has no such shell. */
export type Guard = ChildProcess | null;

/** Groups of commands that run now, with their guards: whoever leaves in a hurry takes them along. */
const running = new Map<number, Guard>();

function endAll(): void {
  for (const group of running.keys()) signalGroup(group, 'SIGKILL');
}

/**
 * Starts the guard of a command that is started next, so that the command is never without one. Where there is no
 * /bin/sh, commands run without: a process that is killed then leaves them behind, and to run none would help nobody.
 * Where the system is out of processes or files, that passes, and no command is run meanwhile that nobody guards.
 * @param mark stands in the environment of the command, and of no other
 * @throws LociError `source_failed` when the guard cannot be started
 */
export async function startGuard(mark: string): Promise<Guard> {
  try {
    const guard = spawn('/bin/sh', ['-c', GUARD, 'guard', mark], {
      cwd: '/',
      env: {},
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    await once(guard, 'spawn');
    // It may be killed by somebody else, and no longer listen.
    for (const each of [guard, guard.stdin]) each.on('error', () => undefined);
    guard.unref();
    if (guard.stdin instanceof Socket) guard.stdin.unref();
    return guard;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    const message = `the command was not started, because no process can be started that ends it if Loci is killed: ${messageOf(error)}`;
    throw new LociError('source_failed', message, { cause: error });
  }
}

/** Sends home the guard of a command that did not start. */
export function dismissGuard(guard: Guard): void {
  guard?.stdin?.end(NOTHING_TO_GUARD);
}

/**
 * Notes that a command's process group runs: it is killed if this process ends first, however it ends. Call it in the same
 * tick as the start: the guard's pipe is written to at once.
 */
export function watchGroup(group: number, guard: Guard): void {
  if (running.size === 0) process.on('exit', endAll);
  running.set(group, guard);
  guard?.stdin?.write(`${String(group)}\n`);
}

/**
 * Ends every process of a group: SIGTERM, after a second SIGKILL. Returns when they are gone, or when nothing more can
 * be done about it.
 * @param group id of the process that began it
 */
export async function endGroup(group: number): Promise<void> {
  try {
    if (!signalGroup(group, 'SIGTERM') || (await isGone(group, GRACE))) return;
    signalGroup(group, 'SIGKILL');
    await isGone(group, KILLED);
  } finally {
    running.get(group)?.stdin?.end('over\n');
    running.delete(group);
    if (running.size === 0) process.off('exit', endAll);
  }
}

async function isGone(group: number, patience: number): Promise<boolean> {
  const deadline = performance.now() + patience;
  for (let look = FIRST_LOOK; performance.now() < deadline; look = Math.min(look * 2, LONGEST_LOOK)) {
    await setTimeout(look);
    if (!signalGroup(group, 0)) return true;
  }
  return false;
}

/** Whether there was anybody to tell. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch {
    // Nobody is left, or only what belongs to another user.
    return false;
  }
}
