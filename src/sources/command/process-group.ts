import { setTimeout } from 'node:timers/promises';

/** Milliseconds that a group has to end by itself after SIGTERM; then comes SIGKILL, which asks nobody. */
const GRACE = 1000;
/** Milliseconds in which what was killed is gone, unless the system cannot end it. */
const KILLED = 500;
const FIRST_LOOK = 2;
const LONGEST_LOOK = 50;

/** Groups of commands that run now: whoever leaves in a hurry takes them along. */
const running = new Set<number>();

function endAll(): void {
  for (const group of running) signalGroup(group, 'SIGKILL');
}

/** Notes that a command's process group runs: it is killed if this process exits first. */
export function watchGroup(group: number): void {
  if (running.size === 0) process.on('exit', endAll);
  running.add(group);
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
