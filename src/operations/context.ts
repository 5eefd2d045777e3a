import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Caller } from '../core/caller.ts';
import { LociError } from '../core/errors.ts';
import { CONFIG_FILE, configHome, type HostSettings, loadConfig, type LoadedConfig } from '../config/load.ts';
import { LiveSettings } from '../engine/live-settings.ts';
import type { Config } from '../config/schema.ts';
import { userName } from '../core/runtime.ts';
import type { Progress } from '../core/progress.ts';
import type { OpenOptions } from '../engine/open.ts';
import type { CallerLimit } from './caller-limit.ts';
import type { LocalIo, OperationContext } from './operation.ts';
import { RequestQuotas } from '../engine/access/request-quotas.ts';
import type { EngineContext } from '../engine/context.ts';

export interface ContextOptions extends Omit<OpenOptions, 'create' | 'liveSettings'> {
  /** The default is `LOCI_HOME`, then `~/.loci`. */
  readonly home?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** The caller. Missing fields default to those of the owner of the configured namespace. */
  readonly caller: Pick<Caller, 'surface' | 'trust'> & Partial<Caller>;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** Only for calls of the operator on this machine. A call on behalf of another caller never gets it. */
  readonly machine?: LocalIo;
  /** Limits how many operations each caller runs at once, other than the operator. */
  readonly limit?: CallerLimit;
  /** Settings that a host program has for Loci. */
  readonly hostSettings?: HostSettings;
  /** Sections of the settings that the program itself reads once. */
  readonly keptSettings?: readonly (keyof Config)[];
}

/** Options that a single call may override. */
type CallOptions = Partial<Pick<ContextOptions, 'caller' | 'env' | 'signal' | 'onProgress' | 'machine'>> & {
  /** Whether the caller is the owner although the call has no files of this machine. Default false. */
  readonly isOwner?: boolean;
  /** Where relative paths in `env` start; by default at the current folder. */
  readonly cwd?: string;
};

/** A context that closes its engine. */
export interface OpenContext extends OperationContext {
  /** A context of the same engine for one call, with another caller, signal or progress. */
  forCall(options: CallOptions): OperationContext;
  close(): Promise<void>;
}

/** Makes a context. It opens the engine at the first call that needs it. */
export function createContext(options: ContextOptions): OpenContext {
  const env = options.env ?? process.env;
  const home = configHome({ env, ...(options.home === undefined ? {} : { home: options.home }) });
  const settings = { home, ...(options.hostSettings && { hostSettings: options.hostSettings }) };
  const engine = new SharedEngine(() => loadConfig({ ...settings, env }), {
    ownsProcess: true,
    ...options,
    file: join(home, CONFIG_FILE),
  });
  const actor = userName();
  const forCall = (call: CallOptions): OperationContext => {
    const caller = call.caller ?? options.caller;
    const machine = call.machine ?? (call.caller === undefined ? options.machine : undefined);
    const { env: callEnv, cwd } = call;
    const signal = call.signal ?? options.signal ?? new AbortController().signal;
    const { limit } = options;
    return {
      home,
      env: callEnv ?? env,
      signal,
      ...(limit !== undefined &&
        caller.trust !== 'operator' && {
          admit: ({ steps = false, kind }, work) =>
            limit.run({ caller: caller.namespace ?? '', steps, signal }, async () => {
              // The operation says why there is no store.
              const opened = await engine.open(false).catch(() => null);
              if (opened === null) return work();
              const namespace = caller.namespace ?? opened.namespace;
              return opened.shared(RequestQuotas).run(namespace, kind === 'read', work);
            }),
        }),
      isOwner: machine !== undefined || call.isOwner === true,
      onProgress: call.onProgress ?? options.onProgress ?? (() => undefined),
      ...(machine !== undefined && { machine }),
      loadConfig:
        callEnv === undefined
          ? engine.loadConfig
          : () => loadConfig({ ...settings, env: callEnv, ...(cwd !== undefined && { cwd }) }),
      loci: async ({ create = false, temporary = false } = {}) => {
        const opened = temporary ? await engine.openOrTemporary() : await engine.open(create);
        return opened.as({ ...opened.caller, actor, ...caller });
      },
    };
  };
  return { ...forCall({}), forCall, close: () => engine.close() };
}

/** An engine that is opened once for all calls. */
class SharedEngine {
  readonly loadConfig: () => Promise<LoadedConfig>;
  readonly #options: SharedEngineOptions;
  #loci: Promise<EngineContext> | null = null;
  #temporary: Promise<TemporaryEngine> | null = null;

  constructor(load: () => Promise<LoadedConfig>, options: SharedEngineOptions) {
    this.loadConfig = load;
    this.#options = options;
  }

  async open(create: boolean): Promise<EngineContext> {
    const isShared = this.#loci !== null;
    this.#loci ??= this.#load(create).catch((error: unknown) => {
      // The next call tries again: the problem may be solved by then.
      this.#loci = null;
      throw error;
    });
    try {
      return await (await this.#loci).current();
    } catch (error) {
      // Another call did not find the store, but this one may make it.
      const isMissing = error instanceof LociError && error.code === 'store_not_found';
      if (create && isShared && isMissing) return this.open(true);
      throw error;
    }
  }

  /** The engine; one with an empty temporary store if there is no store. */
  async openOrTemporary(): Promise<EngineContext> {
    try {
      return await this.open(false);
    } catch (error) {
      if (!(error instanceof LociError) || error.code !== 'store_not_found') throw error;
      this.#temporary ??= this.#loadTemporary();
      return (await this.#temporary).loci;
    }
  }

  async #load(create: boolean): Promise<EngineContext> {
    const { file, keptSettings } = this.#options;
    const liveSettings = await LiveSettings.open(file, this.loadConfig, keptSettings);
    const { values, hostPlace, places: settingsPlaces } = liveSettings.opened;
    const { openEngine } = await import('../engine/open.ts');
    // A host has settings of its own, and what is added to the file later is not what a program has said that it trusts.
    const isLive = hostPlace === null && this.#options.trustsSettings !== true;
    const options = { ...this.#options, settingsPlaces, ...(isLive && { liveSettings }), create };
    return openEngine(values, options);
  }

  async #loadTemporary(): Promise<TemporaryEngine> {
    const { values } = await this.loadConfig();
    const { openEngine } = await import('../engine/open.ts');
    const folder = await mkdtemp(join(tmpdir(), 'loci-'));
    const store = { ...values.store, path: join(folder, 'store.db') };
    try {
      return {
        loci: await openEngine({ ...values, store }, this.#options),
        folder,
      };
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  async close(): Promise<void> {
    const opened = await this.#loci?.catch(() => null);
    await opened?.close();
    const temporary = await this.#temporary?.catch(() => null);
    if (!temporary) return;
    await temporary.loci.close();
    await rm(temporary.folder, { recursive: true, force: true });
  }
}

interface SharedEngineOptions extends Pick<ContextOptions, 'keptSettings'>, OpenOptions {
  /** That of the settings. */
  readonly file: string;
}

interface TemporaryEngine {
  readonly loci: EngineContext;
  /** The folder of its store. */
  readonly folder: string;
}
