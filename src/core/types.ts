/** The central types of Loci: record, passage, origin, trust. */

/** Where a record came from. */
export const ORIGINS = ['memory', 'fact', 'vault', 'source', 'audit'] as const;
export type Origin = (typeof ORIGINS)[number];

/**
 * Trust classes of texts, the most trusted first: `operator` for what the owner wrote (vaults, startup entries, command
 * line), `agent` for what agents wrote with their tools, `external` for the documents of sources.
 */
export const TRUST = ['operator', 'agent', 'external'] as const;
export type Trust = (typeof TRUST)[number];

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type Metadata = { [key: string]: Json };

/** Milliseconds since the Unix epoch. */
export type Timestamp = number;

/** A part of a text: offsets in UTF-16 code units, end exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A remembered text of any origin. Canonical: it is never rebuilt from anything else. */
export interface LociRecord {
  readonly namespace: string;
  /** A small number, unique within the namespace and never reused. */
  readonly id: number;
  /** A UUIDv7. It stays the same through export and import. */
  readonly uuid: string;
  readonly project: string;
  readonly origin: Origin;
  /** The name of its vault or source, or the surface that wrote it (`cli`, `mcp` …). */
  readonly source: string;
  readonly trust: Trust;
  /** Its key in the source: a path relative to the vault, or a document id. `null` for records that were written. */
  readonly key: string | null;
  /** An identity in the source that survives a rename (`id` in front matter). */
  readonly identity: string | null;
  readonly category: string;
  readonly recordType: string;
  readonly title: string;
  readonly tags: readonly string[];
  /** The unchanged text. */
  readonly content: string;
  readonly metadata: Metadata;
  readonly createdAt: Timestamp;
  readonly updatedAt: Timestamp;
  readonly deletedAt: Timestamp | null;
  readonly expiresAt: Timestamp | null;
  /** SHA-256 of the content in hexadecimal. */
  readonly contentHash: string;
  /** An opaque value with which the source detects a change without reading the content, such as size and mtime of a file. */
  readonly revision: string | null;
}

/** A part of a record that is embedded and searched. Derived: `loci doctor reindex` rebuilds it. */
export interface Passage {
  /** Position in the record, from 0. */
  readonly ordinal: number;
  /** Headings above the passage, outermost first. */
  readonly headings: readonly string[];
  readonly text: string;
  /** Text that is indexed and embedded with the passage, but never shown. Only the last passage of a record can have one. */
  readonly context: string | null;
  /** First and last line in the content of the record, from 1, inclusive. */
  readonly startLine: number;
  readonly endLine: number;
  /** The first 16 bytes, in hexadecimal, of the SHA-256 of the embedded text (`ingest/passages.ts`). */
  readonly hash: string;
}
