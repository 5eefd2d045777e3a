import { LociError, messageOf } from '../core/errors.ts';
import type { Embedder } from './embedder.ts';

interface EmbeddingConfig {
  readonly provider: string;
  /** Threads for indexing, of the provider `local`. */
  readonly threads?: number;
  /** Of the provider `local`: see `LocalEmbedderOptions`. */
  readonly revectorize?: boolean;
  /** Of the provider `local`: see `LocalEmbedderOptions`. */
  readonly separateProcess?: boolean;
}

type Open = (config: EmbeddingConfig) => Promise<Embedder | null>;

/** The only place that names the providers. A provider is loaded when it is opened. */
const PROVIDERS: Readonly<Record<string, Open>> = {
  local: async ({ threads, revectorize = false, separateProcess = false }) =>
    (await import('./local/local.ts')).createLocalEmbedder({
      ...(threads && { threads }),
      revectorize,
      separateProcess,
    }),
  none: () => Promise.resolve(null),
};

/** Names of the providers, for checking the settings and for messages. */
export const EMBEDDING_PROVIDERS: readonly string[] = Object.keys(PROVIDERS);

function isMissingPackage(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
}

/**
 * Opens the configured provider. Returns `null` for `none`: search then uses text, spelling and recency alone.
 * @throws LociError `invalid_config` for an unknown name, `embedding_unavailable` when its package is missing.
 */
export async function openEmbedder(config: EmbeddingConfig): Promise<Embedder | null> {
  const open = Object.hasOwn(PROVIDERS, config.provider) ? PROVIDERS[config.provider] : undefined;
  if (!open) {
    const names = EMBEDDING_PROVIDERS.join(', ');
    throw new LociError(
      'invalid_config',
      `Unknown embedding provider '${config.provider}'. Use one of: ${names}.`,
    );
  }
  try {
    return await open(config);
  } catch (error) {
    if (!isMissingPackage(error)) throw error;
    throw new LociError(
      'embedding_unavailable',
      `A package of the provider '${config.provider}' is missing: ${messageOf(error)}`,
      {
        hint: 'Run `npm install` again where Loci is installed.',
        cause: error,
      },
    );
  }
}
