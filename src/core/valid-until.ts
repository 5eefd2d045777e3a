import type { LociRecord } from './types.ts';

/** When a written record stopped being true, in ISO 8601, if a later one has taken its place; `null` otherwise. */
export function validUntil({ origin, metadata }: Pick<LociRecord, 'origin' | 'metadata'>): string | null {
  const until = origin === 'memory' ? metadata['valid_until'] : undefined;
  return typeof until === 'string' ? until : null;
}

/** Until when a record was true, in words: `true until 2026-11-26`. */
export function trueUntil(until: string): string {
  return `true until ${until.slice(0, 10)}`;
}
