/** The types of concepts: the names that records have and mention, and what operators changed about concepts. */

import type { Timestamp } from '../core/types.ts';
import type { Page } from './model.ts';

/** Where a name comes from, the most certain first. */
export const NAME_KINDS = ['title', 'alias', 'tag', 'phrase'] as const;
export type NameKind = (typeof NAME_KINDS)[number];

/** A name that a record has. Derived from the record alone. */
export interface ConceptName {
  /** The form in which names are compared; see `graph/concepts/name.ts`. */
  readonly key: string;
  /** As written. */
  readonly text: string;
  readonly kind: NameKind;
  /** Line of the text, from 1; `null` for a name of the properties. */
  readonly line: number | null;
}

/** A title or alias of another record in the text of a record. */
export interface ConceptMention {
  readonly key: string;
  /** Line of the first occurrence, from 1. */
  readonly line: number;
  /** How often it occurs. */
  readonly count: number;
}

/** What the concepts of a namespace derive from one record. */
export interface RecordConcepts {
  readonly project: string;
  /** The id of its node in the graph if it is a note, else `null`. */
  readonly note: string | null;
  /** One for each key. */
  readonly names: readonly ConceptName[];
  /** One for each key. */
  readonly mentions: readonly ConceptMention[];
}

export interface StoredName extends ConceptName, Pick<RecordConcepts, 'project' | 'note'> {
  readonly record: number;
}

/** Which names of records. */
export type NameSelector =
  /** Titles and aliases of a project, and the tags and phrases that two or more of its records have. */
  { readonly project: string } | { readonly records: readonly number[] };

// ── Changes by operators ─────────────────────────────────────────────────────────────────────────

interface ConceptChangeBase {
  /** A UUIDv7. */
  readonly id: string;
  readonly at: Timestamp;
  /** Who made it, and through which surface. */
  readonly actor: string;
  readonly surface: string;
  readonly project: string;
}

/**
 * What an operator changed about the concepts of a project. Canonical. A change refers to a concept by one of its names or by
 * the id of a note's node, so that it means the same after the index was rebuilt and in another store.
 */
export type ConceptChange = ConceptChangeBase & ConceptChangeDetail;

export type ConceptChangeDetail =
  /** The concepts of `from` become part of the one of `into`. */
  | { readonly kind: 'merge'; readonly into: string; readonly from: readonly string[] }
  /** These names of the concept of `from` become a concept of their own, which has the id of the first. */
  | { readonly kind: 'split'; readonly from: string; readonly names: readonly string[] }
  /** The concept is called `label`. */
  | { readonly kind: 'rename'; readonly concept: string; readonly label: string }
  /** The change with this id does not count. */
  | { readonly kind: 'undo'; readonly change: string };

/** How far the names and mentions have been derived. */
export interface ConceptProgress {
  /** The last change of a record whose names and mentions are derived; 0 before the first time. */
  readonly upTo: number;
  /** The rules by which they were derived. */
  readonly rules: string;
}

/** Names and mentions to write; `null` removes those of a record. */
export interface ConceptUpdate {
  readonly records: ReadonlyMap<number, RecordConcepts | null>;
  readonly progress: ConceptProgress;
}

/** The part of `StoreGraph` that is about concepts. */
export interface StoreConcepts {
  /** By record and key. */
  conceptNames(namespace: string, selector: NameSelector): Promise<StoredName[]>;
  /** What was derived from each of these records; those without a row are left out. */
  recordConcepts(namespace: string, records: readonly number[]): Promise<Map<number, RecordConcepts>>;
  /** How many records of a project mention each key or have it as a tag or phrase. */
  conceptFrequencies(
    namespace: string,
    project: string,
    keys: readonly string[],
  ): Promise<Map<string, number>>;
  /** Records of a project that mention one of the keys or have it as a name of any kind, by id; at most `limit` after the cursor. */
  recordsWithNames(
    namespace: string,
    project: string,
    keys: readonly string[],
    page: Page<number>,
  ): Promise<number[]>;
  conceptProgress(namespace: string): Promise<ConceptProgress>;
  /** In the order in which they were made. */
  conceptChanges(namespace: string): Promise<ConceptChange[]>;
}
