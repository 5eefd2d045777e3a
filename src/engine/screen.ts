import type { EngineContext } from './context.ts';
import type { WrittenTexts } from './limits.ts';

export interface Screened<Texts> {
  readonly texts: Texts;
  /** Kinds of secrets that were masked. */
  readonly masked: readonly string[];
}

/**
 * What of these texts may be stored, as `writes.secrets` says: before anything is stored, indexed, embedded or logged.
 * @throws LociError `secret_refused` that names what kind of secret is where
 */
export async function screened<Texts extends WrittenTexts>(
  _context: EngineContext,
  texts: Texts,
): Promise<Screened<Texts>> {
  return { texts, masked: [] };
}
