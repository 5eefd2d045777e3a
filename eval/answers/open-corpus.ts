import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configSchema } from '../../src/config/schema.ts';
import { LociError } from '../../src/core/errors.ts';
import { openEngine } from '../../src/engine/open.ts';
import type { EvalConfiguration } from '../configuration.ts';
import { UNDATED } from '../source-records.ts';
import { notesOf, type Corpus } from './question-set.ts';
import type { EngineContext } from '../../src/engine/context.ts';
import { indexVaults } from '../../src/engine/reading/index-vaults.ts';
import { reindex } from '../../src/engine/health/reindex.ts';
import { storeStatus } from '../../src/engine/health/status.ts';

const CACHE_FOLDER: string = fileURLToPath(new URL('../../.cache/eval/answers', import.meta.url));

/** The time of all questions. */
const NOW: number = Date.UTC(2026, 10, 21);

/**
 * Opens Loci on the notes of a corpus as a user has it: an indexed vault in a store of its own. The store is kept, so that later calls
 * embed only new texts. It indexes copies of the notes, because the times of files in a checkout are not those of the notes.
 * @param folder where the copies and the store are
 * @throws LociError `embedding_unavailable` if not every note is indexed, and the errors of the engine
 */
export async function openCorpus(
  corpus: Corpus,
  { provider, minScore }: Pick<EvalConfiguration, 'provider' | 'minScore'>,
  folder: string = CACHE_FOLDER,
): Promise<EngineContext> {
  const home = join(folder, corpus.id);
  const vault = join(home, 'notes');
  const notes = copyNotes(corpus, vault);
  const config = configSchema.parse({
    store: { path: join(home, `${provider}.db`) },
    embedding: { provider },
    search: { minScore },
    vaults: [{ name: corpus.id, path: vault }],
    skills: [],
  });
  const loci = await openEngine(config, { now: () => NOW });
  try {
    await indexVaults(loci);
    // The code that cuts notes into passages may have changed since the store was made.
    await reindex(loci);
    const { records, embedding } = await storeStatus(loci);
    if (records !== notes || embedding.pending > 0)
      throw new LociError('embedding_unavailable', `${corpus.id} is not indexed completely`, {
        hint: 'Wait for other runs of the evaluation to end, and try again.',
      });
    return loci;
  } catch (error) {
    await loci.close();
    throw error;
  }
}

/** Returns the number of notes. */
function copyNotes(corpus: Corpus, to: string): number {
  rmSync(to, { recursive: true, force: true });
  const notes = notesOf(corpus);
  for (const [path, text] of notes) {
    const copy = join(to, path);
    mkdirSync(dirname(copy), { recursive: true });
    writeFileSync(copy, text);
    utimesSync(copy, new Date(UNDATED), new Date(UNDATED));
  }
  return notes.size;
}
