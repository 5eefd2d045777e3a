import type { StoreStats } from '../admin-model.ts';
import type { Sql } from './sql.ts';
import type { TextIndex } from './text-index.ts';
import type { VectorIndex } from './vector-index.ts';

/** What a database brings: a connection, its indexes, and the care of its files. */
export interface Driver {
  readonly sql: Sql;
  readonly text: TextIndex;
  readonly vectors: VectorIndex;
  readonly storage: Storage;
}

/** A driver whose connections this process has to close. */
export interface ConnectedDriver {
  readonly driver: Driver;
  close(): Promise<void>;
}

/** What the statements of both databases cannot say about where a database keeps its tables. */
export interface Storage {
  size(): Promise<Omit<StoreStats, 'namespaces'>>;
  /** Checks what is stored below the rows. Returns the faults in words. */
  verify(): Promise<string[]>;
  /** Makes derived tables that are missing because damaged files were salvaged. Returns whether any was. Within a transaction. */
  createMissingTables(): Promise<boolean>;
  /** Makes new rows get ids after those of rows that were copied with theirs. */
  afterCopy(): Promise<void>;
  /** Erases what was removed, as far as others that read or write at the time allow it. Not within a transaction. */
  reclaim(): Promise<void>;
}
