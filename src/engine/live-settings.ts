import { stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { messageOf } from '../core/errors.ts';
import { systemErrorCode } from '../core/fs/file-errors.ts';
import { SETTINGS } from '../config/keys.ts';
import { CONFIG_FILE, type LoadedConfig } from '../config/load.ts';
import type { Config } from '../config/schema.ts';

/** How long a changed file has to stay the same before it is used, because a program may write it in several steps. */
const SETTLE_MS = 100;
/** What an engine opens once. Its callers have their namespace from the settings that it was opened with. */
const OPENED_ONCE: readonly (keyof Config)[] = ['namespace', 'store', 'embedding', 'rerank'];
const MISSING = 'missing';

/** The settings of a process that runs: those of loci.yaml as it is now, but for what the process opens once. */
export class LiveSettings {
  readonly #load: () => Promise<LoadedConfig>;
  readonly #kept: readonly (keyof Config)[];
  /** The settings that the process was started with. */
  readonly opened: LoadedConfig;
  #values: Config;
  #revision: string;
  #problem: string | null = null;
  #updating: Promise<void> | null = null;

  private constructor(
    load: () => Promise<LoadedConfig>,
    opened: LoadedConfig,
    { kept, revision }: { readonly kept: readonly (keyof Config)[]; readonly revision: string },
  ) {
    this.#load = load;
    this.#kept = [...OPENED_ONCE, ...kept];
    this.opened = opened;
    this.#values = opened.values;
    this.#revision = revision;
  }

  /**
   * Loads the settings in `file`.
   * @param kept sections that the process reads once, beside those that an engine opens once
   * @throws the errors of `load`
   */
  static async open(
    file: string,
    load: () => Promise<LoadedConfig>,
    kept: readonly (keyof Config)[] = [],
  ): Promise<LiveSettings> {
    const revision = await revisionOf(file);
    return new LiveSettings(load, await load(), { kept, revision });
  }

  get values(): Config {
    return this.#values;
  }

  /** Why what the file says now is not in force, or not all of it; `null` if it is. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Reads the file again if it has changed. It never throws: what cannot be read leaves the settings as they are. */
  update(): Promise<void> {
    this.#updating ??= this.#update().finally(() => {
      this.#updating = null;
    });
    return this.#updating;
  }

  async #update(): Promise<void> {
    const { file, written } = this.opened;
    const revision = await revisionOf(file);
    if (revision === this.#revision) return;
    await delay(SETTLE_MS);
    const loaded = await this.#load().catch(messageOf);
    // It is still being written. The next call reads it.
    if ((await revisionOf(file)) !== revision) return;
    this.#revision = revision;
    if (typeof loaded === 'string' || revision === MISSING) {
      const fault = typeof loaded === 'string' ? loaded : `${file} is no longer there`;
      this.#problem = `${fault.replace(/\.?$/, '.')} The settings of before stay in force until this is corrected.`;
      return;
    }
    const kept = Object.fromEntries(this.#kept.map((section) => [section, this.#values[section]]));
    this.#values = { ...loaded.values, ...kept };
    const isKept = (path: string): boolean => this.#kept.some((section) => section === path.split('.')[0]);
    const waiting = SETTINGS.map(({ path }) => path).filter(
      (path) => isKept(path) && !isDeepStrictEqual(loaded.written.get(path), written.get(path)),
    );
    this.#problem =
      waiting.length === 0
        ? null
        : `Restart this process to use what ${CONFIG_FILE} says now: ${waiting.join(', ')}.`;
  }
}

/** Differs whenever the file has changed. */
async function revisionOf(file: string): Promise<string> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
    return [ino, size, mtimeNs, ctimeNs].join(':');
  } catch (error) {
    return systemErrorCode(error) === 'ENOENT' ? MISSING : 'unreadable';
  }
}
