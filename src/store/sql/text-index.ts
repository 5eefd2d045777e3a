import type { IndexedFields } from '../lexical/text-fields.ts';
import type { Passage } from '../../core/types.ts';

/** A passage with the fields of its record that are indexed with it. */
export interface TextEntry {
  readonly passage: number;
  readonly fields: IndexedFields;
  readonly text: Passage;
}

/** Changes of the passages of a namespace. The removed ones have the fields with which they were indexed. */
export interface TextChange {
  readonly added: readonly TextEntry[];
  readonly removed: readonly TextEntry[];
  /** Removed passages of which no byte may remain. */
  readonly erased: readonly TextEntry[];
  /** Whether no word of passages that were removed before may remain either. */
  readonly isPurge: boolean;
}

/** Finds passages by their words, and counts the words of a namespace. */
export interface TextIndex {
  /** Prepares a new namespace. Within the transaction that creates it. */
  create(ns: number): Promise<void>;
  /** Within the transaction that changes the passages. */
  change(ns: number, change: TextChange): Promise<void>;
}
