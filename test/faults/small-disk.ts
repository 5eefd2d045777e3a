import { execFileSync } from 'node:child_process';
import { closeSync, openSync, statfsSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, afterEach } from 'vitest';
import { messageOf } from '../../src/core/errors.ts';
import { scratchFolder } from './store-processes.ts';

/** Writes a file that fills the free space, also the space that becomes free meanwhile. */
export function fillUp(path: string): void {
  const file = openSync(path, 'a');
  try {
    do {
      for (const size of [65_536, 4096, 1]) {
        try {
          for (;;) writeSync(file, Buffer.alloc(size));
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
        }
      }
    } while (statfsSync(dirname(path)).bavail > 0);
  } finally {
    closeSync(file);
  }
}

interface SmallDisk {
  readonly path: string;
  /** Why a small disk cannot be mounted here; empty if it is mounted. */
  readonly unmountable: string;
}

/**
 * Mounts a small disk for the tests of a `describe`. Each test has a new one, because the system may free the space of removed
 * files late. @param size such as `6m`
 */
export function smallDisk(size: string): SmallDisk {
  const folder = scratchFolder();
  const { path } = folder;
  const mount = (): void => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path], { stdio: 'pipe' });
  };
  const unmount = (): void => {
    execFileSync('umount', ['-l', path]);
  };
  let unmountable = '';
  try {
    mount();
  } catch (error) {
    unmountable = `a small disk cannot be mounted: ${messageOf(error)}`;
  }
  afterEach(() => {
    if (unmountable !== '') return;
    unmount();
    mount();
  });
  afterAll(() => {
    if (unmountable === '') unmount();
    folder[Symbol.dispose]();
  });
  return { path, unmountable };
}
