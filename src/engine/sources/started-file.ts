import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { hashFile } from './hash-file.ts';

/** A file that a command starts, and what tells whether it is still the same. */
export interface StartedFile {
  /** Or in words what is started and cannot be watched. */
  readonly path: string;
  /** SHA-256 of what it holds; `system` for what nobody but root can change; empty where it cannot be watched. */
  readonly state: string;
}

/** The program that the system would start: `null` when there is none. */
export async function findProgram(program: string, cwd: string, path: string): Promise<string | null> {
  const places = program.includes('/')
    ? [resolve(cwd, program)]
    : path.split(':').map((folder) => resolve(cwd, folder, program));
  for (const place of places) {
    if (await isProgram(place)) return place;
  }
  return null;
}

export async function isProgram(place: string): Promise<boolean> {
  try {
    await access(place, constants.X_OK);
    return (await stat(place)).isFile();
  } catch {
    return false;
  }
}

export function isFile(place: string): Promise<boolean> {
  return stat(place).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** What belongs to the system is not read: its updates are not for a source's owner to look at. */
export async function stateOf(path: string): Promise<string> {
  const real = await realpath(path);
  const { uid, mode } = await stat(real);
  const writers = 0o022;
  const isOfSystem = uid === 0 && (mode & writers) === 0 && process.getuid?.() !== 0;
  // Of a link, what it leads to now.
  return `${isOfSystem ? 'system' : await hashFile(real)}${real === path ? '' : ` ${real}`}`;
}
