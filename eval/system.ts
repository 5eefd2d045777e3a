import type { Evidence } from '../src/search/rank/ranking.ts';

/** Ranks documents for a query: the engine in one configuration, or a baseline. */
export interface System {
  readonly name: string;
  /**
   * Ids of at most `RESULTS` documents of the collection, best first.
   * @param src the document that the query was made from: its links must not tell the answer
   * @param hidden documents that the search must not see
   * @param now the time of the query, in milliseconds since 1970; that of the set unless given
   */
  rank(
    collection: string,
    query: string,
    src?: string,
    hidden?: readonly string[],
    now?: number,
  ): Promise<SystemResult>;
  close(): Promise<void>;
}

interface SystemResult {
  readonly ids: readonly string[];
  /** Related documents. */
  readonly related?: readonly string[];
  /** The confidence in each result, also in those that the threshold leaves out; best first. A baseline has none. */
  readonly judged?: readonly JudgedResult[];
}

interface JudgedResult {
  readonly id: string;
  /** 0 to 1. */
  readonly confidence: number;
  readonly evidence: Evidence;
}

/** Number of results: the metrics need ten, besides the note that a query was made from. */
export const RESULTS = 30;
