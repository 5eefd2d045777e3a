/** What all providers outside this package have in common: batches, long texts, prefixes, checks of vectors, and outages. */

import { addAbortListener } from 'node:events';
import { LociError } from '../core/errors.ts';
import { latinShare } from '../core/text/latin-share.ts';
import { within } from '../core/time/deadline.ts';
import { Availability } from './http/availability.ts';
import {
  type Embedder,
  type EmbeddingPurpose,
  type EmbedOptions,
  requireVectors,
  type TextResult,
} from './embedder.ts';
import { knownModel, type Prefixes } from './models.ts';
import { ProviderError } from './http/provider-error.ts';
import type { EmbeddingConfig, Provider, Wire } from './provider.ts';
import type { Trial } from './request-queue.ts';
import { TextSender } from './text-sender.ts';

/** Of a model that is not known. Passages are shorter. */
const DEFAULT_MAX_TOKENS = 512;
const DEFAULT_TIMEOUT_MS = 30_000;
/** A call that is not to be repeated waits no longer, such as a write. */
const MAX_BRIEF_MS = 5000;

export class RemoteEmbedder implements Embedder {
  readonly isRemote = true;
  readonly provider: string;
  readonly model: string;
  readonly maxTokens: number;
  readonly prefixes: Prefixes;
  readonly language?: string;
  readonly modelCoverage?: (text: string) => number;
  readonly concurrentTexts: number;
  readonly countTokens: (text: string) => number;
  readonly #wire: Wire;
  readonly #sender: TextSender;
  readonly #availability: Availability;
  readonly #timeoutMs: number;
  readonly #trial: Trial | undefined;
  readonly #closing = new AbortController();

  /**
   * @param countTokens the same for every provider, so that passages do not depend on it
   * @throws LociError `invalid_config` for settings that are missing or wrong
   */
  constructor(provider: Provider, settings: EmbeddingConfig, countTokens: (text: string) => number) {
    const model = settings.model ?? provider.defaultModel;
    if (model === undefined)
      throw new LociError(
        'invalid_config',
        `embedding.model is missing: the provider ${provider.name} has no default`,
        {
          hint: 'Name the model: `loci config set embedding.model NAME`. Vectors of two names are never compared.',
        },
      );
    const known = knownModel(model);
    const dimensions = settings.dimensions ?? known?.dimensions ?? 0;
    if (dimensions === 0 && settings.trial === undefined)
      throw new LociError(
        'invalid_config',
        `embedding.dimensions is missing: Loci does not know the model ${model}`,
        {
          hint: '`loci embed test` prints how long its vectors are; then `loci config set embedding.dimensions N`.',
        },
      );
    this.provider = provider.name;
    this.model = model;
    this.maxTokens = settings.maxTokens ?? known?.maxTokens ?? DEFAULT_MAX_TOKENS;
    this.prefixes = {
      query: settings.queryPrefix ?? known?.prefixes?.query ?? '',
      passage: settings.passagePrefix ?? known?.prefixes?.passage ?? '',
    };
    if (known?.language !== undefined) {
      this.language = known.language;
      this.modelCoverage = latinShare;
    }
    this.countTokens = countTokens;
    this.#timeoutMs = settings.timeout ?? DEFAULT_TIMEOUT_MS;
    this.#trial = settings.trial;
    const concurrency = settings.concurrency ?? provider.concurrency;
    const batch = {
      items: settings.batchSize ?? provider.batch.items,
      tokens: settings.batchTokens ?? provider.batch.tokens,
    };
    this.concurrentTexts = batch.items * concurrency;
    const { url, apiKey, command } = settings;
    this.#wire = provider.open({
      ...{ url, apiKey, command, model, concurrency },
      dimensions: known?.canShorten === true && dimensions !== known.dimensions ? dimensions : null,
      allowLinkLocal: settings.allowLinkLocal ?? false,
      commandEnv: settings.commandEnv ?? [],
      commandMode: settings.commandMode ?? 'stream',
    });
    this.#sender = new TextSender(this.#wire, {
      ...{ name: `${provider.name} ${model}`, dimensions, maxTokens: this.maxTokens },
      ...{ prefixes: this.prefixes, batch, concurrency, countTokens },
      requestsPerMinute: settings.requestsPerMinute ?? null,
      quotesProvider: settings.quotesProvider ?? false,
    });
    this.#availability = new Availability({
      provider: `${provider.name} ${model} ${url ?? ''}`.trim(),
      file: settings.stateFile ?? null,
    });
  }

  get dimensions(): number {
    return this.#sender.dimensions;
  }

  async embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]> {
    if (texts.length === 0) return [];
    if (options.signal?.aborted === true)
      throw new LociError('aborted', 'The embedding was stopped.', { cause: options.signal.reason });
    return options.purpose === 'query'
      ? this.#embedQuery(texts, options)
      : this.#embedPassages(texts, options);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([this.#wire.close(), this.#availability.close()]);
  }

  /** A search waits for the usual time of an answer and no longer, and not at all while the provider is down. */
  async #embedQuery(
    texts: readonly string[],
    { signal, patient = false }: EmbedOptions,
  ): Promise<Float32Array[]> {
    if (patient || this.#trial !== undefined) return this.#measuredQuery(texts, signal);
    const { failure, maxWaitMs } = this.#availability;
    const tried = this.#availability.beginTry();
    if (failure !== null && tried === null) throw failure;
    const answer = this.#measuredQuery(texts);
    // The outcome is recorded even if nobody waits for it any more.
    answer.catch(() => undefined);
    if (failure !== null && tried === 'aside') throw failure;
    return this.#within(answer, maxWaitMs, signal);
  }

  async #measuredQuery(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    const started = performance.now();
    const options = {
      timeoutMs: this.#timeoutMs,
      repeat: false,
      signal: anySignal(this.#closing.signal, signal),
    };
    const results = await this.#recording(
      'query',
      () => this.#sender.embed(texts, 'query', options),
      () => performance.now() - started,
    );
    return requireVectors(results);
  }

  async #within(
    answer: Promise<Float32Array[]>,
    maxWaitMs: number,
    signal?: AbortSignal,
  ): Promise<Float32Array[]> {
    const stopped = Promise.withResolvers<never>();
    using _abort =
      signal &&
      addAbortListener(signal, () => {
        stopped.reject(new LociError('aborted', 'The embedding was stopped.', { cause: signal.reason }));
      });
    return await within(Promise.race([answer, stopped.promise]), maxWaitMs, () => {
      const why = `${this.provider} did not answer within ${String(Math.round(maxWaitMs))} ms`;
      this.#availability.late(why);
      throw new LociError('embedding_unavailable', why);
    });
  }

  async #embedPassages(
    texts: readonly string[],
    { owner, signal, hasVectors, brief = false }: EmbedOptions,
  ): Promise<Float32Array[]> {
    const { failure } = this.#availability;
    if (brief && failure !== null && this.#availability.beginTry() === null) throw failure;
    const timeoutMs = brief ? Math.min(MAX_BRIEF_MS, this.#timeoutMs) : this.#timeoutMs;
    const results = await this.#recording(
      'passage',
      () =>
        this.#sender.embed(texts, 'passage', {
          timeoutMs,
          repeat: !brief,
          signal: anySignal(this.#closing.signal, signal),
          ...(this.#trial !== undefined && { trial: this.#trial }),
          ...(owner !== undefined && { owner }),
          ...(hasVectors !== undefined && { hasVectors }),
        }),
      () => null,
    );
    // So that the first search knows how long an answer usually takes.
    if (this.#availability.usualMs === null && this.#trial === undefined)
      await this.#measuredQuery(['loci']).catch(() => undefined);
    return requireVectors(results);
  }

  /** Records the outcome. @throws LociError `embedding_unavailable` in place of a ProviderError */
  async #recording(
    purpose: EmbeddingPurpose,
    embed: () => Promise<TextResult[]>,
    queryMs: () => number | null,
  ): Promise<TextResult[]> {
    try {
      const results = await embed();
      this.#availability.succeeded(queryMs());
      return results;
    } catch (error) {
      if (!(error instanceof ProviderError)) {
        this.#availability.abandonTry();
        throw error;
      }
      // A query that is refused says nothing about the provider. Passages that are at fault are no failure.
      const isOfQuery = purpose === 'query' && error.mayBeOneText && error.kind !== 'busy';
      // One that was not sent says nothing either.
      if (isOfQuery || error.kind === 'paused') this.#availability.abandonTry();
      else this.#availability.failed(error.message);
      throw error.toLociError();
    }
  }
}

function anySignal(closing: AbortSignal, signal: AbortSignal | undefined): AbortSignal {
  return signal === undefined ? closing : AbortSignal.any([closing, signal]);
}
