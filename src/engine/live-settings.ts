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
/** The same for a file that has lost or changed a vault or a source, which may then hide less: its end may not be written yet. */
const SETTLE_LOSS_MS = 2000;
/** What an engine opens once. */
const OPENED_ONCE: readonly (keyof Config)[] = ['namespace', 'store', 'embedding', 'rerank'];
/** What the other settings are about: vaults and sources of another memory must not be read into this one. */
const MEMORY: readonly (keyof Config)[] = ['namespace', 'store'];
const READ: readonly (keyof Config)[] = ['vaults', 'sources', 'skills'];
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
    if (
      typeof loaded !== 'string' &&
      revision !== MISSING &&
      losesSources(this.#values, loaded.values) &&
      !(await isOlder(file, SETTLE_LOSS_MS))
    )
      return;
    this.#revision = revision;
    if (typeof loaded === 'string' || revision === MISSING) {
      const fault = typeof loaded === 'string' ? loaded : `${file} is no longer there, or is empty`;
      this.#problem = `${fault.replace(/\.?$/, '.')} The settings of before stay in force until this is corrected.`;
      return;
    }
    const changedIn = (sections: readonly string[]): string[] =>
      SETTINGS.map(({ path }) => path).filter(
        (path) =>
          sections.includes(path.split('.')[0]!) &&
          !isDeepStrictEqual(loaded.written.get(path), written.get(path)),
      );
    const ofAnotherMemory = changedIn(MEMORY);
    if (ofAnotherMemory.length > 0) {
      this.#problem = `${CONFIG_FILE} is for another memory now: restart this process to use it (${ofAnotherMemory.join(', ')}). Until then the settings of before stay in force.`;
      return;
    }
    const kept = Object.fromEntries(this.#kept.map((section) => [section, this.#values[section]]));
    this.#values = { ...loaded.values, ...kept };
    const waiting = changedIn(this.#kept);
    this.#problem =
      waiting.length === 0
        ? null
        : `Restart this process to use what ${CONFIG_FILE} says now: ${waiting.join(', ')}.`;
  }
}

/** Whether a vault or a source is gone or another one. */
function losesSources(before: Config, after: Config): boolean {
  return READ.some((section) => {
    const entries = after[section] as readonly unknown[];
    return (before[section] as readonly unknown[]).some(
      (entry) => !entries.some((each) => isDeepStrictEqual(each, entry)),
    );
  });
}

async function isOlder(file: string, milliseconds: number): Promise<boolean> {
  const { mtimeMs } = await stat(file);
  return Math.abs(Date.now() - mtimeMs) >= milliseconds;
}

/** Differs whenever the file has changed. Many programs empty a file before they write it. */
async function revisionOf(file: string): Promise<string> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
    return size === 0n ? MISSING : [ino, size, mtimeNs, ctimeNs].join(':');
  } catch (error) {
    return systemErrorCode(error) === 'ENOENT' ? MISSING : 'unreadable';
  }
}
