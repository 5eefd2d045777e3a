import { LociError } from '../../core/errors.ts';
import { sha256 } from '../../core/ids.ts';
import type { AuditDiff, AuditDraft, AuditEntry } from '../admin-model.ts';
import { wellFormed } from './well-formed.ts';

/** `previous` of the first entry. */
export const CHAIN_START: string = '0'.repeat(64);

export function diffText(diff: AuditDiff | null): string | null {
  return diff === null ? null : JSON.stringify(diff);
}

export function auditHash(entry: Omit<AuditEntry, 'hash' | 'diff'>): string {
  const { previous, chain, seq, at, actor, surface, action, subject, diffHash } = entry;
  return sha256(JSON.stringify([previous, chain, seq, at, actor, surface, action, subject, diffHash]));
}

/** The entry that follows the head of a chain. Its texts are well-formed first, as stores return them, so that the hash stays valid. */
export function chained(draft: AuditDraft, chain: string, length: number, head: string): AuditEntry {
  const stored = wellFormed(draft);
  const text = diffText(stored.diff);
  const diffHash = text === null ? null : sha256(text);
  const entry = { ...stored, chain, seq: length + 1, diffHash, previous: head };
  return { ...entry, hash: auditHash(entry) };
}

/** What is wrong with an entry that should follow a head; `null` if it is correct. `diff` is its diff as JSON. */
export function brokenLink(
  entry: Omit<AuditEntry, 'diff'>,
  diff: string | null,
  length: number,
  head: string,
): string | null {
  const at = `entry ${String(entry.seq)} of the audit log`;
  if (entry.seq !== length + 1) {
    const missing = entry.seq - length - 1;
    return missing > 0
      ? `entries ${String(length + 1)} to ${String(entry.seq - 1)} of the audit log are missing`
      : `${at} occurs twice`;
  }
  if (entry.previous !== head)
    return `${at} does not follow the one before it: the log was cut or changed there`;
  if (auditHash(entry) !== entry.hash) return `${at} was changed`;
  if (diff !== null && sha256(diff) !== entry.diffHash) return `the diff of ${at} was changed`;
  return null;
}

/** Only the namespace itself writes its own chain. */
export function notOurs({ chain, seq }: Pick<AuditEntry, 'chain' | 'seq'>): LociError {
  return new LociError(
    'conflict',
    `entry ${String(seq)} of the audit chain ${chain} was never written here, and the chain is the one written here`,
  );
}

export function isSameEntry(a: AuditEntry, b: AuditEntry): boolean {
  return a.hash === b.hash && a.chain === b.chain && a.seq === b.seq;
}
