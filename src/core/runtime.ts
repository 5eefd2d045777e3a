import { readFileSync } from 'node:fs';
import { constants, setPriority, userInfo } from 'node:os';
import { LociError } from './errors.ts';

/** The first version of Node with a `node:sqlite` that Loci can use. */
export const REQUIRED_NODE = 24;

/** @throws LociError `unsupported_runtime` if this Node is older */
export function assertSupportedNode(node: string = process.versions.node): void {
  if (Number.parseInt(node, 10) >= REQUIRED_NODE) return;
  throw new LociError(
    'unsupported_runtime',
    `Loci needs Node ${String(REQUIRED_NODE)} or newer; this is Node ${node}`,
  );
}

/** The user of this process. In a container, the user may have a number but no name. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${String(process.getuid?.() ?? 'unknown')}`;
  }
}

/** Lets other processes run before this one. Does nothing if the process has ended already. */
export function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended.
  }
}

/** The version of this package. */
export function packageVersion(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
