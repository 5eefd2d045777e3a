import { LociError } from '../core/errors.ts';

/** A query and a passage may be encoded differently (prefixes, task types); symmetric models ignore it. */
export type EmbeddingPurpose = 'query' | 'passage';

export interface EmbedOptions {
  readonly purpose: EmbeddingPurpose;
  /** On whose behalf, such as a namespace: concurrent calls of several owners have their turn one after the other. */
  readonly owner?: string;
  readonly signal?: AbortSignal;
  /** Whether somebody waits for these passages: a request that fails is not repeated, and a provider that is down not tried. */
  readonly brief?: boolean;
  /** Whether a query may take as long as the settings allow, also while the provider counts as down. No search waits so long. */
  readonly patient?: boolean;
  /** Asks whether the model has embedded texts before. One that has not, and refuses several, is at fault, not the texts. */
  readonly hasVectors?: () => Promise<boolean>;
}

/** An embedding provider. Only `registry.ts` names them. */
export interface Embedder {
  /** The provider's name as configured: `local`, `ollama` … */
  readonly provider: string;
  readonly model: string;
  /** What the provider puts in front of texts. Other prefixes make other vectors, which are never compared with these. */
  readonly prefixes?: { readonly query: string; readonly passage: string };
  /** Whether it may be down while this process is well. Searches and writes then go on without it. */
  readonly isRemote?: true;
  /** How many texts it can work on at once; as many as the caller likes unless given. */
  readonly concurrentTexts?: number;
  /** Length of every vector. */
  readonly dimensions: number;
  /** The longest input in the model's tokens, including special tokens. Longer texts are chunked before they get here. */
  readonly maxTokens: number;
  /**
   * One unit vector (L2 norm 1) for each text, in order; `[]` for `[]`.
   * @throws LociError `embedding_unavailable` when the provider cannot answer, `aborted` when the signal fires;
   *   `RefusedTextsError` with the other vectors when it refuses some of the passages.
   */
  embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]>;
  /** Number of tokens of a text, including special tokens. The chunker compares it with `maxTokens`. */
  countTokens(text: string): number;
  /** The only language that the model knows, as an ISO 639 code; `undefined` for a model of many languages. */
  readonly language?: string;
  /**
   * How well the model knows the language of a text, 0 to 1. Search scales the weight of the vector signal by it, because
   * an English model embeds Chinese text almost at random. A provider without this method covers every text.
   */
  modelCoverage?(text: string): number;
  /**
   * The share of the tokens of a text that the model's vocabulary has, 0 to 1; 0 for a text without letters and digits. A text
   * of which it has almost nothing has the meaning of none. A provider without this method knows every text.
   */
  knownShare?(text: string): number;
  /** Ends workers and connections. No call may follow. */
  close(): Promise<void>;
}

/** The vector of a text, or why the provider refuses it. */
export type TextResult = Float32Array | string;

/** The provider works, but refuses some texts whenever they are sent. `results` has the vectors of the others. */
export class RefusedTextsError extends LociError {
  /** For each text of the call, in order. */
  readonly results: readonly TextResult[];

  constructor(results: readonly TextResult[]) {
    const reasons = results.filter((result) => typeof result === 'string');
    const [first = ''] = reasons;
    const count = reasons.length === 1 ? 'a text' : `${String(reasons.length)} texts`;
    super('embedding_unavailable', `the embedding provider refuses ${count}: ${first}`, {
      hint: 'The other texts are embedded; those that are refused are found by their words alone.',
    });
    this.results = results;
  }
}

/** @throws RefusedTextsError unless every text has a vector */
export function requireVectors(results: readonly TextResult[]): Float32Array[] {
  const vectors = results.filter((result) => typeof result !== 'string');
  if (vectors.length < results.length) throw new RefusedTextsError(results);
  return vectors;
}
