/** The nouns of Loci. `requirements.md`'s words: record, passage, origin, namespace, project. */

/** Where a record came from. */
export const ORIGINS = ['memory', 'fact', 'vault', 'source', 'audit'] as const;
export type Origin = (typeof ORIGINS)[number];

/**
 * How far a text can be trusted, the most first: `operator` is what the owner's own hand wrote (vault, startup entries,
 * command line), `agent` what agents wrote through their tools, `external` what sources brought from elsewhere.
 */
export const TRUST = ['operator', 'agent', 'external'] as const;
export type Trust = (typeof TRUST)[number];

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type Metadata = { [key: string]: Json };

/** Milliseconds since the Unix epoch. */
export type Timestamp = number;

/** One remembered thing, whatever its origin. Canonical: it is never rebuilt from anything else. */
export interface LociRecord {
  readonly namespace: string;
  /** Small, unique within the namespace, never used again. */
  readonly id: number;
  /** UUIDv7; survives export and import. */
  readonly uuid: string;
  readonly project: string;
  readonly origin: Origin;
  /** Who brought it: a vault's or a source's name, or the surface that wrote it (`cli`, `mcp` …). */
  readonly source: string;
  readonly trust: Trust;
  /** Where it stands in the source: a vault-relative path, a document id. `null` for what an agent wrote. */
  readonly key: string | null;
  /** An identity of the source's own that survives a rename (front-matter `id`). */
  readonly identity: string | null;
  readonly category: string;
  readonly recordType: string;
  readonly title: string;
  readonly tags: readonly string[];
  /** The text as its owner wrote it. */
  readonly content: string;
  readonly metadata: Metadata;
  readonly createdAt: Timestamp;
  readonly updatedAt: Timestamp;
  readonly deletedAt: Timestamp | null;
  readonly expiresAt: Timestamp | null;
  /** SHA-256 of the content, hexadecimal. */
  readonly contentHash: string;
  /** What the source compares to tell "unchanged" without reading (size and mtime of a file); opaque here. */
  readonly revision: string | null;
}

/** A piece of a record that is embedded and searched. Derived: `loci reindex` rebuilds it. */
export interface Passage {
  /** Position within the record, from 0. */
  readonly ordinal: number;
  /** Headings above the passage, outermost first. */
  readonly headings: readonly string[];
  readonly text: string;
  /** First and last line within the record's content, from 1, inclusive. */
  readonly startLine: number;
  readonly endLine: number;
  /** First 16 bytes, hexadecimal, of the SHA-256 of what is embedded (`ingest/embedding-text.ts`). */
  readonly hash: string;
}
