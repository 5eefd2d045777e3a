import type { Caller } from '../core/caller.ts';
import { LociError } from '../core/errors.ts';
import { configHome, loadConfig, type LoadedConfig } from '../config/load.ts';
import { userName } from '../core/runtime.ts';
import type { Progress } from '../core/progress.ts';
import type { Loci } from '../engine/open.ts';
import type { LocalIo, OperationContext } from './operation.ts';

export interface ContextOptions {
  /** Else `LOCI_HOME`, else `~/.loci`. */
  readonly home?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Who asks, as far as it is not the owner of the configured namespace. */
  readonly caller: Pick<Caller, 'surface' | 'trust'> & Partial<Caller>;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** For calls of the operator's own, made here; a call on behalf of somebody else never has it. */
  readonly machine?: LocalIo;
}

/** What one call may say otherwise. */
export type CallOptions = Partial<Pick<ContextOptions, 'caller' | 'signal' | 'onProgress'>>;

/** A context whose engine ends with it. */
export interface OpenContext extends OperationContext {
  /** The same engine for one call: on behalf of somebody else, with a signal and a progress of its own. */
  forCall(options: CallOptions): OperationContext;
  close(): Promise<void>;
}

/** Opens nothing yet. */
export function createContext(options: ContextOptions): OpenContext {
  const env = options.env ?? process.env;
  const home = configHome({ env, ...(options.home === undefined ? {} : { home: options.home }) });
  const engine = new SharedEngine(() => loadConfig({ home, env }));
  const actor = userName();
  const forCall = (call: CallOptions): OperationContext => {
    const caller = call.caller ?? options.caller;
    return {
      home,
      env,
      signal: call.signal ?? options.signal ?? new AbortController().signal,
      onProgress: call.onProgress ?? options.onProgress ?? (() => undefined),
      ...(call.caller === undefined && options.machine !== undefined && { machine: options.machine }),
      loadConfig: engine.loadConfig,
      loci: async ({ create = false } = {}) => {
        const opened = await engine.open(create);
        return opened.as({ ...opened.caller, actor, ...caller });
      },
    };
  };
  return { ...forCall({}), forCall, close: () => engine.close() };
}

/** Opened once, for all calls. */
class SharedEngine {
  readonly loadConfig: () => Promise<LoadedConfig>;
  #loci: Promise<Loci> | null = null;

  constructor(load: () => Promise<LoadedConfig>) {
    this.loadConfig = load;
  }

  async open(create: boolean): Promise<Loci> {
    const joined = this.#loci !== null;
    this.#loci ??= this.#load(create).catch((error: unknown) => {
      // What is wrong now may be put right before the next call.
      this.#loci = null;
      throw error;
    });
    try {
      return await this.#loci;
    } catch (error) {
      // Another call looked for a store that this one may make.
      const missing = error instanceof LociError && error.code === 'store_not_found';
      if (create && joined && missing) return this.open(true);
      throw error;
    }
  }

  async #load(create: boolean): Promise<Loci> {
    const { values } = await this.loadConfig();
    const { openLoci } = await import('../engine/open.ts');
    return openLoci(values, { create });
  }

  async close(): Promise<void> {
    const opened = await this.#loci?.catch(() => null);
    await opened?.close();
  }
}
