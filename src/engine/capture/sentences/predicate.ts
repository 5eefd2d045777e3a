/**
 * A pattern of a whole sentence, and the subject of what it says, if that has one value at a time: a later sentence with the same
 * subject replaces the former. The group `of` is a part of the subject.
 */
export type Predicate = readonly [pattern: string, subject?: string];
