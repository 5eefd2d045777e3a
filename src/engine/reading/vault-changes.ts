import { formatCount } from '../../core/text/format-count.ts';
import type { VaultChanges } from './vault-states.ts';

/** `3 notes new, 1 changed`; empty when nothing differs. */
export function formatVaultChanges({ added, changed, gone }: VaultChanges): string {
  const counts = [
    [added, 'new'],
    [changed, 'changed'],
    [gone, 'gone'],
  ] as const;
  return counts
    .filter(([count]) => count > 0)
    .map(([count, change], i) => `${i > 0 ? String(count) : formatCount(count, 'note')} ${change}`)
    .join(', ');
}
