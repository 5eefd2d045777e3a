import type { RerankSettings } from '../../config/embedding-schema.ts';
import type { Reranker } from './reranker.ts';

/**
 * Opens the configured reranker; `null` for `none`.
 * @param quotesProvider Errors quote what the provider says, because no text that it is sent is a secret.
 * @throws LociError `invalid_config`
 */
export async function openReranker(
  settings: RerankSettings,
  quotesProvider = false,
): Promise<Reranker | null> {
  if (settings.provider === 'none') return null;
  const { RemoteReranker } = await import('./reranker.ts');
  return new RemoteReranker(settings.provider, settings, quotesProvider);
}
