import type { LociRecord, Timestamp } from '../core/types.ts';
import type { Page } from './page.ts';

/** What a list shows. `Filter` is the store's, which knows of this interface and so cannot be named here. */
export type ListFilter<Filter> = Filter & {
  readonly key?: string;
  readonly keyPrefix?: string;
  /** Deleted records instead of live ones. */
  readonly deleted?: boolean;
};

export interface FactCategory {
  readonly name: string;
  readonly count: number;
  /** Those stored last, newest first. */
  readonly recentKeys: readonly string[];
}

export interface Listing<Filter> {
  /** The newest first, by id, before an id; fewer than the limit where contents are long, but only an empty page is the last. */
  listRecords(namespace: string, filter: ListFilter<Filter>, page: Page<number>): Promise<LociRecord[]>;
  /** How many live records a list has. */
  countRecords(namespace: string, filter: ListFilter<Filter>): Promise<number>;
  /** The categories of live facts, by name. */
  factCategories(namespace: string, now: Timestamp, recent: number): Promise<FactCategory[]>;
}
