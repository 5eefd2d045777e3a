import type { Embedder, EmbedOptions } from '../src/embed/embedder.ts';
import { openEmbedder } from '../src/embed/registry.ts';
import { chunking, estimateModelTokens, type Chunking } from '../src/ingest/passages.ts';
import type { EvalConfiguration } from './configuration.ts';

/** The embedding model and the chunking of a whole run. */
export interface Model {
  /** `null` with the provider `none`. */
  readonly embedder: Embedder | null;
  readonly chunking: Chunking;
}

/** Opens the configured provider and loads its model. */
export async function openModel({ provider, passageTokens: maxTokens }: EvalConfiguration): Promise<Model> {
  const opened = await openEmbedder({ provider });
  if (opened === null) {
    return {
      embedder: null,
      chunking: chunking('estimate', { maxTokens, countTokens: estimateModelTokens }),
    };
  }
  const embedder = new QueryCache(opened);
  await embedder.embed([''], { purpose: 'query' });
  const countTokens = (text: string): number => opened.countTokens(text);
  return { embedder, chunking: chunking(opened.model, { maxTokens, countTokens }) };
}

/** Caches the embeddings of queries, since several systems run the same ones. */
class QueryCache implements Embedder {
  readonly provider: string;
  readonly model: string;
  readonly dimensions: number;
  readonly maxTokens: number;
  readonly language?: string;
  readonly #embedder: Embedder;
  readonly #queries = new Map<string, Float32Array>();

  constructor(embedder: Embedder) {
    this.provider = embedder.provider;
    this.model = embedder.model;
    this.dimensions = embedder.dimensions;
    this.maxTokens = embedder.maxTokens;
    if (embedder.language !== undefined) this.language = embedder.language;
    this.#embedder = embedder;
  }

  async embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]> {
    if (options.purpose === 'passage') return this.#embedder.embed(texts, options);
    const uncached = [...new Set(texts)].filter((text) => !this.#queries.has(text));
    const vectors = await this.#embedder.embed(uncached, options);
    for (const [i, text] of uncached.entries()) this.#queries.set(text, vectors[i]!);
    return texts.map((text) => this.#queries.get(text)!);
  }

  countTokens(text: string): number {
    return this.#embedder.countTokens(text);
  }

  modelCoverage(text: string): number {
    return this.#embedder.modelCoverage?.(text) ?? 1;
  }

  close(): Promise<void> {
    return this.#embedder.close();
  }
}
