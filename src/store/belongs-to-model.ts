/** The types of the edges that lead from documents of sources to notes. */

/** An edge from a document of a source to a note that the document's own text finds. */
export interface BelongsTo {
  readonly document: number;
  /** The document's first passage. */
  readonly passage: number;
  readonly note: number;
  readonly noteTitle: string;
  /** The selected note: `note`, or a note that links to it. For a selection by document always `note`. */
  readonly via: number;
  /** Place of the note among those that the document's text finds, from 1. */
  readonly position: number;
  /** The note's ranking score as a share of the best note's. 0 to 1. */
  readonly share: number;
  /** The confidence of that search in the note. 0 to 1. */
  readonly confidence: number;
}

export type BelongsToSelector =
  /** Edges to these notes, and to the notes that they link to. */
  | { readonly notes: readonly number[] }
  /** Edges of these documents. */
  | { readonly documents: readonly number[] };

/** A note that the text of a document finds. */
export type NoteOfDocument = Pick<BelongsTo, 'note' | 'share' | 'confidence'>;

export interface BelongsToUpdate {
  /** The notes of each document, best first. They replace those that the document had. */
  readonly edges: ReadonlyMap<number, readonly NoteOfDocument[]>;
  readonly progress: BelongsToProgress;
}

/** How far the edges of documents have been derived. */
export interface BelongsToProgress {
  /** The last change of a record that all edges take into account; 0 before the first time. */
  readonly upTo: number;
  /** The vaults whose notes were left out. */
  readonly excludedSources: readonly string[];
  /** A pass over all documents that has not ended; `null` if there is none. */
  readonly pass: BelongsToPass | null;
}

export interface BelongsToPass {
  /** The last change when the pass began. */
  readonly upTo: number;
  /** The id of the last document that is done. The documents are in the order of their ids. */
  readonly document: number;
}
