import { formatCount } from '../../core/text/format-count.ts';

/** Notes that differ from what the store holds of them, by the looks of their files. */
export interface VaultChanges {
  readonly added: number;
  readonly changed: number;
  readonly gone: number;
}

/** `3 notes new, 1 changed`; empty when nothing is different. */
export function changesInWords({ added, changed, gone }: VaultChanges): string {
  const counts = [
    [added, 'new'],
    [changed, 'changed'],
    [gone, 'gone'],
  ] as const;
  return counts
    .filter(([count]) => count > 0)
    .map(([count, what], i) => `${i > 0 ? String(count) : formatCount(count, 'note')} ${what}`)
    .join(', ');
}
