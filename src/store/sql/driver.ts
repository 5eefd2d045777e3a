import type { Sql } from './sql.ts';
import type { TextIndex } from './text-index.ts';
import type { VectorIndex } from './vector-index.ts';

/** What a database brings: a connection and its indexes. */
export interface Driver {
  readonly sql: Sql;
  readonly text: TextIndex;
  readonly vectors: VectorIndex;
}
