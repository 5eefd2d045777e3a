import type { RerankSettings } from '../../config/embedding-schema.ts';

/** Judges texts by what a query asks for. */
export interface Reranker {
  readonly provider: string;
  readonly model: string;
  /** Where queries and texts are sent. */
  readonly origin: string;
  /** How long a search waits for it, in milliseconds. */
  readonly deadlineMs: number;
  /**
   * A score for each text, in their order; only their order means something.
   * @throws LociError `embedding_unavailable` if it does not answer in time, or did not lately; `aborted`
   */
  rerank(query: string, texts: readonly string[], signal?: AbortSignal): Promise<readonly number[]>;
  close(): Promise<void>;
}

export type RerankerName = Exclude<RerankSettings['provider'], 'none'>;

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
  const { RemoteReranker } = await import('./remote-reranker.ts');
  return new RemoteReranker(settings.provider, settings, quotesProvider);
}
