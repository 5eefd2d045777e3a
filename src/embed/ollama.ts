import { z } from 'zod';
import { HttpClient } from './http/http.ts';
import { ProviderError } from './http/provider-error.ts';
import type { Provider } from './provider.ts';

const answer = z.object({ embeddings: z.array(z.array(z.unknown())) });

/** Ollama's `POST /api/embed`: https://docs.ollama.com/api/embed */
export const ollama: Provider = {
  name: 'ollama',
  defaultModel: 'nomic-embed-text',
  batch: { items: 64, tokens: 16_384 },
  concurrency: 2,
  open: (settings) => {
    const client = new HttpClient(settings, {
      url: 'http://localhost:11434',
      // Ollama's own cloud asks for one.
      keyVariable: 'OLLAMA_API_KEY',
      needsKey: false,
      headers: (key) => (key === '' ? {} : { authorization: `Bearer ${key}` }),
      isTooLarge: (message) => /exceeds? the (maximum )?context length|input length/i.test(message),
    });
    return {
      close: () => client.close(),
      send: async (texts, _purpose, options) => {
        const body = {
          model: settings.model,
          input: texts,
          truncate: false,
          ...(settings.dimensions !== null && { dimensions: settings.dimensions }),
        };
        const parsed = answer.safeParse(await client.post('api/embed', body, options));
        if (!parsed.success) throw new ProviderError('refused', 'the answer of Ollama has no `embeddings`');
        return parsed.data.embeddings;
      },
    };
  },
};
