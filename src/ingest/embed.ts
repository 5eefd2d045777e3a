import { ADMIN_NAMESPACE } from '../store/rules/admin-namespace.ts';
import { LociError } from '../core/errors.ts';
import { pickSignal, type ProgressOptions } from '../core/progress.ts';
import type { Metadata, Passage } from '../core/types.ts';
import type { Embedder, EmbedOptions } from '../embed/embedder.ts';
import { RefusedTextsError, type TextResult } from '../embed/embedder.ts';
import type {
  PendingEmbedding,
  PendingEmbeddings,
  PendingOfNamespace,
  SentenceVectors,
  VectorWrite,
} from '../store/search-model.ts';
import type { Store } from '../store/store.ts';
import { embeddingText, statementsOf } from './passages.ts';

/** Texts that are embedded in one call and written in one transaction. */
const BATCH_SIZE = 64;
/** Batches that the model has at least, so that no thread of it waits for the last texts of a batch or for its commit. */
const MIN_BATCHES_IN_WORK = 2;
/** A run that stops loses these. */
const MAX_BATCHES_IN_WORK = 16;
/** Texts whose order is determined at once, which takes a scan of all passages. */
const ROUND_SIZE = 64 * BATCH_SIZE;
/** No generation has this id, so that every text is without a vector of it. */
export const NO_GENERATION = 0;

/** A text that the embedding provider refuses, although it embeds others. It has no vector, and is found by its words. */
export interface RefusedText {
  readonly namespace: string;
  /** Of the passage's content. */
  readonly hash: string;
  /** A record that has it. */
  readonly record: number;
  /** Has no words of the provider, which may quote the text. */
  readonly why: string;
}

/** The refused texts of a run, which does not send them again. */
export class Refusals {
  readonly #texts = new Map<string, RefusedText>();

  get count(): number {
    return this.#texts.size;
  }

  /** In the order in which they were sent. */
  get texts(): readonly RefusedText[] {
    return [...this.#texts.values()];
  }

  add(text: RefusedText): void {
    this.#texts.set(keyOf(text), text);
  }

  has(text: Pick<RefusedText, 'hash' | 'namespace'>): boolean {
    return this.#texts.has(keyOf(text));
  }
}

function keyOf({ namespace, hash }: Pick<RefusedText, 'hash' | 'namespace'>): string {
  return `${hash} ${namespace}`;
}

interface EmbedPendingOptions extends ProgressOptions {
  /** The texts in it are not sent, and those that are refused are added. */
  readonly refusals?: Refusals;
}

/**
 * Embeds every text that has no vector of the generation yet, those first that improve searches most. Each batch is written at once,
 * so a run that stops loses only those in work. Texts that the provider refuses stay without one. Removes vectors that nothing uses from
 * the namespaces that it has changed. Then makes the index of the vectors if that is missing, also one that a run before has not finished.
 * Returns the number of texts embedded.
 * @throws LociError `embedding_unavailable`, `aborted`
 */
export async function embedPending(
  store: Store,
  embedder: Embedder,
  generation: number,
  { refusals = new Refusals(), ...options }: EmbedPendingOptions = {},
): Promise<number> {
  const [pending, needsIndex] = await Promise.all([
    store.vectors.allPending(ADMIN_NAMESPACE, generation),
    store.vectors.needsIndex(ADMIN_NAMESPACE, generation),
  ]);
  const { texts: total, bytes: totalBytes } = sumOf(pending);
  let embedded = 0;
  let done = 0;
  let bytes = 0;
  const report = (): void => {
    const work = { done: Math.min(bytes, totalBytes), total: totalBytes };
    options.onProgress?.({ stage: 'embedding', subject: '', done: Math.min(done, total), total, work });
  };
  if (total > 0) report();
  for (const { namespace } of pending) {
    const batches = embedNamespace(store, embedder, namespace, generation, { ...options, refusals });
    let isChanged = false;
    try {
      for await (const { texts, refused } of batches) {
        isChanged = true;
        embedded += texts.length - refused;
        done += texts.length;
        bytes += texts.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
        report();
      }
    } catch (error) {
      // The namespace was deleted meanwhile. The others go on.
      if (!(error instanceof LociError) || error.code !== 'gone') throw error;
    }
    if (isChanged) await store.admin.compact(namespace);
  }
  if (needsIndex || total > 0) await createMissingIndex(store, generation, options);
  return embedded;
}

/** Makes the index of a generation that has become large, or whose index was not finished. Searches compare all vectors until it is there. */
export async function createMissingIndex(
  { vectors }: Store,
  generation: number,
  { onProgress }: ProgressOptions = {},
): Promise<void> {
  if (!(await vectors.needsIndex(ADMIN_NAMESPACE, generation))) return;
  onProgress?.({ stage: 'indexing', subject: '', done: 0, total: 0 });
  await vectors.setGeneration(ADMIN_NAMESPACE, { index: generation });
}

function sumOf(pending: readonly PendingOfNamespace[]): Pick<PendingEmbeddings, 'texts' | 'bytes'> {
  const sum = (figure: 'texts' | 'bytes'): number =>
    pending.reduce((total, namespace) => total + namespace[figure], 0);
  return { texts: sum('texts'), bytes: sum('bytes') };
}

/** The texts without a vector of the generation, in all namespaces. */
export async function pendingTotals(
  { vectors }: Store,
  generation: number,
): Promise<Pick<PendingEmbeddings, 'texts' | 'bytes'>> {
  return sumOf(await vectors.allPending(ADMIN_NAMESPACE, generation));
}

/** The number of texts without a vector of the generation, in all namespaces. */
export async function countAllPending(store: Store, generation: number): Promise<number> {
  return (await pendingTotals(store, generation)).texts;
}

/** The number of texts with a vector of the generation, in all namespaces. */
export async function countVectors(store: Store, generation: number): Promise<number> {
  const [texts, pending] = [
    await countAllPending(store, NO_GENERATION),
    await countAllPending(store, generation),
  ];
  return texts - pending;
}

interface EmbeddedBatch {
  readonly texts: readonly PendingEmbedding[];
  /** How many of them have no vector, because the provider refuses them. */
  readonly refused: number;
}

interface NamespaceOptions extends Pick<ProgressOptions, 'signal'> {
  readonly refusals: Refusals;
}

/**
 * Embeds the texts of a namespace that have no vector of the generation. Returns each batch after its vectors are stored.
 * @throws LociError `embedding_unavailable`, `aborted`
 */
async function* embedNamespace(
  store: Store,
  embedder: Embedder,
  namespace: string,
  generation: number,
  { refusals, ...options }: NamespaceOptions,
): AsyncGenerator<EmbeddedBatch> {
  const start = (batch: readonly PendingEmbedding[]): Promise<EmbeddedTexts> => {
    const texts = new Map(batch.map((pending) => [pending.hash, textsOf(pending, pending)]));
    const results = embedTexts(store, embedder, { namespace, generation }, texts, options);
    // If an earlier batch fails, nothing waits for this one.
    results.catch(() => undefined);
    return results;
  };
  for (;;) {
    const found = await pendingTexts(store, namespace, generation, refusals);
    const round = [...new Map(found.map((pending) => [pending.hash, pending])).values()];
    if (round.length === 0) return;
    const count = Math.ceil(round.length / BATCH_SIZE);
    const batches = Array.from({ length: count }, (_, i) =>
      round.slice(i * BATCH_SIZE, (i + 1) * BATCH_SIZE),
    );
    const inWork = batchesInWork(embedder);
    const running = batches.slice(0, inWork).map(start);
    for (const [i, texts] of batches.entries()) {
      if (options.signal?.aborted === true) throw new LociError('aborted', 'embedding was stopped');
      const { results, sentences } = await running.shift()!;
      const next = batches[i + inWork];
      if (next !== undefined) running.push(start(next));
      const vectors = vectorsOf(results);
      await store.vectors.put(namespace, generation, vectors, sentences);
      for (const { hash, record } of texts) {
        const why = results.get(hash);
        if (typeof why === 'string') refusals.add({ namespace, hash, record, why });
      }
      yield { texts, refused: texts.length - vectors.length };
    }
  }
}

/** The first passages without a vector, except for refused ones. None only if no others are left. */
async function pendingTexts(
  store: Store,
  namespace: string,
  generation: number,
  refusals: Refusals,
): Promise<PendingEmbedding[]> {
  for (let limit = ROUND_SIZE; ; limit *= 2) {
    const found = (await store.vectors.pending(namespace, generation, { limit })).passages;
    const others = found.filter(({ hash }) => !refusals.has({ namespace, hash }));
    if (others.length > 0 || found.length < limit) return others;
  }
}

/** As many as keep the provider busy, and one more. */
function batchesInWork({ concurrentTexts = 0 }: Embedder): number {
  const busy = Math.ceil(concurrentTexts / BATCH_SIZE) + 1;
  return Math.max(MIN_BATCHES_IN_WORK, Math.min(MAX_BATCHES_IN_WORK, busy));
}

/**
 * Embeds the passages of one record at once, before any pending ones.
 * @throws LociError `embedding_unavailable`, also if some are refused, after the others are stored
 */
export async function embedRecord(
  store: Store,
  embedder: Embedder,
  generation: number,
  record: { readonly namespace: string; readonly title: string; readonly metadata: Metadata },
  passages: readonly Passage[],
): Promise<void> {
  const { namespace } = record;
  const texts = new Map(passages.map((passage) => [passage.hash, textsOf(record, passage)]));
  const { results, sentences } = await embedTexts(store, embedder, { namespace, generation }, texts, {
    brief: true,
  });
  const vectors = vectorsOf(results);
  await store.vectors.put(namespace, generation, vectors, sentences);
  if (vectors.length < results.size) throw new RefusedTextsError([...results.values()]);
}

/** The text of a passage, and the sentences of it that have vectors of their own. */
type Texts = readonly [text: string, ...sentences: string[]];

function textsOf(
  record: Parameters<typeof embeddingText>[0],
  passage: Parameters<typeof embeddingText>[1],
): Texts {
  return [embeddingText(record, passage), ...statementsOf(record, passage.text)];
}

interface EmbeddedTexts {
  readonly results: ReadonlyMap<string, TextResult>;
  /** Without those that the provider refuses. */
  readonly sentences: SentenceVectors;
}

/** @param texts by the hashes of their passages, like the results */
async function embedTexts(
  store: Store,
  embedder: Embedder,
  { namespace, generation }: { readonly namespace: string; readonly generation: number },
  texts: ReadonlyMap<string, Texts>,
  options: Pick<EmbedOptions, 'brief' | 'signal'> = {},
): Promise<EmbeddedTexts> {
  const embedding = embedder.embed([...texts.values()].flat(), {
    ...{ purpose: 'passage', owner: namespace },
    hasVectors: async () => (await countVectors(store, generation)) > 0,
    ...(options.brief !== undefined && { brief: options.brief }),
    ...pickSignal(options),
  });
  const results: readonly TextResult[] = await embedding.catch((error: unknown) => {
    if (error instanceof RefusedTextsError) return error.results;
    throw error;
  });
  let next = 0;
  const embedded = Array.from(texts, ([hash, { length }]) => ({
    hash,
    result: results[next]!,
    sentences: results.slice(next + 1, (next += length)).filter((each) => typeof each !== 'string'),
  }));
  return {
    results: new Map(embedded.map(({ hash, result }) => [hash, result])),
    sentences: new Map(
      embedded.flatMap(({ hash, sentences }) => (sentences.length === 0 ? [] : [[hash, sentences]])),
    ),
  };
}

function vectorsOf(results: ReadonlyMap<string, TextResult>): VectorWrite[] {
  return [...results].flatMap(([hash, vector]) => (typeof vector === 'string' ? [] : [{ hash, vector }]));
}
