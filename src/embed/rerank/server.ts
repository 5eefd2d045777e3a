import { z } from 'zod';
import type { HttpClient } from '../http/http.ts';
import { ProviderError, type WireOptions } from '../http/provider-error.ts';
import { judgementsOf } from './judgements.ts';
import type { Judgement, RerankProvider, RerankRequest } from './reranker.ts';

const teiAnswer = z.array(z.object({ index: z.number().int().nonnegative(), score: z.number() }));

/** The clients of servers that refused `documents`: they are of the form of TEI. */
const teiClients = new WeakSet<HttpClient>();

/**
 * Any server with `POST /rerank`: vLLM (https://docs.vllm.ai/en/stable/serving/openai_compatible_server.html) and llama.cpp
 * (https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md) take `documents`; Text Embeddings Inference takes
 * `texts` (https://huggingface.github.io/text-embeddings-inference/), and refuses a request without them.
 */
export const server: RerankProvider = {
  name: 'server',
  // vLLM returns the documents.
  returnsTexts: true,
  http: {
    needsKey: false,
    headers: (key): Readonly<Record<string, string>> =>
      key === '' ? {} : { authorization: `Bearer ${key}` },
    isTooLarge: () => false,
  },
  send: async (client, request, options) => {
    if (teiClients.has(client)) return sendTei(client, request, options);
    const { model, query, texts } = request;
    const body = { ...(model !== '' && { model }), query, documents: texts };
    const started = performance.now();
    try {
      return judgementsOf(await client.post('rerank', body, options), 'results', 'the server');
    } catch (error) {
      if (!(error instanceof ProviderError) || error.kind !== 'refused' || !error.mayBeOneText) throw error;
      const timeoutMs = Math.max(1, options.timeoutMs - (performance.now() - started));
      const judgements = await sendTei(client, request, { ...options, timeoutMs }).catch(
        (second: unknown) => {
          throw second instanceof ProviderError && second.kind === 'refused' ? error : second;
        },
      );
      teiClients.add(client);
      return judgements;
    }
  },
};

async function sendTei(
  client: HttpClient,
  { query, texts }: RerankRequest,
  options: WireOptions,
): Promise<readonly Judgement[]> {
  const parsed = teiAnswer.safeParse(await client.post('rerank', { query, texts }, options));
  if (!parsed.success) throw new ProviderError('refused', 'the answer of the server has no `score`');
  return parsed.data;
}
