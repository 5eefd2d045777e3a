/** What makes embeddings. One file (or folder) a provider; only `registry.ts` names them. */

/** A query and a passage may be encoded differently (prefixes, task types); symmetric models ignore it. */
export type EmbeddingPurpose = 'query' | 'passage';

export interface EmbedOptions {
  readonly purpose: EmbeddingPurpose;
  readonly signal?: AbortSignal;
}

export interface Embedder {
  /** The provider's name as configured: `local`, `ollama` … */
  readonly provider: string;
  readonly model: string;
  /** Length of every vector. */
  readonly dimensions: number;
  /** The longest input, in the model's tokens, special tokens included; longer texts are chunked before they get here. */
  readonly maxTokens: number;
  /**
   * One unit vector (L2 norm 1) for each text, in order; `[]` for `[]`.
   * @throws LociError `embedding_unavailable` when the provider cannot answer, `aborted` when the signal fires.
   */
  embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]>;
  /** Tokens of a text, special tokens included: what a chunker packs against `maxTokens`. */
  countTokens(text: string): number;
  /**
   * How well the model knows the language of a text, 0 to 1; without it, every text. A vector counts for so much.
   * An English model places Chinese by chance.
   */
  modelCoverage?(text: string): number;
  /** Ends workers and connections. No call may follow. */
  close(): Promise<void>;
}
