import { randomBytes } from 'node:crypto';
import { open, realpath, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Replaces or creates a file atomically: a reader sees either the old or the new text, even after a crash. If the file is a
 * symbolic link, its target is replaced.
 * @param mode permissions of the new file
 * @throws the error of the file system; the old file is then unchanged
 */
export async function replaceFile(file: string, text: string, mode: number): Promise<void> {
  const target = await realpath(file).catch(() => file);
  const temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await writeNew(temporary, text, mode);
    await rename(temporary, target);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(target));
}

async function writeNew(file: string, text: string, mode: number): Promise<void> {
  await using handle = await open(file, 'wx', mode);
  await handle.writeFile(text);
  await handle.sync();
}

/** Makes a rename durable by syncing its folder. Windows cannot open folders and does not need it. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  await using handle = await open(folder, 'r');
  await handle.sync();
}
