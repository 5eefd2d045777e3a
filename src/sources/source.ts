import type { Metadata, Origin, Timestamp, Trust } from '../core/types.ts';

/** What one look at a source finds, without reading its documents. */
export interface SourceItem {
  /** Identity within the source: a vault-relative path with `/`, NFC. */
  readonly key: string;
  /** Changes when the document may have changed; compared, never parsed. */
  readonly revision: string;
  readonly bytes: number;
}

export interface SourceDocument {
  readonly key: string;
  readonly revision: string;
  /** An identity that survives a rename (front-matter `id`), if the document has one. */
  readonly identity: string | null;
  readonly project: string | null;
  /** `note` unless the document says otherwise. */
  readonly category: string | null;
  /** `note` unless the document says otherwise. */
  readonly recordType: string | null;
  readonly title: string;
  readonly tags: readonly string[];
  readonly content: string;
  readonly metadata: Metadata;
  readonly createdAt: Timestamp | null;
  readonly updatedAt: Timestamp | null;
}

export type SourceProblemReason =
  'too_large' | 'binary' | 'unreadable' | 'outside_root' | 'invalid_encoding' | 'invalid_front_matter';

/**
 * Something about one document that the owner should know. `skipped` says whether it was left out: what was known of it
 * before stays then, unless it is outside the root now.
 */
export interface SourceProblem {
  readonly key: string;
  readonly reason: SourceProblemReason;
  readonly detail: string;
  readonly skipped: boolean;
}

/** Somewhere documents come from. Read-only: Loci never writes to it. */
export interface Source {
  readonly name: string;
  readonly origin: Origin;
  readonly trust: Trust;
  /**
   * Every document there is now, in a stable order, one at a time.
   * @throws LociError `unreadable` when the source as a whole cannot be looked at, so that a
   *   vanished disk is never taken for a vault whose notes were all deleted.
   */
  list(report: (problem: SourceProblem) => void, signal?: AbortSignal): AsyncIterable<SourceItem>;
  /** The document behind an item; `null` when it is gone or unfit by now (and reported). @throws LociError `aborted` */
  read(
    item: SourceItem,
    report: (problem: SourceProblem) => void,
    signal?: AbortSignal,
  ): Promise<SourceDocument | null>;
}
