import { LociError } from '../core/errors.ts';
import type { Generation } from './embeddings.ts';

/** Vectors of two models never meet, and what is no number would spoil every ranking it takes part in. */
export function assertVectorDimensions({ id, dimensions }: Generation, vector: Float32Array): void {
  if (vector.length !== dimensions) {
    throw new LociError(
      'embedding_mismatch',
      `a vector of ${String(vector.length)} dimensions for generation ${String(id)} of ${String(dimensions)}`,
    );
  }
  if (!vector.every(Number.isFinite)) {
    throw new LociError('invalid_input', 'a vector holds a component that is no finite number');
  }
}
