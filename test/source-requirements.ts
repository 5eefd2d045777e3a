import type { Proof } from './requirements.ts';

/** The tests that prove the requirements of vaults and sources. */
export const SOURCE_PROOFS: Readonly<Record<string, readonly Proof[]>> = {
  S1: [
    {
      file: 'test/e2e/homes.test.ts',
      test: 'keep the record of a moved note, remove that of a deleted one, and keep all if suddenly empty',
    },
    {
      file: 'test/faults/cli-interrupted.test.ts',
      test: 'continues after kill -9, with every committed note and the same search results',
    },
    { file: 'test/e2e/watch.test.ts', test: 'reports a changed note after it can be found' },
    {
      file: 'src/sources/vault/vault.test.ts',
      test: 'reads dates whose order is not clear as other dates of the vault are written, or as the setting says',
    },
  ],
  S2: [
    {
      file: 'test/e2e/sources.test.ts',
      test: 'is listed, approved, tested, refreshed and found (S2)',
    },
    {
      file: 'test/e2e/watch.test.ts',
      test: 'runs a source after it is approved and whenever it is due, but not after a watched file changed',
    },
    { file: 'test/e2e/source-examples.test.ts', test: '%s is found by search, with its origin' },
  ],
  S3: [
    {
      file: 'src/engine/reading/sources.test.ts',
      test: 'adds new documents, updates changed ones and removes missing ones',
    },
    {
      file: 'test/faults/source-processes.test.ts',
      test: 'during a refresh leaves all of its documents and state, or none',
    },
  ],
  S15: [
    {
      file: 'test/openclaw/remodel.test.ts',
      test: 'a turn about the kitchen remodel gets the note, and the todo that no word of the message names',
    },
    {
      file: 'src/search/related-wordings.test.ts',
      test: 'is related to the note in a %s life, however the sentence is worded, and no other todo is',
    },
  ],
  S4: [
    {
      file: 'test/e2e/default-skills.test.ts',
      test: 'in ~/%s is a source without settings, once it is approved',
    },
    {
      file: 'src/engine/reading/configured/skills.test.ts',
      test: 'has a source that waits for approval, with the exact command',
    },
    {
      file: 'src/engine/reading/configured/skills.test.ts',
      test: 'keeps its documents when it is removed, and is reported as gone',
    },
    { file: 'test/e2e/source-examples.test.ts', test: '%s is found by search, with its origin' },
  ],
  S5: [
    {
      file: 'test/e2e/sources.test.ts',
      test: 'weight orders documents that match equally well, and --explain shows it (S5)',
    },
    {
      file: 'src/search/rank/source-policy.test.ts',
      test: 'ranks a note above a todo that matches equally well, for any times of both',
    },
  ],
  S6: [
    {
      file: 'src/search/rank/rank.test.ts',
      test: 'ranks the newer of two equal matches higher, and reports the contribution of recency',
    },
    {
      file: 'src/search/rank/rank.test.ts',
      test: 'computes the recency of a source with its own weight and half-life, a week by default',
    },
  ],
  S7: [
    {
      file: 'src/ingest/replace-documents.test.ts',
      test: 'removes completed documents first, the oldest of them before the others',
    },
    {
      file: 'src/ingest/replace-documents.test.ts',
      test: 'removes the oldest open documents after the completed ones',
    },
    { file: 'src/engine/reading/sources.test.ts', test: 'keeps at most maxDocuments documents' },
  ],
  S8: [
    { file: 'test/e2e/sources.test.ts', test: 'minScore hides its weak matches and says so (S8)' },
    {
      file: 'src/search/rank/source-policy.test.ts',
      test: 'drops hits below the minimum score of their source, without counting them towards the limit',
    },
  ],
  S9: [
    {
      file: 'test/e2e/sources.test.ts',
      test: 'keeps its documents when it fails, reports the error and its time, and exits with 8 (S9)',
    },
    {
      file: 'src/engine/reading/sources.test.ts',
      test: 'that fails keeps the last documents, is retried after increasing delays, and recovers',
    },
    {
      file: 'test/faults/source-clock.test.ts',
      test: 'a source that hangs does not delay searches, other sources or the end of the engine',
    },
  ],
  S10: [
    {
      file: 'test/e2e/sources.test.ts',
      test: 'enabled: false excludes it from refreshes and searches, and keeps its documents (S10)',
    },
    {
      file: 'test/e2e/sources.test.ts',
      test: 'includeInContext: false restricts it to searches of the user (S10)',
    },
    {
      file: 'src/engine/reading/configured/source-policies.test.ts',
      test: 'excludes hidden sources in the query of the store',
    },
    { file: 'test/e2e/sources.test.ts', test: 'fields keeps other fields out of the store (S10)' },
  ],
  S11: [
    {
      file: 'test/e2e/source-operator.test.ts',
      test: 'counts the searches that found it, not its results (S11)',
    },
    { file: 'test/e2e/sources.test.ts', test: 'reports everything as JSON (S11)' },
    {
      file: 'test/e2e/source-surfaces.test.ts',
      test: 'are listed for readers, without commands, folders and fingerprints (S11)',
    },
    {
      file: 'test/e2e/source-surfaces.test.ts',
      test: 'are listed by a tool and a resource, without commands, folders and fingerprints (S11)',
    },
  ],
  S12: [
    {
      file: 'test/faults/source-processes.test.ts',
      test: 'refresh them one at a time, and as often as a single process (S12)',
    },
    {
      file: 'test/faults/source-processes.test.ts',
      test: 'continue within two lease times after one is killed during a refresh, which commits nothing',
    },
  ],
  S14: [
    {
      file: 'src/engine/reading/configured/registered-sources.test.ts',
      test: 'has documents that are found, updated and removed, without an approval (S14)',
    },
    { file: 'test/e2e/sources-docs.test.ts', test: 'has a program with a source of its own, which works' },
  ],
  S13: [
    {
      file: 'src/sources/command/fetch-documents.test.ts',
      test: 'reports each invalid document with index and id, and returns the valid ones (S13)',
    },
    {
      file: 'src/sources/command/run/run-command.test.ts',
      test: 'uses the given folder and environment, with an empty standard input',
    },
    {
      file: 'src/sources/command/run/run-command.test.ts',
      test: 'stops a command that prints more than 10 MB',
    },
    {
      file: 'src/sources/command/run/run-command.test.ts',
      test: 'ends a command at its timeout, with all its processes',
    },
    {
      file: 'test/faults/source-signals.test.ts',
      test: 'ends its commands and all their processes at each signal, and exits with 0',
    },
  ],
};
