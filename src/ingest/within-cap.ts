import type { Timestamp } from '../core/types.ts';
import type { MemoryDocument } from '../sources/document.ts';

export interface Cap {
  readonly maxDocuments: number;
  /** Completed documents count like others; else they go first. */
  readonly keepCompleted: boolean;
  /** The time of documents that tell none: they are listed now. */
  readonly now: Timestamp;
}

/** The documents that stay, in the order in which they came: completed ones go first, then the oldest (S7). */
export function withinCap(documents: readonly MemoryDocument[], cap: Cap): readonly MemoryDocument[] {
  if (documents.length <= cap.maxDocuments) return documents;
  const places = documents.map((document, place) => ({
    place,
    goesFirst: document.completed === true && !cap.keepCompleted,
    time: document.timestamp ?? cap.now,
  }));
  places.sort((a, b) => Number(a.goesFirst) - Number(b.goesFirst) || b.time - a.time || a.place - b.place);
  const staying = new Set(places.slice(0, cap.maxDocuments).map(({ place }) => place));
  return documents.filter((_, place) => staying.has(place));
}
