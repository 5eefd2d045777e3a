import { performance } from 'node:perf_hooks';
import { z } from 'zod';
import type { RerankSettings } from '../../config/embedding-schema.ts';
import { Availability } from '../http/availability.ts';
import { HttpClient, type HttpOptions } from '../http/http.ts';
import { ProviderError, type WireOptions } from '../http/provider-error.ts';

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

type RerankerName = Exclude<RerankSettings['provider'], 'none'>;

/** A text of the request, by its index, and its score. */
interface Judgement {
  readonly index: number;
  readonly score: number;
}

interface RerankRequest {
  /** Empty if the settings name none. */
  readonly model: string;
  readonly query: string;
  readonly texts: readonly string[];
}

interface RerankProvider {
  /** Without it, the settings may name a model, and the server uses its own otherwise. */
  readonly defaultModel?: string;
  readonly http: HttpOptions;
  /** Whether answers may have the texts too. */
  readonly returnsTexts?: true;
  /** Translates to the wire format and back. @throws ProviderError; LociError `aborted` */
  send(client: HttpClient, request: RerankRequest, options: WireOptions): Promise<readonly Judgement[]>;
}

/** A provider that answers with a list of `index` and `relevance_score`. @param field the field of the answer that has the list */
function judging(name: string, field: 'data' | 'results', more: object = {}): Pick<RerankProvider, 'send'> {
  const answer = z.object({
    [field]: z.array(z.object({ index: z.number().int().nonnegative(), relevance_score: z.number() })),
  });
  return {
    send: async (client, { model, query, texts }, options) => {
      const body = { ...(model !== '' && { model }), query, documents: texts, ...more };
      const parsed = answer.safeParse(await client.post('rerank', body, options));
      if (!parsed.success) throw new ProviderError('refused', `the answer of ${name} has no \`${field}\``);
      return parsed.data[field]!.map(({ index, relevance_score: score }) => ({ index, score }));
    },
  };
}

const teiAnswer = z.array(z.object({ index: z.number().int().nonnegative(), score: z.number() }));

/** The clients of servers that refused `documents`: they are of the form of Text Embeddings Inference. */
const teiClients = new WeakSet<HttpClient>();

async function sendTei(
  client: HttpClient,
  { query, texts }: RerankRequest,
  options: WireOptions,
): Promise<readonly Judgement[]> {
  const parsed = teiAnswer.safeParse(await client.post('rerank', { query, texts }, options));
  if (!parsed.success) throw new ProviderError('refused', 'the answer of the server has no `score`');
  return parsed.data;
}

async function sendToServer(
  client: HttpClient,
  request: RerankRequest,
  options: WireOptions,
): Promise<readonly Judgement[]> {
  if (teiClients.has(client)) return sendTei(client, request, options);
  const started = performance.now();
  try {
    return await judging('the server', 'results').send(client, request, options);
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== 'refused' || !error.mayBeOneText) throw error;
    const timeoutMs = Math.max(1, options.timeoutMs - (performance.now() - started));
    const judgements = await sendTei(client, request, { ...options, timeoutMs }).catch((second: unknown) => {
      throw second instanceof ProviderError && second.kind === 'refused' ? error : second;
    });
    teiClients.add(client);
    return judgements;
  }
}

const PROVIDERS: Readonly<Record<RerankerName, RerankProvider>> = {
  /** `POST /rerank`: https://docs.voyageai.com/reference/reranker-api */
  voyage: {
    defaultModel: 'rerank-2.5-lite',
    http: { url: 'https://api.voyageai.com/v1', keyVariable: 'VOYAGE_API_KEY', needsKey: true },
    ...judging('Voyage', 'data'),
  },
  /** `POST /v2/rerank`: https://docs.cohere.com/reference/rerank */
  cohere: {
    defaultModel: 'rerank-v3.5',
    http: { url: 'https://api.cohere.com/v2', keyVariable: 'COHERE_API_KEY', needsKey: true },
    ...judging('Cohere', 'results'),
  },
  /** `POST /v1/rerank`: https://jina.ai/reranker */
  jina: {
    defaultModel: 'jina-reranker-v2-base-multilingual',
    http: { url: 'https://api.jina.ai/v1', keyVariable: 'JINA_API_KEY', needsKey: true },
    ...judging('Jina', 'results', { return_documents: false }),
  },
  /**
   * Any server with `POST /rerank`: vLLM (https://docs.vllm.ai/en/stable/serving/openai_compatible_server.html) and llama.cpp
   * (https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md) take `documents`; Text Embeddings Inference takes
   * `texts` (https://huggingface.github.io/text-embeddings-inference/), and refuses a request without them.
   */
  server: {
    http: { needsKey: false },
    // vLLM returns the documents.
    returnsTexts: true,
    send: sendToServer,
  },
};

/** Of 50 scores. */
const MAX_SCORES_BYTES = 1_000_000;
/** Of a UTF-16 code unit as JSON: \u followed by four digits. */
const MAX_ESCAPED_BYTES = 6;
/** Searches run at once at most by an agent and a person. */
const CONCURRENCY = 4;

export class RemoteReranker implements Reranker {
  readonly provider: RerankerName;
  readonly model: string;
  readonly origin: string;
  readonly deadlineMs: number;
  readonly #client: HttpClient;
  readonly #wire: RerankProvider;
  readonly #availability: Availability;
  readonly #quotesProvider: boolean;

  /** @throws LociError `invalid_config` for settings that are missing or wrong */
  constructor(provider: RerankerName, settings: RerankSettings, quotesProvider: boolean) {
    this.provider = provider;
    const { url, apiKey, allowLinkLocal } = settings;
    this.#wire = PROVIDERS[provider];
    this.model = settings.model ?? this.#wire.defaultModel ?? '';
    this.deadlineMs = settings.deadline;
    this.#quotesProvider = quotesProvider;
    this.#client = new HttpClient(
      { url, apiKey, allowLinkLocal, concurrency: CONCURRENCY },
      { ...this.#wire.http, section: 'rerank' },
    );
    this.origin = this.#client.origin;
    this.#availability = new Availability({ provider: `${provider} ${this.model}`, file: null });
  }

  /** A provider that failed is left alone for 1 to 60 seconds, so that an outage does not cost every search the deadline. */
  async rerank(query: string, texts: readonly string[], signal?: AbortSignal): Promise<readonly number[]> {
    const { failure } = this.#availability;
    if (failure !== null && this.#availability.beginTry() === null) throw failure;
    const started = performance.now();
    const request = { model: this.model, query, texts };
    try {
      const maxAnswerBytes = maxAnswerBytesFor(this.#wire, texts);
      const options = { timeoutMs: this.deadlineMs, maxAnswerBytes, ...(signal !== undefined && { signal }) };
      const scores = scoresOf(await this.#wire.send(this.#client, request, options), texts.length);
      // To read an answer takes time too, during which no timer runs.
      if (performance.now() - started > this.deadlineMs)
        throw new ProviderError('late', `${this.origin} did not answer within ${String(this.deadlineMs)} ms`);
      this.#availability.succeeded(performance.now() - started);
      return scores;
    } catch (error) {
      if (!(error instanceof ProviderError)) {
        this.#availability.abandonTry();
        throw error;
      }
      this.#availability.failed(error.message);
      throw (this.#quotesProvider ? error.quoting() : error).toLociError();
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#client.close(), this.#availability.close()]);
  }
}

function maxAnswerBytesFor({ returnsTexts }: RerankProvider, texts: readonly string[]): number {
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  return MAX_SCORES_BYTES + (returnsTexts === true ? MAX_ESCAPED_BYTES * length : 0);
}

/** @throws ProviderError unless every text has one score */
function scoresOf(judgements: readonly Judgement[], count: number): number[] {
  const scores = new Array<number>(count).fill(Number.NaN);
  for (const { index, score } of judgements) if (index < count) scores[index] = score;
  if (judgements.length === count && scores.every(Number.isFinite)) return scores;
  throw new ProviderError('refused', `the reranker did not judge each of the ${String(count)} texts once`);
}
