/** The providers that are reached by HTTP: what each one is sent, and where its answer has the vectors. */

import { endianness } from 'node:os';
import { z } from 'zod';
import type { EmbeddingPurpose } from './embedder.ts';
import { HttpClient, type HttpOptions } from './http/http.ts';
import { ProviderError } from './http/provider-error.ts';
import type { Provider, WireSettings } from './provider.ts';

/** A kind of provider. Text by text, its answer has vectors in an order of its own. */
interface HttpProvider extends Omit<Provider, 'open'> {
  readonly http: HttpOptions;
  /** Below its address. */
  readonly path: (model: string) => string;
  readonly body: (texts: readonly string[], purpose: EmbeddingPurpose, settings: WireSettings) => object;
  /** The vectors of an answer in the order of the texts. @throws ProviderError; ZodError if it has another form */
  readonly vectorsOf: (answer: unknown, count: number, model: string) => readonly ArrayLike<unknown>[];
  /** The field that an answer must have. */
  readonly field: string;
}

function overHttp({ http, path, body, vectorsOf, field, ...provider }: HttpProvider): Provider {
  return {
    ...provider,
    open: (settings) => {
      const client = new HttpClient(settings, http);
      return {
        close: () => client.close(),
        send: async (texts, purpose, options) => {
          const answer = await client.post(path(settings.model), body(texts, purpose, settings), options);
          try {
            return vectorsOf(answer, texts.length, settings.model);
          } catch (error) {
            if (!(error instanceof z.ZodError)) throw error;
            throw new ProviderError('refused', `the answer of ${provider.name} has no \`${field}\``);
          }
        },
      };
    },
  };
}

const vector = z.array(z.unknown());
const ollamaAnswer = z.object({ embeddings: z.array(vector) });

/** Ollama's `POST /api/embed`: https://docs.ollama.com/api/embed */
export const ollama = overHttp({
  name: 'ollama',
  defaultModel: 'nomic-embed-text',
  batch: { items: 64, tokens: 16_384 },
  concurrency: 2,
  http: {
    url: 'http://localhost:11434',
    // Ollama's own cloud asks for one.
    keyVariable: 'OLLAMA_API_KEY',
    needsKey: false,
    isTooLarge: /exceeds? the (maximum )?context length|input length/i,
  },
  path: () => 'api/embed',
  body: (texts, _purpose, { model, dimensions }) => ({
    ...{ model, input: texts, truncate: false },
    ...(dimensions !== null && { dimensions }),
  }),
  vectorsOf: (answer) => ollamaAnswer.parse(answer).embeddings,
  field: 'embeddings',
});

const openaiAnswer = z.object({
  data: z.array(z.object({ index: z.number().int(), embedding: z.union([vector, z.string()]) })),
});

/** What OpenAI and the servers of its form have in common; numbers in base64 take a third of the bytes. */
function openaiForm(
  encoding: 'base64' | 'float',
): Pick<HttpProvider, 'body' | 'field' | 'path' | 'vectorsOf'> {
  return {
    path: () => 'embeddings',
    body: (texts, _purpose, { model, dimensions }) => ({
      ...{ model, input: texts, encoding_format: encoding },
      ...(dimensions !== null && { dimensions }),
    }),
    vectorsOf: (answer, count, model) =>
      inOrderOfTexts(openaiAnswer.parse(answer).data, count, model).map((embedding) =>
        typeof embedding === 'string' ? decode(embedding) : embedding,
      ),
    field: 'data',
  };
}

/** What OpenAI, vLLM, llama.cpp and Text Embeddings Inference say of a text, or of all together, that is too long. */
const TOO_LARGE =
  /maximum context length|tokens? per request|available context size|too (long|large|many)|must have less than|batch size|maximum array length/i;

/** OpenAI's `POST /embeddings`: https://platform.openai.com/docs/api-reference/embeddings/create */
export const openai = overHttp({
  name: 'openai',
  defaultModel: 'text-embedding-3-small',
  // 2048 texts and 300,000 tokens are the maximum.
  batch: { items: 256, tokens: 100_000 },
  concurrency: 6,
  http: {
    url: 'https://api.openai.com/v1',
    keyVariable: 'OPENAI_API_KEY',
    needsKey: true,
    isTooLarge: TOO_LARGE,
  },
  ...openaiForm('base64'),
});

/** Any server with the same form: vLLM, llama.cpp, Text Embeddings Inference, LM Studio, LocalAI, Mistral, Together … */
export const openaiCompatible = overHttp({
  name: 'openai-compatible',
  batch: { items: 32, tokens: 8192 },
  concurrency: 4,
  http: { needsKey: false, isTooLarge: TOO_LARGE },
  ...openaiForm('float'),
});

/** Voyage's `POST /embeddings`: https://docs.voyageai.com/reference/embeddings-api and https://docs.voyageai.com/docs/error-codes */
export const voyage = overHttp({
  name: 'voyage',
  defaultModel: 'voyage-3.5',
  // 1000 texts and, for the model with the lowest limit, 120,000 tokens are the maximum.
  batch: { items: 128, tokens: 60_000 },
  concurrency: 4,
  http: {
    url: 'https://api.voyageai.com/v1',
    keyVariable: 'VOYAGE_API_KEY',
    needsKey: true,
    isTooLarge: /batch size|max allowed tokens|too many tokens|context (window|length)/i,
  },
  path: () => 'embeddings',
  body: (texts, purpose, { model, dimensions }) => ({
    ...{ model, input: texts, input_type: purpose === 'query' ? 'query' : 'document', truncation: false },
    ...(dimensions !== null && { output_dimension: dimensions }),
  }),
  vectorsOf: openaiForm('float').vectorsOf,
  field: 'data',
});

const geminiAnswer = z.object({ embeddings: z.array(z.object({ values: vector })) });

/** The error details of Google's APIs: https://cloud.google.com/apis/design/errors */
const googleRefusal = z.object({
  error: z.object({ details: z.array(z.looseObject({ retryDelay: z.string().optional() })) }),
});

const geminiModel = (model: string): string => (model.startsWith('models/') ? model : `models/${model}`);

/** Google's `models.batchEmbedContents`: https://ai.google.dev/api/embeddings */
export const gemini = overHttp({
  name: 'gemini',
  defaultModel: 'gemini-embedding-001',
  // 100 texts are the maximum.
  batch: { items: 100, tokens: 20_000 },
  concurrency: 2,
  http: {
    url: 'https://generativelanguage.googleapis.com/v1beta',
    keyVariable: 'GEMINI_API_KEY',
    needsKey: true,
    headers: (key) => ({ 'x-goog-api-key': key }),
    isTooLarge: /at most \d+ requests|payload size|token (count|limit)|too (long|large|many)/i,
    retryAfter: googleRetryDelay,
  },
  path: (model) => `${geminiModel(model)}:batchEmbedContents`,
  body: (texts, purpose, { model, dimensions }) => ({
    requests: texts.map((text) => ({
      model: geminiModel(model),
      content: { parts: [{ text }] },
      taskType: purpose === 'query' ? 'RETRIEVAL_QUERY' : 'RETRIEVAL_DOCUMENT',
      ...(dimensions !== null && { outputDimensionality: dimensions }),
    })),
  }),
  vectorsOf: (answer) => geminiAnswer.parse(answer).embeddings.map(({ values }) => values),
  field: 'embeddings',
});

/** `RetryInfo` has a duration such as `21s` or `0.5s`. In milliseconds. */
function googleRetryDelay(body: unknown): number | null {
  const parsed = googleRefusal.safeParse(body);
  const found = parsed.data?.error.details.find(({ retryDelay }) => retryDelay !== undefined);
  const seconds = Number(found?.retryDelay?.replace(/s$/, '') ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds * 1000 : null;
}

/**
 * The vectors of an answer by the indexes of their texts. Another number of vectors than of texts is left to the caller.
 * @throws ProviderError unless each index is of a text, and of another one
 */
function inOrderOfTexts<Vector>(
  entries: readonly { readonly index: number; readonly embedding: Vector }[],
  count: number,
  name: string,
): Vector[] {
  const sorted = entries.toSorted((a, b) => a.index - b.index);
  if (entries.length === count && sorted.some(({ index }, i) => index !== i))
    throw new ProviderError(
      'refused',
      `${name} returned vectors whose \`index\` is not that of each text once`,
    );
  return sorted.map(({ embedding }) => embedding);
}

/** The vector as 32-bit floats, little-endian. */
function decode(base64: string): Float32Array {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length % 4 !== 0) throw new ProviderError('refused', 'an embedding in base64 is incomplete');
  if (endianness() === 'BE') bytes.swap32();
  // The bytes of a Buffer may be anywhere in a larger block of memory; those of a copy are aligned.
  return new Float32Array(Uint8Array.from(bytes).buffer);
}
