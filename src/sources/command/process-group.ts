import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/** Milliseconds that a group has to end by itself after SIGTERM; then comes SIGKILL, which asks nobody. */
const GRACE = 1000;
/** Milliseconds in which what was killed is gone, unless the system cannot end it. */
const KILLED = 500;
const FIRST_LOOK = 2;
const LONGEST_LOOK = 50;

/**
 * What a guard does, a shell beside each command: it waits for a word from this process, and kills the group where none
 * comes. A process that is killed (SIGKILL, a crash) tells nobody and can do nothing any more, but the system closes its
 * pipes. The guard stands beside the command and not before it: what runs is what was approved, started as it is. It has a
 * session of its own, so that nothing that ends this process's group ends it too.
 */
const GUARD = 'read -r over || kill -s KILL -- "-$1"';

/** Groups of commands that run now, with their guards: whoever leaves in a hurry takes them along. */
const running = new Map<number, ChildProcess>();

function endAll(): void {
  for (const group of running.keys()) signalGroup(group, 'SIGKILL');
}

/** Notes that a command's process group runs: it is killed if this process ends first, however it ends. */
export function watchGroup(group: number): void {
  if (running.size === 0) process.on('exit', endAll);
  running.set(group, guardOf(group));
}

function guardOf(group: number): ChildProcess {
  const guard = spawn('/bin/sh', ['-c', GUARD, 'guard', String(group)], {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Where there is no such shell, only a process that is killed leaves something behind.
  for (const each of [guard, guard.stdin]) each.on('error', () => undefined);
  guard.unref();
  if (guard.stdin instanceof Socket) guard.stdin.unref();
  return guard;
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
