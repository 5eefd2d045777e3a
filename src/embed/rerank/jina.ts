import { judgementsOf } from './judgements.ts';
import type { RerankProvider } from './reranker.ts';

/** Jina's `POST /v1/rerank`: https://jina.ai/reranker */
export const jina: RerankProvider = {
  name: 'jina',
  defaultModel: 'jina-reranker-v2-base-multilingual',
  http: {
    url: 'https://api.jina.ai/v1',
    keyVariable: 'JINA_API_KEY',
    needsKey: true,
    headers: (key) => ({ authorization: `Bearer ${key}` }),
    isTooLarge: () => false,
  },
  send: async (client, { model, query, texts }, options) => {
    const body = { model, query, documents: texts, return_documents: false };
    return judgementsOf(await client.post('rerank', body, options), 'results', 'Jina');
  },
};
