import { judgementsOf } from './judgements.ts';
import type { RerankProvider } from './reranker.ts';

/** Cohere's `POST /v2/rerank`: https://docs.cohere.com/reference/rerank */
export const cohere: RerankProvider = {
  name: 'cohere',
  defaultModel: 'rerank-v3.5',
  http: {
    url: 'https://api.cohere.com/v2',
    keyVariable: 'COHERE_API_KEY',
    needsKey: true,
    headers: (key) => ({ authorization: `Bearer ${key}` }),
    isTooLarge: () => false,
  },
  send: async (client, { model, query, texts }, options) =>
    judgementsOf(
      await client.post('rerank', { model, query, documents: texts }, options),
      'results',
      'Cohere',
    ),
};
