import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { LociError, messageOf } from '../../../core/errors.ts';
import { readIfExists } from './backup.ts';

const run = promisify(execFile);

/** The package that this command belongs to. */
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
/** The entry of the plugin. Its imports have names with hashes, so that its bytes differ whenever any of the code does. */
const ENTRY = 'dist/bundle/openclaw-memory.js';
const COMPARED_FILES: readonly string[] = ['package.json', 'openclaw.plugin.json', ENTRY];

/** @throws LociError `unreadable` in a clone that was not built */
export function assertBuilt(): void {
  if (existsSync(join(ROOT, ENTRY))) return;
  throw new LociError('unreadable', `${join(ROOT, ENTRY)} is missing`, {
    hint: 'Run `npm run build` in the clone of Loci first.',
  });
}

/** Whether the plugin in a folder is the one of this package. */
export async function isThisPackage(folder: string): Promise<boolean> {
  for (const name of COMPARED_FILES) {
    const [ours, theirs] = await Promise.all([readFile(join(ROOT, name)), readIfExists(join(folder, name))]);
    if (theirs?.equals(ours) !== true) return false;
  }
  return true;
}

/** Packs a package, this one by default. Returns the path of the tarball. @throws LociError `unreadable` */
export async function pack(folder: string, signal: AbortSignal, source: string = ROOT): Promise<string> {
  try {
    const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
    const { stdout } = await run('npm', args, { cwd: source, signal, maxBuffer: 64 * 1024 * 1024 });
    const [packed] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [{ filename: string }];
    return join(folder, packed.filename);
  } catch (error) {
    throw new LociError('unreadable', `npm cannot pack ${source}: ${messageOf(error)}`, {
      hint: 'Check that `npm --version` works in this terminal.',
      cause: error,
    });
  }
}
