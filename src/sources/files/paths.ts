import { readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { systemErrorCode } from '../../core/fs/file-errors.ts';

/** Whether a real path is the real root or below it. */
export function isWithin(realRoot: string, realPath: string): boolean {
  const relative = path.relative(realRoot, realPath);
  return relative === '' || (relative.split(path.sep)[0] !== '..' && !path.isAbsolute(relative));
}

/** Whether a key is a relative path without `.`, `..` and NUL, so that by itself it cannot lead out of the root. */
export function isPlainKey(key: string): boolean {
  if (key === '' || key.includes('\0') || path.isAbsolute(key)) return false;
  // On Windows `\` separates folders, and `:` follows a drive or precedes a stream. Elsewhere both may occur in names.
  if (path.sep === '\\' && /[\\:]/.test(key)) return false;
  return key.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

/**
 * Resolves a key below a real root to its real path. Returns `null` if that is outside the root, because of the key itself
 * or because of symlinks.
 * @param options.exact whether `null` is returned for each path with a symlink below the root
 * @throws the file system's error (`ENOENT`, `EACCES`, `ELOOP` …) if the path cannot be resolved
 */
export async function resolveWithin(
  realRoot: string,
  key: string,
  { exact = false }: { readonly exact?: boolean } = {},
): Promise<string | null> {
  if (!isPlainKey(key)) return null;
  let file = path.join(realRoot, key);
  const real = await realpath(file).catch(async (error: unknown) => {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
    file = await findUnnormalised(realRoot, key, error);
    return realpath(file);
  });
  return (exact ? isSamePath(file, real) : isWithin(realRoot, real)) ? real : null;
}

/** Whether a path is a real path. macOS finds a file by each Unicode form of its name, and its real path has the stored form. */
export function isSamePath(file: string, real: string): boolean {
  return real === file || (process.platform === 'darwin' && real.normalize('NFC') === file.normalize('NFC'));
}

/** Finds the path whose NFC form is the key. Some systems write `é` as two characters in file names. */
async function findUnnormalised(realRoot: string, key: string, missing: unknown): Promise<string> {
  let found = realRoot;
  for (const part of key.split('/')) {
    const names = /^[ -~]+$/.test(part) ? [part] : await readdir(found);
    const name = names.find((each) => each.normalize('NFC') === part);
    if (name === undefined) throw missing;
    found = path.join(found, name);
  }
  return found;
}
