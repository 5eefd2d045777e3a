import { readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { systemErrorCode } from '../../core/fs/file-errors.ts';

/** Whether a real path is the real root or below it. */
export function isWithin(realRoot: string, realPath: string): boolean {
  const relative = path.relative(realRoot, realPath);
  return relative === '' || (relative.split(path.sep)[0] !== '..' && !path.isAbsolute(relative));
}

/** Whether a key names a place below the root by itself: relative, no `.`, no `..`, no NUL. */
export function isPlainKey(key: string): boolean {
  if (key === '' || key.includes('\0') || path.isAbsolute(key)) return false;
  // On Windows `\` parts folders and `:` names drives and streams; elsewhere both are letters of a name.
  if (path.sep === '\\' && /[\\:]/.test(key)) return false;
  return key.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

/**
 * The real path, without symlinks, of what a key names below a real root; `null` when it lies outside, whether
 * by its own words or through symlinks.
 * @throws the file system's error (`ENOENT`, `EACCES`, `ELOOP` …) when there is nothing to be had
 */
export async function resolveWithin(realRoot: string, key: string): Promise<string | null> {
  if (!isPlainKey(key)) return null;
  const real = await realpath(path.join(realRoot, key)).catch(async (error: unknown) => {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
    return realpath(await unnormalised(realRoot, key, error));
  });
  return isWithin(realRoot, real) ? real : null;
}

/** The path whose NFC form is the key: other systems write `é` as two characters in the names they make. */
async function unnormalised(realRoot: string, key: string, missing: unknown): Promise<string> {
  let found = realRoot;
  for (const part of key.split('/')) {
    const names = /^[ -~]+$/.test(part) ? [part] : await readdir(found);
    const name = names.find((each) => each.normalize('NFC') === part);
    if (name === undefined) throw missing;
    found = path.join(found, name);
  }
  return found;
}
