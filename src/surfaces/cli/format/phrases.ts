import { oneLine } from '../../shared/escape-control.ts';

/** A warning if secrets in the input were masked, because the stored text then differs from what was given. */
export function maskedWarnings({ masked }: { readonly masked: readonly string[] }): string[] {
  if (masked.length === 0) return [];
  return [`secrets were masked before anything was stored: ${masked.map(oneLine).join(', ')}`];
}

/** A line that says why a text has no embedding yet; empty if it has one. */
export function notEmbeddedLine({ embedded, why }: { embedded: boolean; why: string | null }): string {
  return embedded ? '' : `Found by its words for now: ${oneLine(why ?? 'it is not embedded yet')}.\n`;
}

/** `record/2 (Worktop)`. */
export function recordName({ id, title }: { id: number; title: string }): string {
  return `record/${String(id)}${title === '' ? '' : ` (${oneLine(title)})`}`;
}

/** `3 added, 2 removed`: omits counts of 0. */
export function countsText(counts: readonly (readonly [count: number, change: string])[]): string[] {
  return counts.filter(([count]) => count > 0).map(([count, change]) => `${String(count)} ${change}`);
}
