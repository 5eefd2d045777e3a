import { performance } from 'node:perf_hooks';
import { LociError } from '../../core/errors.ts';
import { Availability } from '../http/availability.ts';
import { HttpClient, type HttpOptions, type HttpSettings } from '../http/http.ts';
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

/** A text of the request, by its index, and its score. */
export interface Judgement {
  readonly index: number;
  readonly score: number;
}

/** A kind of provider, in a file of its own. */
export interface RerankProvider {
  readonly name: string;
  /** Without it, the settings may name a model, and the server uses its own otherwise. */
  readonly defaultModel?: string;
  readonly http: HttpOptions;
  /** Whether answers may have the texts too. */
  readonly returnsTexts?: true;
  /** Translates to the wire format and back. @throws ProviderError; LociError `aborted` */
  send(client: HttpClient, request: RerankRequest, options: WireOptions): Promise<readonly Judgement[]>;
}

export interface RerankRequest {
  /** Empty if the settings name none. */
  readonly model: string;
  readonly query: string;
  readonly texts: readonly string[];
}

interface RemoteOptions extends Omit<HttpSettings, 'concurrency'> {
  readonly model: string | undefined;
  readonly deadlineMs: number;
  /** Errors quote what the provider says, because no text that it is sent is a secret. */
  readonly quotesProvider: boolean;
}

/** Of 50 scores. */
const MAX_SCORES_BYTES = 1_000_000;
/** Of a UTF-16 code unit as JSON: \u followed by four digits. */
const MAX_ESCAPED_BYTES = 6;
/** Searches run at once at most by an agent and a person. */
const CONCURRENCY = 4;

/** @throws LociError `invalid_config` for settings that are missing or wrong */
export function openRemoteReranker(provider: RerankProvider, options: RemoteOptions): Reranker {
  return new RemoteReranker(provider, options);
}

class RemoteReranker implements Reranker {
  readonly provider: string;
  readonly model: string;
  readonly origin: string;
  readonly deadlineMs: number;
  readonly #client: HttpClient;
  readonly #wire: RerankProvider;
  readonly #availability: Availability;
  readonly #quotesProvider: boolean;

  constructor(wire: RerankProvider, options: RemoteOptions) {
    const { name, defaultModel, http } = wire;
    const { model = defaultModel ?? '', deadlineMs, quotesProvider, ...settings } = options;
    this.provider = name;
    this.model = model;
    this.deadlineMs = deadlineMs;
    this.#quotesProvider = quotesProvider;
    this.#client = new HttpClient({ ...settings, concurrency: CONCURRENCY }, { ...http, section: 'rerank' });
    this.origin = this.#client.origin;
    this.#wire = wire;
    this.#availability = new Availability({ provider: `${name} ${model}`, file: null });
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
      const { message, hint, cause } = this.#quotesProvider ? error.quoting() : error;
      throw new LociError('embedding_unavailable', message, { ...(hint !== undefined && { hint }), cause });
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
