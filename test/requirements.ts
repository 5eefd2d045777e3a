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
export const PROOFS: Readonly<Record<string, readonly Proof[]>> = {
  R1: [
    { file: 'src/search/fuse.test.ts', test: 'fuses ranks reciprocally, rank 1 being 1' },
    { file: 'src/search/fuse.test.ts', test: 'says what each signal added' },
    {
      file: 'test/e2e/newcomer.test.ts',
      test: 'finds the note that was meant, with age, source, citation and reasons',
    },
  ],
  R2: [
    {
      file: 'src/search/rank.test.ts',
      test: 'never lets recency lift a record above one that matches better by more than its reach (R2)',
    },
  ],
  R3: [
    {
      file: 'test/e2e/newcomer.test.ts',
      test: 'finds the note that was meant, with age, source, citation and reasons',
    },
  ],
  R4: [{ file: 'test/e2e/newcomer.test.ts', test: 'reads what a result cites, with line numbers or plain' }],
  R11: [
    {
      file: 'test/e2e/local-model.test.ts',
      test: 'finds what was said in other words, from a process that ends by itself',
    },
  ],
  R12: [
    { file: 'test/contract/store-vectors.ts', test: 'never lets two generations meet' },
    {
      file: 'test/contract/store-vectors.ts',
      test: 'refuses vectors of another length or of no numbers, and generations that are not there',
    },
    {
      file: 'src/engine/write.test.ts',
      test: 'never compares vectors of two models: it says which, and what to run',
    },
  ],
  R14: [
    {
      file: 'test/faults/store-migration.test.ts',
      test: 'refuses a store of a newer schema and leaves it as it is',
    },
    {
      file: 'test/faults/store-migration.test.ts',
      test: 'copies an older store, privately, before it changes it',
    },
    { file: 'test/faults/store-migration.test.ts', test: 'that fails changes nothing' },
  ],
  R16: [
    {
      file: 'test/faults/cli-model-down.test.ts',
      test: 'keeps nothing from being written and found by its words, and is caught up with later',
    },
  ],
  F5: [
    {
      file: 'test/e2e/mcp-stdio.test.ts',
      test: 'has what the owner wants said and what facts there are as resources (F5)',
    },
  ],
  S1: [
    {
      file: 'test/e2e/homes.test.ts',
      test: 'that moved or lost a note keep the record or lose it; one that is suddenly empty keeps all',
    },
    {
      file: 'test/faults/cli-interrupted.test.ts',
      test: 'killed with kill -9 loses nothing that was committed and ends the same',
    },
  ],
};
