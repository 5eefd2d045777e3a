import type { Metadata, Origin, Timestamp, Trust } from '../core/types.ts';

/** A document as the listing of a source reports it, without its content. */
export interface SourceItem {
  /** Identifies the document within the source: its path below the root of the vault, with `/`, in NFC. */
  readonly key: string;
  /** Changes when the document may have changed. It is only compared. */
  readonly revision: string;
  readonly bytes: number;
}

export interface SourceDocument {
  readonly key: string;
  readonly revision: string;
  /** Whether other documents of the source may give it another meaning, so that it is read again when any of them changes. */
  readonly unsettled?: boolean;
  /** An id that survives a rename (`id` in the front matter); `null` if the document has none. */
  readonly identity: string | null;
  readonly project: string | null;
  /** `null` stands for `note`. */
  readonly category: string | null;
  /** `null` stands for `note`. */
  readonly recordType: string | null;
  readonly title: string;
  readonly tags: readonly string[];
  readonly content: string;
  readonly metadata: Metadata;
  readonly createdAt: Timestamp | null;
  readonly updatedAt: Timestamp | null;
}

export const SOURCE_PROBLEM_REASONS = [
  'too_large',
  'binary',
  'unreadable',
  'outside_root',
  'not_downloaded',
  'invalid_encoding',
  'invalid_front_matter',
  'ambiguous_date',
  'unreadable_date',
  'invalid_canvas',
  'unmatched_exclude',
  'conflict_copy',
] as const;
export type SourceProblemReason = (typeof SOURCE_PROBLEM_REASONS)[number];

/** A problem with one document, for the owner of the source. */
export interface SourceProblem {
  readonly key: string;
  readonly reason: SourceProblemReason;
  readonly detail: string;
  /** Whether the document was left out. If so, its record from an earlier run is kept, unless the file is now outside the root. */
  readonly skipped: boolean;
}

/** What a rule of the owner left out of a source. */
export interface ExcludedFiles {
  readonly rule: string;
  /** The file with the rule. */
  readonly from: string;
  /** Folders end with `/`, and contain the rest of what was left out. */
  readonly paths: readonly string[];
}

/** A place that documents are read from. Loci never writes to it. */
export interface Source {
  readonly name: string;
  readonly origin: Origin;
  readonly trust: Trust;
  /**
   * Lists every document of the source in a stable order.
   * @throws LociError `unreadable` if the source as a whole cannot be read. An unmounted disk must not look like a vault
   *   whose notes were all deleted.
   */
  list(report: (problem: SourceProblem) => void, signal?: AbortSignal): AsyncIterable<SourceItem>;
  /** The number of files that the last listing left out because of their format, by the ending of the name: `.pdf`, or `` for none. */
  otherFiles?(): ReadonlyMap<string, number>;
  /** The files that a rule of the owner left out of the last listing. */
  excluded?(): readonly ExcludedFiles[];
  /** The given keys that a rule of the last listing leaves out, even if no such file exists. Their records are removed. */
  excludedOf?(keys: readonly string[]): Promise<readonly string[]>;
  /** The images that no rule of the owner leaves out, as keys. @throws LociError as `list` does */
  images?(signal?: AbortSignal): Promise<readonly string[]>;
  /** The bytes of an image; `null` if it is gone, or no file of the source. @throws LociError `too_large`, `unreadable` */
  readImage?(key: string, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | null>;
  /**
   * Reads the document of an item. Returns `null`, and reports the problem, if it is gone or cannot be used.
   * @throws LociError `aborted`
   */
  read(
    item: SourceItem,
    report: (problem: SourceProblem) => void,
    signal?: AbortSignal,
  ): Promise<SourceDocument | null>;
}
