import { LociError } from '../core/errors.ts';
import { sentencesOf } from '../core/text/sentences.ts';
import type { Embedder } from '../embed/embedder.ts';
import { RefusedTextsError, type TextResult } from '../embed/embedder.ts';
import type { QueryVector, SentenceVectors, StoredPassage } from '../store/search-model.ts';
import type { Store } from '../store/store.ts';
import { ORDINARY_SENTENCES } from './ordinary-sentences.ts';
import type { VectorIndexRef } from './run.ts';

/** A passage has about 200 tokens, and rarely as many sentences. */
const MAX_SENTENCES = 24;

/** The vectors of `ORDINARY_SENTENCES` by the model that made them, once for a process. */
const ordinaryVectors = new WeakMap<Embedder, readonly TextResult[]>();

interface SentenceCosinesOptions {
  readonly store: Store;
  readonly namespace: string;
  /** `null` without a model. */
  readonly vectors: VectorIndexRef | null;
  readonly signal?: AbortSignal;
}

/**
 * Compares vectors with the single sentences of passages. A sentence is embedded once, and its vector is stored with that of
 * its passage. When the model fails, only stored vectors are compared from then on.
 */
export class SentenceCosines {
  readonly #options: SentenceCosinesOptions;
  #isModelDown = false;

  constructor(options: SentenceCosinesOptions) {
    this.#options = options;
  }

  /**
   * For each passage the highest cosine with one of its sentences, by its hash. Passages of one sentence are left out, since
   * their own vector says the same.
   * @throws LociError `aborted`, and the errors of the store
   */
  async of(passages: readonly StoredPassage[], query: QueryVector): Promise<ReadonlyMap<string, number>> {
    const { store, namespace } = this.#options;
    const texts = new Map(passages.map((passage) => [passage.hash, sentenceTexts(passage)]));
    for (const [hash, { length }] of texts) if (length < 2) texts.delete(hash);
    const stored = await store.vectors.sentences(namespace, query.generation, [...texts.keys()]);
    for (const hash of stored.keys()) texts.delete(hash);
    const added = await this.#embed(texts, query.generation);
    return new Map(
      [...stored, ...added].map(([hash, vectors]) => [
        hash,
        Math.max(0, ...vectors.map((vector) => cosine(vector, query.vector))),
      ]),
    );
  }

  /** The cosines with `ORDINARY_SENTENCES`, in their order; `null` while the model cannot embed them. */
  async ofOrdinary({ vector }: QueryVector): Promise<readonly number[] | null> {
    const { vectors, signal } = this.#options;
    if (vectors === null) return null;
    let ordinary = ordinaryVectors.get(vectors.embedder);
    if (ordinary === undefined) {
      if (this.#isModelDown) return null;
      const results = await this.#results(ORDINARY_SENTENCES, vectors, signal);
      // If all were refused, the fault may be that of the provider.
      if (results === null || results.every((result) => typeof result === 'string')) return null;
      ordinaryVectors.set(vectors.embedder, (ordinary = results));
    }
    return ordinary.map((each) => (typeof each === 'string' ? 0 : cosine(each, vector)));
  }

  /** @param texts the sentences of passages by the hashes of the passages */
  async #embed(texts: ReadonlyMap<string, readonly string[]>, generation: number): Promise<SentenceVectors> {
    const { store, namespace, vectors, signal } = this.#options;
    if (texts.size === 0 || vectors === null || this.#isModelDown) return new Map();
    const results = await this.#results([...texts.values()].flat(), vectors, signal);
    if (results === null) return new Map();
    let next = 0;
    const sentences = new Map(
      [...texts].flatMap(([hash, { length }]) => {
        const ofPassage = results.slice(next, (next += length));
        const made = ofPassage.filter((result) => typeof result !== 'string');
        // A passage none of whose sentences was embedded is asked for again: the fault may be that of the provider.
        return made.length === 0 ? [] : [[hash, made] as const];
      }),
    );
    await store.vectors.put(namespace, generation, [], sentences);
    return sentences;
  }

  /** `null` if the model cannot embed. */
  async #results(
    texts: readonly string[],
    { embedder }: VectorIndexRef,
    signal: AbortSignal | undefined,
  ): Promise<readonly TextResult[] | null> {
    try {
      return await embedder.embed(texts, {
        ...{ purpose: 'passage', owner: this.#options.namespace },
        // The passages that these sentences are from have vectors.
        hasVectors: () => Promise.resolve(true),
        ...(signal !== undefined && { signal }),
      });
    } catch (error) {
      if (error instanceof RefusedTextsError) return error.results;
      if (!(error instanceof LociError) || error.code !== 'embedding_unavailable') throw error;
      this.#isModelDown = true;
      return null;
    }
  }
}

/** With the title, which says what a sentence such as "the blue ones are out of stock" is about. */
function sentenceTexts({ record: { title }, text }: StoredPassage): string[] {
  return sentencesOf(text)
    .slice(0, MAX_SENTENCES)
    .map((sentence) => (title === '' ? sentence : `${title}: ${sentence}`));
}

/** Of unit vectors. */
export function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
