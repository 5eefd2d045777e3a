import type { Timestamp } from '../core/types.ts';
import type { AuditDraft } from './audit.ts';

/** What an agent is told before it begins. */
export interface StartupEntry {
  /** Whom it is for; empty: every agent. */
  readonly agent: string;
  /** Unique for its agent. */
  readonly key: string;
  readonly content: string;
  /** Lower ones come first; 0 is what matters most. */
  readonly priority: number;
  /** Whether it is said again when nothing has changed. */
  readonly reinforce: boolean;
  readonly createdAt: Timestamp;
  readonly updatedAt: Timestamp;
  readonly deletedAt: Timestamp | null;
}

export interface StartupEntries {
  /** In any state, by priority, key and agent. */
  startupEntries(namespace: string): Promise<StartupEntry[]>;
  /** Puts entries in the place of those of the same agent and key, and notes it in the audit log; all or none. */
  putStartup(
    namespace: string,
    entries: readonly StartupEntry[],
    audit: readonly AuditDraft[],
  ): Promise<void>;
  /** The digest of what a session was told last; `null` when it was told nothing yet. */
  startupSeen(namespace: string, agent: string, session: string): Promise<string | null>;
  /**
   * Notes what a session was told. What sessions were told before `forgetBefore` is let go of, and of the namespace all
   * but the `keep` that were told last: whoever may only read makes sessions too.
   */
  noteStartupSeen(
    namespace: string,
    seen: {
      readonly agent: string;
      readonly session: string;
      readonly digest: string;
      readonly at: Timestamp;
      readonly forgetBefore: Timestamp;
      readonly keep: number;
    },
  ): Promise<void>;
}
