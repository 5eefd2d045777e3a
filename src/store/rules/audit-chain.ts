import { LociError } from '../../core/errors.ts';
import { sha256 } from '../../core/ids.ts';
import type { AuditDiff, AuditDraft, AuditEntry } from '../admin-model.ts';
import { wellFormed } from './validation.ts';

/** `previous` of the first entry. */
export const CHAIN_START: string = '0'.repeat(64);

export function diffText(diff: AuditDiff | null): string | null {
  return diff === null ? null : JSON.stringify(diff);
}

export function auditHash(entry: Omit<AuditEntry, 'hash' | 'diff'>): string {
  const { previous, chain, seq, at, actor, surface, action, subject, diffHash, session } = entry;
  const fields = [previous, chain, seq, at, actor, surface, action, subject, diffHash];
  // Entries of older versions have no session, and keep their hashes.
  return sha256(JSON.stringify(session === undefined ? fields : [...fields, session]));
}

/** The entry that follows the head of a chain. Its texts are well-formed first, as stores return them, so that the hash stays valid. */
export function chained(draft: AuditDraft, chain: string, length: number, head: string): AuditEntry {
  const { isUnseen: _, ...stored } = wellFormed(draft);
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
  const location = `entry ${String(entry.seq)} of the audit log`;
  if (entry.seq !== length + 1) {
    const missing = entry.seq - length - 1;
    return missing > 0
      ? `entries ${String(length + 1)} to ${String(entry.seq - 1)} of the audit log are missing`
      : `${location} occurs twice`;
  }
  if (entry.previous !== head)
    return `${location} does not follow the one before it: the log was truncated or changed there`;
  if (auditHash(entry) !== entry.hash) return `${location} was changed`;
  if (diff !== null && sha256(diff) !== entry.diffHash) return `the diff of ${location} was changed`;
  return null;
}

/**
 * The entries of another store's log that follow what was imported of it.
 * @param existing the stored entries with the same numbers
 * @throws LociError `conflict` for an entry that differs from the stored one, `invalid_input` for a broken chain
 */
export function newEntries(
  entries: readonly AuditEntry[],
  { length, head }: { readonly length: number; readonly head: string },
  existing: readonly AuditEntry[],
): AuditEntry[] {
  const stored = new Map(existing.map((entry) => [entry.seq, entry.hash]));
  const added: AuditEntry[] = [];
  for (const entry of entries) {
    const { chain, seq, hash } = entry;
    const storedHash = stored.get(seq);
    if (storedHash === hash) continue;
    if (storedHash !== undefined)
      throw new LociError(
        'conflict',
        `entry ${String(seq)} of the audit chain ${chain} differs from the one in this store`,
      );
    const last = added.at(-1);
    const broken = brokenLink(entry, diffText(entry.diff), last?.seq ?? length, last?.hash ?? head);
    if (broken !== null) throw new LociError('invalid_input', `the audit chain ${chain}: ${broken}`);
    stored.set(seq, hash);
    added.push(entry);
  }
  return added;
}

/** Only the namespace itself writes its own chain. */
export function neverWritten({ chain, seq }: Pick<AuditEntry, 'chain' | 'seq'>): LociError {
  return new LociError(
    'conflict',
    `entry ${String(seq)} of the audit chain ${chain} was never written here, and only this store writes that chain`,
  );
}
