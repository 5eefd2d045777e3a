/** Ranks documents for a query: the engine in one configuration, or a baseline. */
export interface System {
  readonly name: string;
  /**
   * Ids of at most `RESULTS` documents of the collection, best first.
   * @param src the document that the query was made from: its links must not tell the answer
   */
  rank(collection: string, query: string, src?: string): Promise<SystemResult>;
  close(): Promise<void>;
}

export interface SystemResult {
  readonly ids: readonly string[];
  /** Related documents. */
  readonly related?: readonly string[];
  /** Confidence in the best result, 0 to 1; `null` without results or from a system without confidence. */
  readonly confidence: number | null;
}

/** Number of results: the metrics need ten, besides the note that a query was made from. */
export const RESULTS = 30;
