import type { LiveSettings } from './live-settings.ts';
import type { SettingsPlaces } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { assertSupportedNode } from '../core/runtime.ts';
import type { Timestamp } from '../core/types.ts';
import { openStore } from '../store/registry.ts';
import { ADMIN_NAMESPACE } from '../store/rules/admin-namespace.ts';
import { EngineContext } from './context.ts';

export interface OpenOptions {
  /** Creates the store if it does not exist. Default true. */
  readonly create?: boolean;
  /** The current time; for tests. */
  readonly now?: () => Timestamp;
  /** The longest passage, in tokens of the embedding model; for tests. */
  readonly maxPassageTokens?: number;
  /**
   * Lets the sources of `config` run without `loci sources approve`, for a host that wrote these settings itself. Sources
   * of skills still need approval.
   */
  readonly trustsSettings?: boolean;
  /** Whether nothing but Loci runs in this process, so that it may set options of V8. Default false. */
  readonly ownsProcess?: boolean;
  /** Whether calls of the store may block the caller, so that a program that makes a few and ends starts faster. Default false. */
  readonly inlineStore?: boolean;
  readonly settingsPlaces?: SettingsPlaces;
  /** Replaces the settings while the engine is open. */
  readonly liveSettings?: LiveSettings;
  /** Receives messages about errors that fail no call. By default a warning of the process. */
  readonly onWarning?: (message: string) => void;
}

/**
 * Opens the store that the configuration names. The embedding model starts at its first use.
 * @throws LociError `unsupported_runtime`, `store_not_found`, `store_newer`, `store_corrupt`, `unreadable`
 */
export async function openEngine(config: Config, options: OpenOptions = {}): Promise<EngineContext> {
  assertSupportedNode();
  const store = await openStore(config.store, {
    create: options.create ?? true,
    inline: options.inlineStore ?? false,
  });
  // The engine opens nevertheless, so that `loci doctor` can say what is broken.
  const generations = await store.vectors.generations(ADMIN_NAMESPACE).catch((error: unknown) => ({ error }));
  const found = 'error' in generations ? [] : generations;
  const active = found.find((generation) => generation.active)?.id ?? null;
  const context = EngineContext.create(config, store, {
    ...options,
    activeGeneration: active,
    updateRelations: async (context, progress) =>
      (await import('./graph/update-relations.ts')).updateRelations(context, progress),
  });
  if ('error' in generations) context.warnOfFailure('The vectors cannot be read', generations.error);
  return context;
}
