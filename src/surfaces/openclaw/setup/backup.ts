import { chmod, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { LociError } from '../../../core/errors.ts';
import { sha256 } from '../../../core/ids.ts';
import { type ConfigFiles, type KeyChange, keyChange } from './config-files.ts';
import { systemErrorCode, unreadableError } from '../../../core/fs/file-errors.ts';
import { makePrivateFolder, replaceFile } from '../../../core/fs/files.ts';

const savedFile = z.strictObject({
  path: z.string(),
  /** The name of the copy in the folder of the backup. */
  copy: z.string(),
  mode: z.number(),
  /** The hash of the file that setup wrote; `null` if somebody else changed it before the next setup. */
  written: z.string().nullable(),
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
  /** The manifest before `begin`; `null` if setup did not run before, `undefined` if that is not known. */
  #before: Manifest | null | undefined;
  readonly #lockFile: string;
  #isLocked = false;

  constructor(home: string) {
    this.home = home;
    this.folder = join(home, 'openclaw-backup');
    this.#lockFile = `${this.folder}.lock`;
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

  async #save(value: Manifest): Promise<void> {
    makePrivateFolder(this.folder);
    await replaceFile(join(this.folder, 'manifest.json'), `${JSON.stringify(value, null, 2)}\n`, 0o600);
  }

  /** Copies the files that are to be changed, and notes what changes. @throws LociError `conflict` */
  async begin(files: ConfigFiles, plugin: string): Promise<void> {
    await this.lock();
    for (const path of files.changedFiles()) await assertUnchanged(path, files.originalText(path));
    const before = await this.manifest();
    this.#before = before;
    const saved = [...(before?.files ?? [])];
    for (const path of files.changedFiles()) {
      const index = saved.findIndex((each) => each.path === path);
      const known = saved[index];
      const copied = known ?? (await this.#copy(path, saved.length));
      // A copy that is older than what somebody has changed since must not be restored by `undo`.
      const isCurrent =
        known === undefined ||
        known.written === sha256(files.originalText(path)) ||
        (await readIfExists(join(this.folder, known.copy)))?.toString('utf8') === files.originalText(path);
      const next = { ...copied, written: isCurrent ? sha256(files.text(path)) : null };
      if (known === undefined) saved.push(next);
      else saved[index] = next;
    }
    // It is saved before anything is changed, so that `undo` works even if this process is killed.
    await this.#save({
      version: 1,
      configFile: files.root,
      plugin,
      files: saved,
      changes: allChanges(before?.changes ?? [], files.changes),
    });
  }

  /** The manifest is again what it was before `begin`. */
  async rollBack(): Promise<void> {
    if (this.#before === null) await this.remove();
    else if (this.#before !== undefined) await this.#save(this.#before);
  }

  /** Writes the changed files. @throws LociError `conflict` if somebody else has changed one meanwhile */
  async apply(files: ConfigFiles): Promise<void> {
    for (const path of files.changedFiles()) {
      await assertUnchanged(path, files.originalText(path));
      await replaceText(path, files.text(path));
    }
  }

  /** Writes the files as they were before `apply`, except those that somebody else has changed since. */
  async revert(files: ConfigFiles): Promise<void> {
    for (const path of files.changedFiles()) {
      const now = await readIfExists(path);
      if (now?.toString('utf8') === files.text(path)) await replaceText(path, files.originalText(path));
    }
  }

  /** Copies a file byte for byte. */
  async #copy(path: string, index: number): Promise<SavedFile> {
    makePrivateFolder(this.folder);
    const copy = `${String(index)}.openclaw-config`;
    const [bytes, { mode }] = await Promise.all([readFile(path), stat(path)]);
    await writeFile(join(this.folder, copy), bytes, { mode: 0o600 });
    return { path, copy, mode: mode & 0o777, written: null };
  }

  /**
   * Keeps another `setup` or `undo` with this home from running at the same time. It would back up, or restore, half of a change.
   * @throws LociError `conflict` while another one runs
   */
  async lock(): Promise<void> {
    makePrivateFolder(this.folder);
    for (let attempt = 0; ; attempt++) {
      try {
        await writeFile(this.#lockFile, String(process.pid), { flag: 'wx', mode: 0o600 });
        this.#isLocked = true;
        return;
      } catch (error) {
        if (systemErrorCode(error) !== 'EEXIST') throw unreadableError(this.#lockFile, error);
        const pid = Number((await readIfExists(this.#lockFile))?.toString('utf8'));
        if (attempt > 0 || isAlive(pid))
          throw new LociError('conflict', `another setup or undo runs now: process ${String(pid)}`, {
            hint: `Wait until it has ended. If it has, remove ${this.#lockFile}.`,
          });
        // A process that was killed leaves its own.
        await rm(this.#lockFile, { force: true });
      }
    }
  }

  /** Lets others run again, if this process kept them from it. */
  async unlock(): Promise<void> {
    if (this.#isLocked) await rm(this.#lockFile, { force: true });
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
}

/** @throws LociError `conflict` */
async function assertUnchanged(path: string, text: string): Promise<void> {
  if ((await readFile(path, 'utf8')) !== text)
    throw new LociError('conflict', `${path} was changed meanwhile`, {
      hint: 'Run `loci openclaw setup` again.',
    });
}

/**
 * The changes of an earlier setup and of this one. After a setup that was killed before it wrote the file, the same changes are
 * made again from the same previous values: they count once.
 */
function allChanges(before: readonly KeyChange[], added: readonly KeyChange[]): KeyChange[] {
  const keyOf = ({ file, path, previous, isElement, value }: KeyChange): string =>
    JSON.stringify([file, path, previous, isElement, value]);
  const again = new Set(added.map(keyOf));
  return [...before.filter((each) => !again.has(keyOf(each))), ...added];
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
async function replaceText(path: string, text: string, mode?: number): Promise<void> {
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
