import { LociError } from '../core/errors.ts';
import { sha256 } from '../core/ids.ts';
import type { Json, Timestamp } from '../core/types.ts';
import type { Page } from './page.ts';
import { wellFormed } from './well-formed.ts';

/** What of something changed: for each field what it was and what it is, or a patch of a long text. */
export type AuditDiff = Readonly<Record<string, Json>>;

/** A change, as whoever makes it tells it. */
export interface AuditDraft {
  readonly at: Timestamp;
  readonly actor: string;
  readonly surface: string;
  /** A verb: `write`, `update`, `delete`, `purge` … */
  readonly action: string;
  /** UUID of the record, or `startup:KEY`, `token:ID`; `null` for what concerns no single thing. */
  readonly subject: string | null;
  readonly diff: AuditDiff | null;
}

/** An entry as it stands in the log. Its hash covers the one before it, and of its diff the hash. */
export interface AuditEntry extends AuditDraft {
  /** UUID of the chain: a namespace's own, or one that it imported. */
  readonly chain: string;
  /** From 1, without gaps. */
  readonly seq: number;
  /** SHA-256 of the diff's JSON text; `null` where there never was a diff. Where it is left alone, the diff is gone. */
  readonly diffHash: string | null;
  /** Hash of the entry before; of the first, 64 zeros. */
  readonly previous: string;
  readonly hash: string;
}

export interface AuditFilter {
  readonly subject?: string;
  readonly action?: string;
  readonly actor?: string;
  readonly surface?: string;
  /** From inclusive, until exclusive. */
  readonly from?: Timestamp;
  readonly until?: Timestamp;
}

/** Where a reader of the log stopped. */
export interface AuditCursor {
  readonly at: Timestamp;
  readonly chain: string;
  readonly seq: number;
}

export interface AuditChain {
  readonly chain: string;
  /** Whether this namespace writes it, or imported it. */
  readonly own: boolean;
  readonly length: number;
}

/** Append-only: no call changes or removes an entry. Entries are written with what they tell of, in one transaction. */
export interface AuditLog {
  /** Newest first. */
  auditEntries(namespace: string, filter: AuditFilter, page: Page<AuditCursor>): Promise<AuditEntry[]>;
  /** Of one chain, in order, after a place. */
  auditChain(namespace: string, chain: string, page: Page<number>): Promise<AuditEntry[]>;
  auditChains(namespace: string): Promise<AuditChain[]>;
  /**
   * Entries of another store's chain, as they were: what is here already is left alone. Answers how many are new.
   * @throws LociError `invalid_input` where the chain does not hold together, `conflict` where it tells otherwise than
   *   here, or more of the namespace's own chain than this ever wrote
   */
  importAudit(namespace: string, entries: readonly AuditEntry[]): Promise<number>;
  /** Where the log was cut or changed, in words; empty when it is whole. */
  verifyAudit(namespace: string): Promise<string[]>;
}

export const CHAIN_START: string = '0'.repeat(64);

export function diffText(diff: AuditDiff | null): string | null {
  return diff === null ? null : JSON.stringify(diff);
}

export function auditHash(entry: Omit<AuditEntry, 'hash' | 'diff'>): string {
  const { previous, chain, seq, at, actor, surface, action, subject, diffHash } = entry;
  return sha256(JSON.stringify([previous, chain, seq, at, actor, surface, action, subject, diffHash]));
}

/** The entry that follows the head of a chain; its texts as every store gives them back, or its hash would not hold. */
export function chained(draft: AuditDraft, chain: string, length: number, head: string): AuditEntry {
  const sound = wellFormed(draft);
  const text = diffText(sound.diff);
  const diffHash = text === null ? null : sha256(text);
  const entry = { ...sound, chain, seq: length + 1, diffHash, previous: head };
  return { ...entry, hash: auditHash(entry) };
}

/** What is wrong with an entry that should follow a head, its diff as JSON beside it; `null` when it holds. */
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
      : `${at} stands there twice`;
  }
  if (entry.previous !== head)
    return `${at} does not follow the one before it: the log was cut or changed there`;
  if (auditHash(entry) !== entry.hash) return `${at} was changed`;
  if (diff !== null && sha256(diff) !== entry.diffHash) return `the diff of ${at} was changed`;
  return null;
}

/** What would let somebody else write what only the namespace itself writes. */
export function notOurs({ chain, seq }: Pick<AuditEntry, 'chain' | 'seq'>): LociError {
  return new LociError(
    'conflict',
    `entry ${String(seq)} of the audit chain ${chain} was never written here, and the chain is the one written here`,
  );
}

/** Chains that were imported may be compared with what is here entry by entry. */
export function isSameEntry(a: AuditEntry, b: AuditEntry): boolean {
  return a.hash === b.hash && a.chain === b.chain && a.seq === b.seq;
}
