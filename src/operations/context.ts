import { configHome, loadConfig } from '../core/config/load.ts';
import type { Progress } from '../engine/index-vaults.ts';
import type { Loci } from '../engine/open.ts';
import type { OperationContext } from './operation.ts';

export interface ContextOptions {
  /** Else `LOCI_HOME`, else `~/.loci`. */
  readonly home?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly surface: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

/** A context whose engine ends with it. */
export interface OpenContext extends OperationContext {
  close(): Promise<void>;
}

/** Opens nothing yet. */
export function openContext(options: ContextOptions): OpenContext {
  const env = options.env ?? process.env;
  const home = configHome({ env, ...(options.home === undefined ? {} : { home: options.home }) });
  const load = () => loadConfig({ home, env });
  const open = async (create: boolean): Promise<Loci> => {
    const { values } = await load();
    const { openLoci } = await import('../engine/open.ts');
    return openLoci(values, { create });
  };
  let loci: Promise<Loci> | null = null;
  return {
    home,
    env,
    surface: options.surface,
    signal: options.signal ?? new AbortController().signal,
    onProgress: options.onProgress ?? (() => undefined),
    loadConfig: load,
    loci: ({ create = false } = {}) => {
      loci ??= open(create).catch((error: unknown) => {
        // What is wrong now may be put right before the next call.
        loci = null;
        throw error;
      });
      return loci;
    },
    close: async () => {
      const opened = await loci?.catch(() => null);
      await opened?.close();
    },
  };
}
