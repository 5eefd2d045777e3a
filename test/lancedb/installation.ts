import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { INSTALLED_PACKAGES, LANCEDB_VERSION } from '../../src/adapters/lancedb/package.ts';

const CACHE = process.env['LOCI_LANCEDB_CACHE'] ?? join(homedir(), '.cache', 'loci-lancedb');
/** The folder of `adapters.lancedb.package`. LanceDB has 210 MB, so that it is installed once, outside of the checkout. */
export const LANCEDB: string = join(CACHE, LANCEDB_VERSION);

/** Installs LanceDB as the message about a missing one says, unless it is installed already. */
export async function setup(): Promise<void> {
  if (existsSync(LANCEDB)) return;
  mkdirSync(CACHE, { recursive: true });
  const made = mkdtempSync(join(CACHE, 'making-'));
  try {
    const options = ['--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
    await promisify(execFile)('npm', ['install', '--prefix', made, ...options, ...INSTALLED_PACKAGES], {
      cwd: made,
      timeout: 240_000,
    });
    // Another process may have finished first.
    if (!existsSync(LANCEDB)) renameSync(made, LANCEDB);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}
