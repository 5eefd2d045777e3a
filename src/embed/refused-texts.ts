import { LociError } from '../core/errors.ts';

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
