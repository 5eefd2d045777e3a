/** How texts are sent to an open provider: in batches, with prefixes, in parts if they are too long or refused; and checks of its vectors. */

import type { EmbeddingPurpose, EmbedOptions, TextResult } from './embedder.ts';
import type { Prefixes } from './models.ts';
import { ProviderError } from './http/provider-error.ts';
import type { Provider, Wire } from './provider.ts';
import { RequestQueue, type Trial } from './request-queue.ts';

/** OpenAI refuses an empty text. */
const EMPTY_TEXT = '.';
/** Shorter texts are not cut in half. In UTF-16 code units. */
const MIN_CUT_LENGTH = 32;
/** A text that every provider embeds. If it is refused too, it is the provider's fault. */
const CONTROL_TEXT = 'loci';
/** A request that is answered with 5xx is sent this often before the control text is. */
const MAX_FAULT_TRIES = 3;
/** A provider that refuses this many texts and has embedded none is at fault, even if it embeds the control text. */
const MAX_REFUSED = 8;

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
  /** Errors quote what the provider says, because no text that it is sent is a secret. */
  readonly quotesProvider: boolean;
}

/** A component of a vector as JSON, with the blanks around it. */
const MAX_COMPONENT_BYTES = 32;
/** What an answer has beside its vectors. */
const MAX_ENVELOPE_BYTES = 64_000;
/** While it is not known how long vectors are. */
const MAX_VECTOR_BYTES = 1_000_000;

export type SendOptions = Pick<EmbedOptions, 'hasVectors' | 'owner' | 'signal'> & {
  /** For each request. */
  readonly timeoutMs: number;
  readonly repeat: boolean;
  /** The texts are not at fault, so that they are not sent one by one to find out. */
  readonly trial?: Trial;
};

type Request = SendOptions & {
  readonly purpose: EmbeddingPurpose;
  /** Whether the texts were refused before, alone or with others. */
  readonly wasRefused?: boolean;
  /** Whether it is the control text. */
  readonly isControl?: boolean;
};

export class TextSender {
  readonly #wire: Wire;
  readonly #options: SenderOptions;
  readonly #queue: RequestQueue;
  #dimensions: number;
  /** Whether the provider has embedded a text other than the control text. */
  #hasAccepted = false;
  /** The texts that it refused before it embedded any. */
  #refused = 0;

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

  /**
   * For each text, in order, a unit vector, or why the provider refuses it although it embeds others. A query that is refused is
   * an error.
   * @throws ProviderError; LociError `aborted`
   */
  async embed(
    texts: readonly string[],
    purpose: EmbeddingPurpose,
    options: SendOptions,
  ): Promise<TextResult[]> {
    const { batch: limits, countTokens, maxTokens, prefixes } = this.#options;
    const available = maxTokens - countTokens(prefixes[purpose]);
    const pieces = texts.map((text) => this.#pieces(text === '' ? EMPTY_TEXT : text, available));
    const batches = makeBatches(pieces.flat(), limits, countTokens);
    const sent = await allOrFirstFailure(batches.map((batch) => this.#send(batch, { ...options, purpose })));
    const all = sent.flat();
    let next = 0;
    return pieces.map((parts) => joined(parts, all.slice(next, (next += parts.length))));
  }

  /** The text in parts that the model can read. A token has at least one UTF-16 code unit, so that most texts need no count. */
  #pieces(text: string, maxTokens: number): string[] {
    if (text.length <= maxTokens || this.#options.countTokens(text) <= maxTokens) return [text];
    return cutInHalf(text).flatMap((half) => this.#pieces(half, maxTokens));
  }

  async #send(texts: readonly string[], request: Request): Promise<TextResult[]> {
    try {
      return await this.#request(texts, request);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      const results = error.kind === 'too_large' ? await this.#sendSmaller(texts, request) : null;
      if (results !== null) return results;
      if (!error.mayBeOneText || request.purpose === 'query' || request.trial !== undefined) throw error;
      return this.#sendRefused(texts, error, request);
    }
  }

  /** Sends the halves of a batch; for a single text, the mean of the vectors of its halves. `null` if it is too short. */
  async #sendSmaller(texts: readonly string[], request: Request): Promise<TextResult[] | null> {
    const [only = ''] = texts;
    const isAlone = texts.length === 1;
    const cut = isAlone ? cutInHalf(only) : [];
    if (isAlone && cut.length < 2) return null;
    const halves = isAlone ? cut.map((half) => [half]) : halvesOf(texts);
    const results = await allOrFirstFailure(halves.map((half) => this.#send(half, request)));
    return isAlone ? [joined(cut, results.flat())] : results.flat();
  }

  /** Sends the texts again in halves, if the provider works, until the texts are known that are refused alone. @throws the error */
  async #sendRefused(
    texts: readonly string[],
    error: ProviderError,
    request: Request,
  ): Promise<TextResult[]> {
    const { wasRefused = false } = request;
    const isAlone = texts.length === 1;
    if (isAlone && wasRefused) {
      if (!(await this.#isCausedByText(request))) throw error;
      return [error.message];
    }
    if (!wasRefused && !(await this.#embedsAnotherText(request))) throw error;
    const results: TextResult[] = [];
    // One after the other, so that nothing more is sent once it is the provider's fault.
    for (const part of isAlone ? [texts] : halvesOf(texts))
      results.push(...(await this.#send(part, { ...request, wasRefused: true })));
    return results;
  }

  async #request(texts: readonly string[], request: Request): Promise<Float32Array[]> {
    const { purpose, timeoutMs, signal } = request;
    const prefix = this.#options.prefixes[purpose];
    const sent = texts.map((text) => prefix + text);
    const send = async (): Promise<Float32Array[]> => {
      const maxAnswerBytes = this.#maxAnswerBytes(texts.length);
      const options = { timeoutMs, maxAnswerBytes, ...(signal !== undefined && { signal }) };
      const vectors = await this.#wire.send(sent, purpose, options).catch((error: unknown) => {
        throw error instanceof ProviderError && this.#options.quotesProvider ? error.quoting() : error;
      });
      return this.#checked(vectors, texts.length);
    };
    // A query does not wait behind passages.
    if (purpose === 'query') return send();
    const isSentOnce = request.isControl === true || (request.wasRefused === true && texts.length > 1);
    const isCausedByText = async (tries: number): Promise<boolean> =>
      isSentOnce || (tries >= MAX_FAULT_TRIES && (await this.#embedsAnotherText(request)));
    const vectors = await this.#queue.run(send, { ...request, isCausedByText });
    this.#hasAccepted ||= request.isControl !== true;
    return vectors;
  }

  /** If the provider has never embedded a text and refuses several, it is the provider's fault. */
  async #isCausedByText(request: Request): Promise<boolean> {
    if (!(await this.#embedsAnotherText(request))) return false;
    if (this.#hasAccepted) return true;
    this.#refused += 1;
    if (this.#refused < MAX_REFUSED) return true;
    this.#hasAccepted = (await request.hasVectors?.()) === true;
    return this.#hasAccepted;
  }

  /** Whether the provider embeds a text that it has no reason to refuse. If not, the texts that it refuses are not the reason. */
  async #embedsAnotherText(request: Request): Promise<boolean> {
    try {
      await this.#request([CONTROL_TEXT], { ...request, isControl: true });
      return true;
    } catch (error) {
      if (error instanceof ProviderError) return false;
      throw error;
    }
  }

  #maxAnswerBytes(count: number): number {
    const vectorBytes = this.#dimensions === 0 ? MAX_VECTOR_BYTES : this.#dimensions * MAX_COMPONENT_BYTES;
    return count * vectorBytes + MAX_ENVELOPE_BYTES;
  }

  #checked(vectors: readonly ArrayLike<unknown>[], count: number): Float32Array[] {
    const { name } = this.#options;
    if (vectors.length !== count)
      throw new ProviderError(
        'refused',
        `${name} returned ${String(vectors.length)} vectors for ${String(count)} texts`,
      );
    if (this.#dimensions === 0) this.#dimensions = vectors[0]?.length ?? 0;
    return vectors.map((vector) => {
      if (vector.length !== this.#dimensions)
        throw new ProviderError(
          'refused',
          `${name} returned a vector of ${String(vector.length)} dimensions, not ${String(this.#dimensions)}`,
          {
            mayBeOneText: true,
            hint: `If another model has taken the place of yours, start the previous one. Otherwise run \`loci config set embedding.dimensions ${String(vector.length)}\`; what is embedded already must then be embedded again, by \`loci embed backfill\`, and writes fail until then.`,
          },
        );
      const unit = unitVector(vector);
      if (unit === null)
        throw new ProviderError(
          'refused',
          `${name} returned a vector that is zero, or has a component that is no finite number`,
          { mayBeOneText: true },
        );
      return unit;
    });
  }
}

/** The result of a text from those of its parts. */
function joined(parts: readonly string[], results: readonly TextResult[]): TextResult {
  const vectors = results.filter((result) => typeof result !== 'string');
  const refused = results.find((result) => typeof result === 'string');
  return (
    refused ??
    meanOf(
      vectors,
      parts.map(({ length }) => length),
    )
  );
}

function halvesOf(texts: readonly string[]): (readonly string[])[] {
  const middle = Math.floor(texts.length / 2);
  return [texts.slice(0, middle), texts.slice(middle)];
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
