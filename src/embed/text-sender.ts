/** How texts are sent to an open provider: in batches, with prefixes, in parts if they are too long; and checks of its vectors. */

import type { EmbeddingPurpose, EmbedOptions } from './embedder.ts';
import type { Prefixes } from './models.ts';
import { ProviderError } from './http/provider-error.ts';
import type { Provider, Wire } from './provider.ts';
import { RequestQueue } from './request-queue.ts';

/** OpenAI refuses an empty text. */
const EMPTY_TEXT = '.';
/** Shorter texts are not cut in half. In UTF-16 code units. */
const MIN_CUT_LENGTH = 32;

export interface SenderOptions {
  /** The provider and model, for messages. */
  readonly name: string;
  /** 0 accepts any, and takes that of the first vector. */
  readonly dimensions: number;
  /** The longest text, in tokens. */
  readonly maxTokens: number;
  readonly prefixes: Prefixes;
  readonly batch: Provider['batch'];
  readonly concurrency: number;
  readonly requestsPerMinute: number | null;
  readonly countTokens: (text: string) => number;
}

export type SendOptions = Pick<EmbedOptions, 'owner' | 'signal'> & {
  /** For each request. */
  readonly timeoutMs: number;
  readonly repeat: boolean;
};

export class TextSender {
  readonly #wire: Wire;
  readonly #options: SenderOptions;
  readonly #queue: RequestQueue;
  #dimensions: number;

  constructor(wire: Wire, options: SenderOptions) {
    this.#wire = wire;
    this.#options = options;
    this.#queue = new RequestQueue(options);
    this.#dimensions = options.dimensions;
  }

  /** Of every vector; 0 until it is known. */
  get dimensions(): number {
    return this.#dimensions;
  }

  /** One unit vector for each text, in order. @throws ProviderError; LociError `aborted` */
  async embed(
    texts: readonly string[],
    purpose: EmbeddingPurpose,
    options: SendOptions,
  ): Promise<Float32Array[]> {
    const { batch: limits, countTokens, maxTokens, prefixes } = this.#options;
    const prefix = prefixes[purpose];
    const available = maxTokens - countTokens(prefix);
    const pieces = texts.map((text) => this.#pieces(text === '' ? EMPTY_TEXT : text, available));
    const batches = makeBatches(pieces.flat(), limits, countTokens);
    const vectors = await allOrFirstFailure(
      batches.map((batch) => this.#send(batch, prefix, purpose, options)),
    );
    const all = vectors.flat();
    let next = 0;
    return pieces.map((parts) => {
      const own = all.slice(next, (next += parts.length));
      return meanOf(
        own,
        parts.map(({ length }) => length),
      );
    });
  }

  /** The text in parts that the model can read. A token has at least one UTF-16 code unit, so that most texts need no count. */
  #pieces(text: string, maxTokens: number): string[] {
    if (text.length <= maxTokens || this.#options.countTokens(text) <= maxTokens) return [text];
    return cutInHalf(text).flatMap((half) => this.#pieces(half, maxTokens));
  }

  /** A batch that is refused as too large is sent in halves; a single text, as the mean of the vectors of its halves. */
  async #send(
    texts: readonly string[],
    prefix: string,
    purpose: EmbeddingPurpose,
    options: SendOptions,
  ): Promise<Float32Array[]> {
    const sent = texts.map((text) => prefix + text);
    const { timeoutMs, signal } = options;
    const send = (): Promise<readonly ArrayLike<unknown>[]> =>
      this.#wire.send(sent, purpose, { timeoutMs, ...(signal !== undefined && { signal }) });
    try {
      // A query does not wait behind passages.
      const vectors = purpose === 'query' ? await send() : await this.#queue.run(send, options);
      return this.#checked(vectors, texts.length);
    } catch (error) {
      if (!(error instanceof ProviderError) || error.kind !== 'too_large') throw error;
      const [only = ''] = texts;
      const halves =
        texts.length > 1
          ? [texts.slice(0, texts.length / 2), texts.slice(texts.length / 2)]
          : cutInHalf(only).map((half) => [half]);
      if (halves.length < 2) throw error;
      const parts = await allOrFirstFailure(halves.map((half) => this.#send(half, prefix, purpose, options)));
      if (texts.length > 1) return parts.flat();
      return [
        meanOf(
          parts.flat(),
          halves.map(([half = '']) => half.length),
        ),
      ];
    }
  }

  #checked(vectors: readonly ArrayLike<unknown>[], count: number): Float32Array[] {
    if (vectors.length !== count)
      throw new ProviderError(
        'refused',
        `${this.#options.name} returned ${String(vectors.length)} vectors for ${String(count)} texts`,
      );
    if (this.#dimensions === 0) this.#dimensions = vectors[0]?.length ?? 0;
    return vectors.map((vector) => {
      if (vector.length !== this.#dimensions)
        throw new ProviderError(
          'refused',
          `${this.#options.name} returned a vector of ${String(vector.length)} dimensions, not ${String(this.#dimensions)}`,
          { hint: `Set what it returns: \`loci config set embedding.dimensions ${String(vector.length)}\`.` },
        );
      const unit = unitVector(vector);
      if (unit === null)
        throw new ProviderError(
          'refused',
          `${this.#options.name} returned a vector that is zero, or has a component that is no finite number`,
        );
      return unit;
    });
  }
}

/** Settles when all have, so that none is still running when the call ends. @throws the first failure */
async function allOrFirstFailure<Result>(work: readonly Promise<Result>[]): Promise<Result[]> {
  const settled = await Promise.allSettled(work);
  return settled.map((each) => {
    if (each.status === 'rejected') throw each.reason;
    return each.value;
  });
}

/** Groups of consecutive texts, each within the limits. A text above the limit of tokens is alone. */
export function makeBatches(
  texts: readonly string[],
  limits: { readonly items: number; readonly tokens: number },
  countTokens: (text: string) => number,
): string[][] {
  const batches: string[][] = [];
  // A token has at least one UTF-16 code unit, so that few texts need a count.
  const areFew = texts.reduce((sum, text) => sum + text.length + 2, 0) <= limits.tokens;
  let tokens = 0;
  for (const text of texts) {
    const size = areFew ? 0 : countTokens(text);
    const last = batches.at(-1);
    if (last === undefined || last.length >= limits.items || tokens + size > limits.tokens) {
      batches.push([text]);
      tokens = size;
    } else {
      last.push(text);
      tokens += size;
    }
  }
  return batches;
}

/** Two parts with nothing lost, cut at the blank nearest to the middle; the text alone if it is too short. */
export function cutInHalf(text: string): string[] {
  if (text.length < MIN_CUT_LENGTH) return [text];
  const middle = Math.floor(text.length / 2);
  const after = text.slice(middle).search(/\s/);
  const before = text.slice(0, middle).search(/\s\S*$/);
  const nearest = Math.min(after === -1 ? middle : after, before === -1 ? middle : middle - before);
  const isNear = nearest < text.length / 4;
  let cut = !isNear ? middle : after === nearest ? middle + after : before;
  // Not between the halves of a surrogate pair.
  if (/[\uDC00-\uDFFF]/.test(text.charAt(cut))) cut -= 1;
  return [text.slice(0, cut), text.slice(cut)];
}

/** The vector divided by its length; `null` if it is zero or has a component that is no finite number. */
export function unitVector(vector: ArrayLike<unknown>): Float32Array | null {
  let squares = 0;
  for (let i = 0; i < vector.length; i++) {
    const component = vector[i];
    if (typeof component !== 'number' || !Number.isFinite(component)) return null;
    squares += component * component;
  }
  const norm = Math.sqrt(squares);
  if (norm === 0 || !Number.isFinite(norm)) return null;
  const unit = new Float32Array(vector.length);
  for (let i = 0; i < vector.length; i++) unit[i] = (vector[i] as number) / norm;
  return unit;
}

/** The unit vector in the direction of the weighted mean. A single vector is returned as it is. */
export function meanOf(vectors: readonly Float32Array[], weights: readonly number[]): Float32Array {
  const [first = new Float32Array()] = vectors;
  if (vectors.length === 1) return first;
  const sum = new Float64Array(first.length);
  for (const [i, vector] of vectors.entries())
    for (const [j, component] of vector.entries()) sum[j]! += component * (weights[i] ?? 1);
  // Opposite vectors have no mean direction.
  return unitVector(sum) ?? first;
}
