import { z } from 'zod';
import { HttpClient } from './http/http.ts';
import { ProviderError } from './http/provider-error.ts';
import { inOrderOfTexts, type Provider } from './provider.ts';

const answer = z.object({
  data: z.array(z.object({ index: z.number().int(), embedding: z.array(z.unknown()) })),
});

/** Voyage's `POST /embeddings`: https://docs.voyageai.com/reference/embeddings-api and https://docs.voyageai.com/docs/error-codes */
export const voyage: Provider = {
  name: 'voyage',
  defaultModel: 'voyage-3.5',
  // 1000 texts and, for the model with the lowest limit, 120,000 tokens are the maximum.
  batch: { items: 128, tokens: 60_000 },
  concurrency: 4,
  open: (settings) => {
    const client = new HttpClient(settings, {
      url: 'https://api.voyageai.com/v1',
      keyVariable: 'VOYAGE_API_KEY',
      needsKey: true,
      headers: (key) => ({ authorization: `Bearer ${key}` }),
      isTooLarge: (message) =>
        /batch size|max allowed tokens|too many tokens|context (window|length)/i.test(message),
    });
    return {
      close: () => client.close(),
      send: async (texts, purpose, options) => {
        const body = {
          model: settings.model,
          input: texts,
          input_type: purpose === 'query' ? 'query' : 'document',
          truncation: false,
          ...(settings.dimensions !== null && { output_dimension: settings.dimensions }),
        };
        const parsed = answer.safeParse(await client.post('embeddings', body, options));
        if (!parsed.success) throw new ProviderError('refused', 'the answer of Voyage has no `data`');
        return inOrderOfTexts(parsed.data.data, texts.length, settings.model);
      },
    };
  },
};
