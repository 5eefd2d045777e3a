/** The ids of the requirements: R records and search, S sources, F facts, G graph and packs, A adapters. */
const COUNTS = { R: 18, S: 13, F: 9, G: 11, A: 6 } as const;

export const REQUIREMENT_IDS: readonly string[] = Object.entries(COUNTS).flatMap(([letter, count]) =>
  Array.from({ length: count }, (_, i) => `${letter}${i + 1}`),
);

/** A test that would fail if the requirement were not met. */
export interface Proof {
  readonly file: string;
  /** The name as it stands in `it('…')`. */
  readonly test: string;
}

/** Which tests prove what. An id that no test proves yet is absent. */
export const PROOFS: Readonly<Record<string, readonly Proof[]>> = {};
