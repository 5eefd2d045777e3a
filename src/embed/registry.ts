import type { EmbeddingSettings } from '../config/embedding-schema.ts';
import { LociError } from '../core/errors.ts';
import type { Embedder } from './embedder.ts';
import type * as httpProviders from './http-providers.ts';
import type { EmbeddingConfig, Provider } from './provider.ts';

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
