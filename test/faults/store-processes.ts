import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';

const CHILD = fileURLToPath(new URL('./store-child.ts', import.meta.url));

/** A temporary folder for one test. It is removed when its scope ends. */
export function scratchFolder(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'loci-store-fault-'));
  return {
    path,
    [Symbol.dispose]: () => {
      rmSync(path, { recursive: true, force: true });
    },
  };
}

export function openSqlite(
  path: string,
  options: { create?: boolean; busyTimeoutMs?: number; inline?: boolean } = {},
): Promise<Store> {
  return openSqliteStore({ path, busyTimeoutMs: 20_000, create: true, ...options });
}

/** A line that a child process prints, after the event that it reports. */
export interface Line {
  readonly ready?: true;
  readonly batch?: string;
  /** Records that the batch, or the eviction after it, will touch. */
  readonly begin?: { readonly replaced?: number; readonly evicted?: number };
  readonly word?: string;
  readonly written?: number[];
  readonly evicted?: number;
  readonly remaining?: number[];
  /** Confirmed audit entries: action and subject. */
  readonly audited?: string[];
  /** The number of a refresh that begins, and of one that is confirmed. */
  readonly round?: number;
  readonly refreshed?: number;
  /** The fencing token of a write, and the key of its record: committed, or rejected because another process had a higher token. */
  readonly token?: number;
  readonly committed?: string;
  readonly rejected?: string;
}

export interface Child {
  readonly process: ChildProcess;
  /** The lines printed so far, parsed. */
  readonly lines: Line[];
  /** Resolves with the exit status when the process has ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly errors: string }>;
}

export function startChild(
  path: string,
  namespace: string,
  job: string,
  onLine?: (lines: number) => void,
): Child {
  const child = spawn(process.execPath, [CHILD, path, namespace, job], { stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: Line[] = [];
  let errors = '';
  createInterface(child.stdout).on('line', (line) => {
    lines.push(JSON.parse(line) as Line);
    onLine?.(lines.length);
  });
  child.stderr.on('data', (data: Buffer) => {
    errors += String(data);
  });
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, errors }));
  return { process: child, lines, ended };
}
