import type { EmbeddingSettings } from '../config/embedding-schema.ts';
import { LociError } from '../core/errors.ts';
import type { Embedder } from './embedder.ts';
import type * as httpProviders from './http-providers.ts';
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

const overHttp =
  (name: keyof typeof httpProviders): Open =>
  async (config) =>
    remote((await import('./http-providers.ts'))[name], config);

/** The only place that names the providers. A provider is loaded when it is opened. */
const PROVIDERS: Readonly<Record<EmbeddingSettings['provider'], Open>> = {
  local: async ({ threads, revectorize = false, separateProcess = false }) =>
    (await import('./local/local.ts')).createLocalEmbedder({
      ...(threads && { threads }),
      revectorize,
      separateProcess,
    }),
  ollama: overHttp('ollama'),
  openai: overHttp('openai'),
  'openai-compatible': overHttp('openaiCompatible'),
  voyage: overHttp('voyage'),
  gemini: overHttp('gemini'),
  command: async (config) => remote((await import('./command/command.ts')).command, config),
  none: () => Promise.resolve(null),
};

/** Tokens are counted with the vocabulary of the bundled model, which is close to that of others and always there. */
async function remote(provider: Provider, config: EmbeddingConfig): Promise<Embedder> {
  const [{ RemoteEmbedder }, { createLocalEmbedder }] = await Promise.all([
    import('./remote.ts'),
    import('./local/local.ts'),
  ]);
  const local = createLocalEmbedder({ threads: 1 });
  return new RemoteEmbedder(provider, config, (text) => local.countTokens(text));
}

/**
 * Opens the configured provider. Returns `null` for `none`: search then uses text, spelling and recency alone.
 * @throws LociError `invalid_config` for settings that are missing or wrong
 */
export async function openEmbedder(config: EmbeddingConfig): Promise<Embedder | null> {
  const { provider } = config;
  if (Object.hasOwn(PROVIDERS, provider)) return PROVIDERS[provider as keyof typeof PROVIDERS](config);
  const names = Object.keys(PROVIDERS).join(', ');
  throw new LociError('invalid_config', `Unknown embedding provider '${provider}'. Use one of: ${names}.`);
}
