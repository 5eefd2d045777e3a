import type { Proof } from './requirements.ts';

/** Which tests prove what of vaults and sources. */
export const SOURCE_PROOFS: Readonly<Record<string, readonly Proof[]>> = {
  S1: [
    {
      file: 'test/e2e/homes.test.ts',
      test: 'that moved or lost a note keep the record or lose it; one that is suddenly empty keeps all',
    },
    {
      file: 'test/faults/cli-interrupted.test.ts',
      test: 'killed with kill -9 loses nothing that was committed and ends the same',
    },
    { file: 'test/e2e/watch.test.ts', test: 'reports a changed note after it can be found' },
  ],
  S2: [
    {
      file: 'test/e2e/sources.test.ts',
      test: 'is listed, waits for its approval, is tried, taken in and found (S2)',
    },
    {
      file: 'test/e2e/watch.test.ts',
      test: 'runs a source after it is approved and whenever it is due, but not after a watched file changed',
    },
    { file: 'test/e2e/source-examples.test.ts', test: '%s is found by search, with where it comes from' },
  ],
  S3: [
    {
      file: 'src/engine/sources/sources.test.ts',
      test: 'takes in what is new and changed, and lets go of what is gone',
    },
    {
      file: 'test/faults/source-processes.test.ts',
      test: 'in the middle of a refresh leaves all of it or nothing, its state included',
    },
  ],
  S4: [
    {
      file: 'src/engine/sources/skills.test.ts',
      test: 'brings a source that waits for its approval, with the exact command',
    },
    { file: 'src/engine/sources/skills.test.ts', test: 'that is gone leaves its documents, and says so' },
    { file: 'test/e2e/source-examples.test.ts', test: '%s is found by search, with where it comes from' },
  ],
  S5: [
    {
      file: 'test/e2e/sources.test.ts',
      test: 'weight decides between what matches as well, and --explain shows it (S5)',
    },
    {
      file: 'src/search/rank/source-policy.test.ts',
      test: 'ranks a note above a todo that matches equally well, whatever their times',
    },
  ],
  S6: [
    {
      file: 'src/search/rank/rank.test.ts',
      test: 'ranks the newer of two equal matches higher, and reports the contribution of recency',
    },
    {
      file: 'src/search/rank/rank.test.ts',
      test: 'reckons the recency of a source by its own weight and half-life, a week unless it says so',
    },
  ],
  S7: [
    {
      file: 'src/ingest/replace-documents.test.ts',
      test: 'lets completed ones go first, the oldest of them before the others',
    },
    { file: 'src/ingest/replace-documents.test.ts', test: 'then the oldest' },
    { file: 'src/engine/sources/sources.test.ts', test: 'keeps as many as there may be' },
  ],
  S8: [
    { file: 'test/e2e/sources.test.ts', test: 'minScore keeps its weak matches out, and it is said so (S8)' },
    {
      file: 'src/search/rank/source-policy.test.ts',
      test: 'drops hits below the minimum score of their source, which take no place of others',
    },
  ],
  S9: [
    {
      file: 'test/e2e/sources.test.ts',
      test: 'that fails keeps what it brought, says what it was and when, and exits with 8 (S9)',
    },
    {
      file: 'src/engine/sources/sources.test.ts',
      test: 'that fails keeps the last good documents, waits longer each time, and recovers by itself',
    },
    {
      file: 'test/faults/source-clock.test.ts',
      test: 'a source that hangs delays neither a search nor another source, nor the end',
    },
  ],
  S10: [
    {
      file: 'test/e2e/sources.test.ts',
      test: 'enabled: false neither runs nor finds it; what is known of it stays (S10)',
    },
    { file: 'test/e2e/sources.test.ts', test: 'includeInContext: false leaves it to whoever searches (S10)' },
    {
      file: 'src/engine/sources/source-policies.test.ts',
      test: 'asks the store for nothing of sources that are off, nor unasked of those out of the context',
    },
    { file: 'test/e2e/sources.test.ts', test: 'fields keeps out of the store what is not named (S10)' },
  ],
  S11: [
    {
      file: 'test/e2e/source-operator.test.ts',
      test: 'counts the searches that it was found by, not its results (S11)',
    },
    { file: 'test/e2e/sources.test.ts', test: 'tells all of that in JSON too (S11)' },
    {
      file: 'test/e2e/source-surfaces.test.ts',
      test: 'are listed for whoever may read, without commands, folders and fingerprints (S11)',
    },
    {
      file: 'test/e2e/source-surfaces.test.ts',
      test: 'are listed by a tool and a resource, without commands, folders and fingerprints (S11)',
    },
  ],
  S12: [
    {
      file: 'test/faults/source-processes.test.ts',
      test: 'refresh them one at a time, and as often as one would (S12)',
    },
    {
      file: 'test/faults/source-processes.test.ts',
      test: 'go on without the one that is killed in the middle, within two lease times; it commits nothing',
    },
  ],
  S13: [
    {
      file: 'src/sources/command/fetch-documents.test.ts',
      test: 'names each bad document by index and id, and keeps the good ones (S13)',
    },
    {
      file: 'src/sources/command/run/run-command.test.ts',
      test: 'gives it the folder and the environment that are asked for, and nothing to read',
    },
    { file: 'src/sources/command/run/run-command.test.ts', test: 'stops what prints more than 10 MB' },
    {
      file: 'src/sources/command/run/run-command.test.ts',
      test: 'ends what hangs when its time is up, with all that it started',
    },
    {
      file: 'test/faults/source-signals.test.ts',
      test: 'ends its commands and all that they started at each signal, and exits with 0',
    },
  ],
};
