/** Something that ranks documents for a query: the engine in one configuration, or a baseline. */
export interface System {
  readonly name: string;
  /** Ids of at most `RESULTS` documents of the collection, best first. */
  rank(collection: string, query: string): Promise<Answer>;
  close(): Promise<void>;
}

export interface Answer {
  readonly ids: readonly string[];
  /** What is shown beside the first ten. */
  readonly related?: readonly string[];
  /** How sure the system is of its best result, 0 to 1; `null` when it does not say, or has none. */
  readonly confidence: number | null;
}

/** Results asked for: the ten that are judged, and room for the note that a query was made from. */
export const RESULTS = 30;
