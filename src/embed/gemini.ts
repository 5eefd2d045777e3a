import { z } from 'zod';
import { HttpClient } from './http/http.ts';
import { ProviderError } from './http/provider-error.ts';
import type { Provider } from './provider.ts';

const answer = z.object({ embeddings: z.array(z.object({ values: z.array(z.unknown()) })) });

/** The error details of Google's APIs: https://cloud.google.com/apis/design/errors */
const refusal = z.object({
  error: z.object({ details: z.array(z.looseObject({ retryDelay: z.string().optional() })) }),
});

/** Google's `models.batchEmbedContents`: https://ai.google.dev/api/embeddings */
export const gemini: Provider = {
  name: 'gemini',
  defaultModel: 'gemini-embedding-001',
  // 100 texts are the maximum.
  batch: { items: 100, tokens: 20_000 },
  concurrency: 2,
  open: (settings) => {
    const client = new HttpClient(settings, {
      url: 'https://generativelanguage.googleapis.com/v1beta',
      keyVariable: 'GEMINI_API_KEY',
      needsKey: true,
      headers: (key) => ({ 'x-goog-api-key': key }),
      isTooLarge: (message) =>
        /at most \d+ requests|payload size|token (count|limit)|too (long|large|many)/i.test(message),
      retryAfter,
    });
    const model = settings.model.startsWith('models/') ? settings.model : `models/${settings.model}`;
    return {
      close: () => client.close(),
      send: async (texts, purpose, options) => {
        const requests = texts.map((text) => ({
          model,
          content: { parts: [{ text }] },
          taskType: purpose === 'query' ? 'RETRIEVAL_QUERY' : 'RETRIEVAL_DOCUMENT',
          ...(settings.dimensions !== null && { outputDimensionality: settings.dimensions }),
        }));
        const parsed = answer.safeParse(
          await client.post(`${model}:batchEmbedContents`, { requests }, options),
        );
        if (!parsed.success) throw new ProviderError('refused', 'the answer of Gemini has no `embeddings`');
        return parsed.data.embeddings.map(({ values }) => values);
      },
    };
  },
};

/** `RetryInfo` has a duration such as `21s` or `0.5s`. In milliseconds. */
function retryAfter(body: unknown): number | null {
  const parsed = refusal.safeParse(body);
  const found = parsed.data?.error.details.find(({ retryDelay }) => retryDelay !== undefined);
  const seconds = Number(found?.retryDelay?.replace(/s$/, '') ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds * 1000 : null;
}
