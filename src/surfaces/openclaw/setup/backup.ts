import { chmod, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { LociError } from '../../../core/errors.ts';
import { sha256 } from '../../../core/ids.ts';
import type { ConfigFiles } from './config-files.ts';
import { systemErrorCode, unreadableError } from '../../../core/fs/file-errors.ts';
import { FileLock } from '../../../core/fs/file-lock.ts';
import { makePrivateFolder, replaceFile } from '../../../core/fs/files.ts';

const savedFile = z.strictObject({
  path: z.string(),
  /**
   * The hashes of the file as setup wrote it and was going to write it, because it may have been killed in between. Empty if somebody else
   * changed it before the next setup.
   */
  written: z.array(z.string()),
  /** The keys that setup has changed. */
  keys: z.array(z.string()),
});

/** What `undo` needs to revert a setup. The copy of a file has the number of its place in the list. */
const manifest = z.strictObject({ configFile: z.string(), plugin: z.string(), files: z.array(savedFile) });
export type Manifest = z.infer<typeof manifest>;

/** The copies of the files that setup changed, in the Loci home. */
export class Backup {
  readonly home: string;
  readonly folder: string;
  readonly #manifestFile: string;
  /** The manifest before `apply`; `undefined` while that is not known. */
  #before: Manifest | null | undefined;

  constructor(home: string) {
    this.home = home;
    this.folder = join(home, 'openclaw-backup');
    this.#manifestFile = join(this.folder, 'manifest.json');
  }

  /** `null` if there was no setup. @throws LociError `unreadable` if the manifest is damaged */
  async manifest(): Promise<Manifest | null> {
    const text = await readIfExists(this.#manifestFile);
    if (text === null) return null;
    try {
      return manifest.parse(JSON.parse(text.toString('utf8')));
    } catch (error) {
      throw new LociError('unreadable', `${this.#manifestFile} is damaged`, {
        hint: `The copies of the configuration are beside it, in ${this.folder}.`,
        cause: error,
      });
    }
  }

  async #save(value: Manifest): Promise<void> {
    await replaceFile(this.#manifestFile, `${JSON.stringify(value, null, 2)}\n`, 0o600);
  }

  /** The bytes that a file had before setup. */
  copyOf(index: number): Promise<Buffer> {
    return readFile(this.#copyPath(index));
  }

  #copyPath(index: number): string {
    return join(this.folder, `${String(index)}.openclaw-config`);
  }

  /** Copies the files that are to be changed, and writes them. @throws LociError `conflict` if somebody else has changed one meanwhile */
  async apply(files: ConfigFiles, plugin: string): Promise<void> {
    const changed = files.changedFiles();
    for (const path of changed)
      if ((await readFile(path, 'utf8')) !== files.originalText(path))
        throw new LociError('conflict', `${path} was changed meanwhile`, {
          hint: 'Run `loci openclaw setup` again.',
        });
    makePrivateFolder(this.folder);
    const before = await this.manifest();
    this.#before = before;
    const saved = [...(before?.files ?? [])];
    for (const path of changed) {
      const original = files.originalText(path);
      const found = saved.findIndex((each) => each.path === path);
      const index = found === -1 ? saved.length : found;
      const known = saved[index];
      if (known === undefined) await writeFile(this.#copyPath(index), original, { mode: 0o600 });
      // A copy that is older than what somebody has changed since must not be restored by `undo`.
      const isCurrent =
        known?.written.includes(sha256(original)) === true ||
        (await this.copyOf(index)).equals(Buffer.from(original));
      const keys = files.changes.filter(({ file }) => file === path).map(({ key }) => key);
      saved[index] = {
        path,
        written: isCurrent ? [sha256(original), sha256(files.text(path))] : [],
        keys: [...new Set([...(known?.keys ?? []), ...keys])],
      };
    }
    // It is saved before anything is changed, so that `undo` works even if this process is killed.
    await this.#save({ configFile: files.root, plugin, files: saved });
    for (const path of changed) await replaceText(path, files.text(path));
  }

  /** Reverts `apply`. @throws LociError `conflict` if somebody else has changed a file since: it is left as it is, and so are the copies */
  async revert(files: ConfigFiles): Promise<void> {
    if (this.#before === undefined) return;
    const changed: string[] = [];
    for (const path of files.changedFiles()) {
      const now = (await readIfExists(path))?.toString('utf8');
      if (now === files.text(path)) await replaceText(path, files.originalText(path));
      else if (now !== files.originalText(path)) changed.push(path);
    }
    if (changed.length > 0)
      throw new LociError(
        'conflict',
        `${changed.join(' and ')} was changed meanwhile, and was left as it is`,
        {
          hint: `The copies are in ${this.folder}.`,
        },
      );
    if (this.#before === null) await this.remove();
    else await this.#save(this.#before);
  }

  /**
   * Keeps another `setup` or `undo` with this home from running at the same time. It would back up, or restore, half of a change.
   * @throws LociError `conflict` while another one runs
   */
  async exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    makePrivateFolder(this.home);
    const lock = new FileLock(`${this.folder}.lock`);
    if (!lock.acquire())
      throw new LociError('conflict', 'another setup or undo runs now', { hint: 'Wait until it has ended.' });
    try {
      return await work();
    } finally {
      lock.release();
    }
  }

  /** Moves the copies to a folder that a later setup does not touch. Returns it. */
  async setAside(): Promise<string> {
    const folder = `${this.folder}-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
    await rename(this.folder, folder);
    return folder;
  }

  async remove(): Promise<void> {
    // A process that is killed here leaves no manifest without its copies.
    await rm(this.#manifestFile, { force: true });
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Replaces a text file atomically and keeps its permissions. @throws LociError `unreadable` */
export async function replaceText(path: string, text: string): Promise<void> {
  try {
    const permissions = ((await stat(path).catch(() => null))?.mode ?? 0o600) & 0o777;
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
