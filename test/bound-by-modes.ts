import { spawnSync } from 'node:child_process';

/** The capabilities of Linux that let root read and write files against their modes. */
const OVERRIDES = '-dac_override,-dac_read_search';
const SETPRIV = ['--bounding-set', OVERRIDES, '--inh-caps', OVERRIDES, process.execPath];

export interface NodeCommand {
  readonly program: string;
  readonly leadingArgs: readonly string[];
}

/**
 * Starts Node as a process that the modes of files bind, for tests of files that may not be read or written. Root gives up the
 * right to override modes and stays root, rather than becoming another user: another user may not read a clone that is closed,
 * or the files that root makes there. `null` where root cannot give up this right, and
 * on Windows, where modes mean little.
 */
export function nodeBoundByModes(): NodeCommand | null {
  if (process.getuid === undefined) return null;
  if (process.getuid() !== 0) return { program: process.execPath, leadingArgs: [] };
  const canDropOverrides = spawnSync('setpriv', [...SETPRIV, '--eval', '0']).status === 0;
  return canDropOverrides ? { program: 'setpriv', leadingArgs: SETPRIV } : null;
}

export const NOT_BOUND_BY_MODES = 'no process can be bound by the modes of files here';
