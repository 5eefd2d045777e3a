import { judgementsOf } from './judgements.ts';
import type { RerankProvider } from './reranker.ts';

/** Voyage's `POST /rerank`: https://docs.voyageai.com/reference/reranker-api */
export const voyage: RerankProvider = {
  name: 'voyage',
  defaultModel: 'rerank-2.5-lite',
  http: {
    url: 'https://api.voyageai.com/v1',
    keyVariable: 'VOYAGE_API_KEY',
    needsKey: true,
    headers: (key) => ({ authorization: `Bearer ${key}` }),
    isTooLarge: () => false,
  },
  send: async (client, { model, query, texts }, options) =>
    judgementsOf(await client.post('rerank', { model, query, documents: texts }, options), 'data', 'Voyage'),
};
