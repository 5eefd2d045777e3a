/** A part of a long answer. */
export interface Page<Cursor> {
  readonly after: Cursor | null;
  readonly limit: number;
}
