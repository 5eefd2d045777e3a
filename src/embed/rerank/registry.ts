import type { RerankSettings } from '../../config/embedding-schema.ts';
import type { EmbeddingConfig } from '../registry.ts';
import type { Reranker, RerankProvider } from './reranker.ts';

type Name = Exclude<RerankSettings['provider'], 'none'>;

/** The only place that names the rerankers. One is loaded when it is opened. */
const PROVIDERS: Readonly<Record<Name, () => Promise<RerankProvider>>> = {
  voyage: async () => (await import('./voyage.ts')).voyage,
  cohere: async () => (await import('./cohere.ts')).cohere,
  jina: async () => (await import('./jina.ts')).jina,
  server: async () => (await import('./server.ts')).server,
};

/** Opens the configured reranker; `null` for `none`. @throws LociError `invalid_config` */
export async function openReranker(
  settings: RerankSettings,
  { quotesProvider = false }: Pick<EmbeddingConfig, 'quotesProvider'> = {},
): Promise<Reranker | null> {
  const { provider, model, url, apiKey, deadline: deadlineMs, allowLinkLocal } = settings;
  if (provider === 'none') return null;
  const { openRemoteReranker } = await import('./reranker.ts');
  return openRemoteReranker(await PROVIDERS[provider](), {
    model,
    url,
    apiKey,
    deadlineMs,
    allowLinkLocal,
    quotesProvider,
  });
}
