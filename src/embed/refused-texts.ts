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

/** Shorter matches are words that the message and the text have in common. In UTF-16 code units. */
const MIN_QUOTE_LENGTH = 12;
/** A shorter text is not looked for. */
const MIN_TEXT_LENGTH = 4;

/** The message of a provider with an ellipsis in place of what it quotes of the text. */
export function withoutQuotes(message: string, text: string): string {
  const quoted = text.replaceAll(/\s+/g, ' ').trim();
  const shortest = Math.min(MIN_QUOTE_LENGTH, quoted.length);
  if (shortest < MIN_TEXT_LENGTH) return message;
  let result = '';
  let start = 0;
  while (start < message.length) {
    let end = start + shortest;
    if (end > message.length || !quoted.includes(message.slice(start, end))) {
      result += message.charAt(start);
      start += 1;
      continue;
    }
    while (end < message.length && quoted.includes(message.slice(start, end + 1))) end += 1;
    result += '…';
    start = end;
  }
  return result;
}
