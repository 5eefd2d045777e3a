import { isDeepStrictEqual } from 'node:util';
import type { Config } from '../../../config/schema.ts';
import { loadConfig } from '../../../config/load.ts';
import { LociError } from '../../../core/errors.ts';
import { asLociError } from '../../../core/fs/file-errors.ts';
import type { Closable } from '../../../engine/context.ts';
import type { KeeperEvent } from '../../../engine/refresh/keeper.ts';
import type { SourceReport } from '../../../engine/sources/reports.ts';
import type { Sources } from '../../../engine/sources/sources.ts';
import { createContext, type ContextOptions, type OpenContext } from '../../../operations/context.ts';
import { FileFollower } from './file-follower.ts';
import type { RunServer } from '../../shared/server-call.ts';
import { untilStopped } from '../../shared/stop-signals.ts';
import { WatchDisplay } from './watch-display.ts';

/**
 * `loci watch`: keeps vaults and sources fresh until a signal says to stop, or nobody reads any more what it says; a
 * second signal stops at once. Changed settings are kept to once they can be.
 */
export const watch: RunServer = async ({ home, json }, io) => {
  const caller = { surface: 'cli', trust: 'operator' } as const;
  const display = new WatchDisplay(io, json);
  const watching = new Watching({ caller, env: io.env, ...(home !== undefined && { home }) }, display);
  try {
    const file = await watching.begin();
    const follower = await FileFollower.follow(file, () => watching.readAgain(file));
    await untilStopped(io.stdout);
    await follower.close();
    return 0;
  } finally {
    display.end();
    await watching.close();
  }
};

/** An engine that was opened with the settings as they were then. */
interface Opened {
  readonly context: OpenContext;
  readonly config: Config;
  readonly sources: Sources;
  readonly reports: readonly SourceReport[];
}

class Watching {
  readonly #options: ContextOptions;
  readonly #display: WatchDisplay;
  #opened: Opened | null = null;
  #keeper: Closable | null = null;
  #refused = '';

  constructor(options: ContextOptions, display: WatchDisplay) {
    this.#options = options;
    this.#display = display;
  }

  /** Answers the settings' file. @throws LociError `invalid_config` where nothing is named; what opening the store throws */
  async begin(): Promise<string> {
    const { values, file } = await loadConfig(this.#options);
    if (values.vaults.length + values.sources.length + values.skills.length === 0)
      throw new LociError(
        'invalid_config',
        'there is nothing to keep fresh: loci.yaml names no vaults and no sources',
        {
          hint: '`loci index PATH` adds a vault; docs/sources.md says how a command becomes a source.',
        },
      );
    const opened = await open(this.#options);
    this.#display.begin();
    this.#keep(opened);
    return file;
  }

  /** What cannot be kept to is told once, and what was kept to before goes on. */
  async readAgain(file: string): Promise<void> {
    try {
      const { values } = await loadConfig(this.#options);
      if (isDeepStrictEqual(values, this.#opened?.config) && this.#refused === '') return;
      // The former engine goes on where this one cannot be opened.
      const opened = await open(this.#options);
      await this.close();
      this.#refused = '';
      this.#display.tellSettings(file, null);
      this.#keep(opened);
    } catch (error) {
      const told = asLociError(error);
      if (told.message === this.#refused) return;
      this.#refused = told.message;
      this.#display.tellSettings(file, told);
    }
  }

  async close(): Promise<void> {
    await this.#keeper?.close();
    await this.#opened?.context.close();
    this.#keeper = null;
    this.#opened = null;
  }

  #keep(opened: Opened): void {
    const { sources, reports } = opened;
    this.#opened = opened;
    this.#display.list(reports, () => sources.list());
    const onEvent = (event: KeeperEvent): void => this.#display.tell(event);
    this.#keeper = sources.keepFresh({ newVaults: true, onEvent });
  }
}

async function open(options: ContextOptions): Promise<Opened> {
  const context = createContext(options);
  try {
    const { values } = await context.loadConfig();
    const { sources } = await context.loci({ create: true });
    return { context, config: values, sources, reports: await sources.list() };
  } catch (error) {
    await context.close();
    throw error;
  }
}
