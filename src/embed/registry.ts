import type { EmbeddingSettings } from '../config/embedding-schema.ts';
import { LociError, messageOf } from '../core/errors.ts';
import type { Embedder } from './embedder.ts';
import type { Provider } from './provider.ts';
import type { Trial } from './request-queue.ts';

/** The settings of `embedding`, as far as the provider needs them, and what only the program decides. */
export interface EmbeddingConfig extends Partial<Omit<EmbeddingSettings, 'provider'>> {
  readonly provider: string;
  /** Threads for indexing, of the provider `local`. */
  readonly threads?: number;
  /** Of the provider `local`: see `LocalEmbedderOptions`. */
  readonly separateProcess?: boolean;
  /** Of the others: the file in which processes share whether the provider answers. */
  readonly stateFile?: string;
  /** Of the others: accepts vectors of any length, and has their length as `dimensions` after the first. Waits for each answer. */
  readonly trial?: Trial;
  /** Of the others: errors quote what the provider says, because no text that it is sent is a secret. */
  readonly quotesProvider?: boolean;
}

type Open = (config: EmbeddingConfig) => Promise<Embedder | null>;

/** The only place that names the providers. A provider is loaded when it is opened. */
const PROVIDERS: Readonly<Record<EmbeddingSettings['provider'], Open>> = {
  local: async ({ threads, revectorize = false, separateProcess = false }) =>
    (await import('./local/local.ts')).createLocalEmbedder({
      ...(threads && { threads }),
      revectorize,
      separateProcess,
    }),
  ollama: async (config) => remote((await import('./ollama.ts')).ollama, config),
  openai: async (config) => remote((await import('./openai.ts')).openai, config),
  'openai-compatible': async (config) => remote((await import('./openai.ts')).openaiCompatible, config),
  voyage: async (config) => remote((await import('./voyage.ts')).voyage, config),
  gemini: async (config) => remote((await import('./gemini.ts')).gemini, config),
  command: async (config) => remote((await import('./command/command.ts')).command, config),
  none: () => Promise.resolve(null),
};

async function remote(provider: Provider, config: EmbeddingConfig): Promise<Embedder> {
  const [{ openRemote }, countTokens] = await Promise.all([import('./remote.ts'), tokenCounter()]);
  return openRemote(provider, config, countTokens);
}

/** Counts tokens with the vocabulary of the bundled model, which is close to that of others and always there. */
async function tokenCounter(): Promise<(text: string) => number> {
  const { createLocalEmbedder } = await import('./local/local.ts');
  const local = createLocalEmbedder({ threads: 1 });
  return (text) => local.countTokens(text);
}

/** Names of the providers, for messages. */
export const EMBEDDING_PROVIDERS: readonly string[] = Object.keys(PROVIDERS);

function isProvider(name: string): name is EmbeddingSettings['provider'] {
  return Object.hasOwn(PROVIDERS, name);
}

function isMissingPackage(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
}

/**
 * Opens the configured provider. Returns `null` for `none`: search then uses text, spelling and recency alone.
 * @throws LociError `invalid_config` for settings that are missing or wrong, `embedding_unavailable` when its package is missing
 */
export async function openEmbedder(config: EmbeddingConfig): Promise<Embedder | null> {
  const { provider } = config;
  const open = isProvider(provider) ? PROVIDERS[provider] : undefined;
  if (!open) {
    const names = EMBEDDING_PROVIDERS.join(', ');
    throw new LociError('invalid_config', `Unknown embedding provider '${provider}'. Use one of: ${names}.`);
  }
  try {
    return await open(config);
  } catch (error) {
    if (!isMissingPackage(error)) throw error;
    throw new LociError(
      'embedding_unavailable',
      `A package of the provider '${provider}' is missing: ${messageOf(error)}`,
      {
        hint: 'Run `npm install` again where Loci is installed.',
        cause: error,
      },
    );
  }
}
