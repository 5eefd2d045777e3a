import { oneLine } from '../../shared/escape-control.ts';

/** What verbs that write have to say alike. */

interface Masking {
  readonly masked: readonly string[];
}

/** That a text is not what was given must not go unnoticed. */
export function maskedNotices({ masked }: Masking): string[] {
  if (masked.length === 0) return [];
  return [`secrets were masked before anything was stored: ${masked.map(oneLine).join(', ')}`];
}

/** A line of its own, or nothing. */
export function wordsAlone({ embedded, why }: { embedded: boolean; why: string | null }): string {
  return embedded ? '' : `Found by its words for now: ${oneLine(why ?? 'it is not embedded yet')}.\n`;
}

/** `record/2 (Worktop)`. */
export function recordNamed({ id, title }: { id: number; title: string }): string {
  const named = title === '' ? '' : ` (${oneLine(title)})`;
  return `record/${String(id)}${named}`;
}
