import { endianness } from 'node:os';
import { z } from 'zod';
import { HttpClient } from './http/http.ts';
import { ProviderError } from './http/provider-error.ts';
import { inOrderOfTexts, type Provider, type Wire, type WireSettings } from './provider.ts';

const answer = z.object({
  data: z.array(
    z.object({ index: z.number().int(), embedding: z.union([z.array(z.unknown()), z.string()]) }),
  ),
});

interface Variant {
  readonly url?: string;
  readonly keyVariable?: string;
  readonly needsKey: boolean;
  readonly encoding: 'base64' | 'float';
}

/** OpenAI's `POST /embeddings`: https://platform.openai.com/docs/api-reference/embeddings/create */
export const openai: Provider = {
  name: 'openai',
  defaultModel: 'text-embedding-3-small',
  // 2048 texts and 300,000 tokens are the maximum.
  batch: { items: 256, tokens: 100_000 },
  concurrency: 6,
  open: (settings) =>
    openVariant(settings, {
      ...{ url: 'https://api.openai.com/v1', keyVariable: 'OPENAI_API_KEY', needsKey: true },
      // A third of the size of numbers in decimal.
      encoding: 'base64',
    }),
};

/** Any server with the same form: vLLM, llama.cpp, Text Embeddings Inference, LM Studio, LocalAI, Mistral, Together … */
export const openaiCompatible: Provider = {
  name: 'openai-compatible',
  batch: { items: 32, tokens: 8192 },
  concurrency: 4,
  open: (settings) => openVariant(settings, { needsKey: false, encoding: 'float' }),
};

/** What OpenAI, vLLM, llama.cpp and Text Embeddings Inference say of a text, or of all together, that is too long. */
const TOO_LARGE =
  /maximum context length|tokens? per request|available context size|too (long|large|many)|must have less than|batch size|maximum array length/i;

function openVariant(settings: WireSettings, { encoding, ...variant }: Variant): Wire {
  const client = new HttpClient(settings, {
    ...variant,
    headers: (key) => (key === '' ? {} : { authorization: `Bearer ${key}` }),
    isTooLarge: (message) => TOO_LARGE.test(message),
  });
  return {
    close: () => client.close(),
    send: async (texts, _purpose, options) => {
      const body = {
        model: settings.model,
        input: texts,
        encoding_format: encoding,
        ...(settings.dimensions !== null && { dimensions: settings.dimensions }),
      };
      const parsed = answer.safeParse(await client.post('embeddings', body, options));
      if (!parsed.success) throw new ProviderError('refused', 'the answer has no `data` with embeddings');
      return inOrderOfTexts(parsed.data.data, texts.length, settings.model).map((embedding) =>
        typeof embedding === 'string' ? decode(embedding) : embedding,
      );
    },
  };
}

/** The vector as 32-bit floats, little-endian. */
function decode(base64: string): Float32Array {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length % 4 !== 0) throw new ProviderError('refused', 'an embedding in base64 is incomplete');
  if (endianness() === 'BE') bytes.swap32();
  // The bytes of a Buffer may be anywhere in a larger block of memory; those of a copy are aligned.
  return new Float32Array(Uint8Array.from(bytes).buffer);
}
