import { chmod, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { LociError } from '../../../core/errors.ts';
import type { KeyChange } from './config/config-files.ts';
import { systemErrorCode, unreadableError } from '../../../core/fs/file-errors.ts';
import { makePrivateFolder } from '../../../core/fs/make-folder.ts';
import { replaceFile } from '../../../core/fs/replace-file.ts';

const savedFile = z.strictObject({
  path: z.string(),
  /** The name of the copy in the folder of the backup. */
  copy: z.string(),
  mode: z.number(),
  /** The hash of the file that setup wrote; `null` if somebody else changed it before the next setup. */
  written: z.string().nullable(),
});

const keyChange = z.strictObject({
  file: z.string(),
  path: z.array(z.string()),
  previous: z.string().nullable(),
  existing: z.number(),
  value: z.json(),
  isElement: z.boolean(),
});

const manifest = z.object({
  version: z.literal(1),
  configFile: z.string(),
  plugin: z.string(),
  files: z.array(savedFile),
  /** In the order in which they were made. */
  changes: z.array(keyChange),
});

/** The changes of a setup, with all that `undo` needs to revert them. */
export type Manifest = z.infer<typeof manifest>;
export type SavedFile = z.infer<typeof savedFile>;

/** The copies of the files that setup changed, in the Loci home. */
export class Backup {
  readonly home: string;
  readonly folder: string;

  constructor(home: string) {
    this.home = home;
    this.folder = join(home, 'openclaw-backup');
  }

  /** @throws LociError `unreadable` if the manifest is damaged */
  async manifest(): Promise<Manifest | null> {
    const file = join(this.folder, 'manifest.json');
    const text = await readIfExists(file);
    if (text === null) return null;
    try {
      return manifest.parse(JSON.parse(text.toString('utf8')));
    } catch (error) {
      throw new LociError('unreadable', `${file} is damaged`, {
        hint: `The copies of the configuration are beside it, in ${this.folder}.`,
        cause: error,
      });
    }
  }

  async save(value: Manifest): Promise<void> {
    this.#makeFolder();
    await replaceFile(join(this.folder, 'manifest.json'), `${JSON.stringify(value, null, 2)}\n`, 0o600);
  }

  /** Copies a file byte for byte. */
  async copy(path: string, index: number): Promise<SavedFile> {
    this.#makeFolder();
    const copy = `${String(index)}.openclaw-config`;
    const [bytes, { mode }] = await Promise.all([readFile(path), stat(path)]);
    await writeFile(join(this.folder, copy), bytes, { mode: 0o600 });
    return { path, copy, mode: mode & 0o777, written: null };
  }

  /**
   * Keeps another `setup` or `undo` with this home from running at the same time. It would back up, or restore, half of a change.
   * @returns a function that lets them run again
   * @throws LociError `conflict` while another one runs
   */
  async lock(): Promise<() => Promise<void>> {
    const file = `${this.folder}.lock`;
    this.#makeFolder();
    for (let attempt = 0; ; attempt++) {
      try {
        await writeFile(file, String(process.pid), { flag: 'wx', mode: 0o600 });
        return () => rm(file, { force: true });
      } catch (error) {
        if (systemErrorCode(error) !== 'EEXIST') throw unreadableError(file, error);
        const pid = Number((await readIfExists(file))?.toString('utf8'));
        if (attempt > 0 || isAlive(pid))
          throw new LociError('conflict', `another setup or undo runs now: process ${String(pid)}`, {
            hint: `Wait until it has ended. If it has, remove ${file}.`,
          });
        // A process that was killed leaves its own.
        await rm(file, { force: true });
      }
    }
  }

  /** Whether a file still has the text that was copied. */
  async isCopyOf({ copy }: SavedFile, text: string): Promise<boolean> {
    return (await readIfExists(join(this.folder, copy)))?.toString('utf8') === text;
  }

  async restore({ path, copy, mode }: SavedFile): Promise<void> {
    await replaceText(path, await readFile(join(this.folder, copy), 'utf8'), mode);
  }

  /** Moves the copies to a folder that a later setup does not touch. Returns it. */
  async setAside(): Promise<string> {
    const folder = `${this.folder}-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
    await rename(this.folder, folder);
    return folder;
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  #makeFolder(): void {
    makePrivateFolder(this.folder);
  }
}

/**
 * The changes of an earlier setup and of this one. After a setup that was killed before it wrote the file, the same changes are
 * made again from the same previous values: they count once.
 */
export function allChanges(before: Manifest['changes'], added: readonly KeyChange[]): Manifest['changes'] {
  const keyOf = ({ file, path, previous, isElement, value }: KeyChange): string =>
    JSON.stringify([file, path, previous, isElement, value]);
  const again = new Set(added.map(keyOf));
  return [
    ...before.filter((each) => !again.has(keyOf(each))),
    ...added.map((each) => ({ ...each, path: [...each.path] })),
  ];
}

export function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemErrorCode(error) === 'EPERM';
  }
}

/** Replaces a text file atomically and keeps its permissions. @throws LociError `unreadable` */
export async function replaceText(path: string, text: string, mode?: number): Promise<void> {
  try {
    const permissions = mode ?? (await stat(path)).mode & 0o777;
    await replaceFile(path, text, permissions);
    await chmod(path, permissions);
  } catch (error) {
    throw unreadableError(path, error);
  }
}

/** @throws LociError `unreadable` */
export async function readIfExists(path: string): Promise<Buffer | null> {
  return readFile(path).catch((error: unknown) => {
    if (systemErrorCode(error) === 'ENOENT') return null;
    throw unreadableError(path, error);
  });
}
