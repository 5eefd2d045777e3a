import { randomBytes } from 'node:crypto';
import { open, realpath, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Replaces a file, or makes it, so that whoever reads it at any time, even after a crash, finds the old text or the
 * new one and nothing between. A link stays a link: the file it leads to is replaced.
 * @param mode permissions of the new file
 * @throws the error of the file system; the old file is then untouched
 */
export async function replaceFile(file: string, text: string, mode: number): Promise<void> {
  const target = await realpath(file).catch(() => file);
  const temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const handle = await open(temporary, 'wx', mode);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, target);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(target));
}

/** The rename itself is durable only once its folder is; Windows cannot open a folder, and need not. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
