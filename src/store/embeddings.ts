import type { Metadata } from '../core/types.ts';
import type { Page } from './page.ts';

/** Vectors of two generations never meet. */
export interface GenerationSpec {
  readonly provider: string;
  readonly model: string;
  readonly dimensions: number;
}

export interface Generation extends GenerationSpec {
  readonly id: number;
  /** The one that searches use; at most one. */
  readonly active: boolean;
}

/** A passage whose content has no vector yet. */
export interface PendingEmbedding {
  readonly passage: number;
  readonly namespace: string;
  readonly hash: string;
  readonly headings: readonly string[];
  readonly text: string;
  readonly title: string;
  readonly metadata: Metadata;
}

export interface VectorWrite {
  readonly namespace: string;
  readonly hash: string;
  /** Unit vector of the generation's dimensions. */
  readonly vector: Float32Array;
}

export interface Embeddings {
  generations(): Promise<Generation[]>;
  /** The generation of this model, made if need be; not active yet. */
  addGeneration(spec: GenerationSpec): Promise<Generation>;
  /** The switch: from now on searches use this one. */
  activateGeneration(id: number): Promise<void>;
  /** Live passages without a vector, by id, after an id. Passages of the same content share a hash. */
  pendingEmbeddings(generation: number, page: Page<number>): Promise<PendingEmbedding[]>;
  /** Contents without a vector: of a namespace, or of all. */
  countPending(generation: number, namespace?: string): Promise<number>;
  /**
   * Contents that have a vector keep it.
   * @throws LociError `embedding_mismatch` for a vector of other dimensions, `invalid_input` for one with a component
   *   that is no number, `not_found` for an unknown generation
   */
  putVectors(generation: number, vectors: readonly VectorWrite[]): Promise<void>;
}
