import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configSchema } from '../../src/config/schema.ts';
import { LociError } from '../../src/core/errors.ts';
import type { EngineContext } from '../../src/engine/context.ts';
import { reindex } from '../../src/engine/health/reindex.ts';
import { storeStatus } from '../../src/engine/health/status.ts';
import { openEngine } from '../../src/engine/open.ts';
import { indexVaults } from '../../src/engine/reading/index-vaults.ts';
import { loadTokenCounter } from '../../src/pack/tokens.ts';
import type { EvalConfiguration } from '../configuration.ts';
import type { Model } from '../model.ts';
import { UNDATED } from '../source-records.ts';
import { askAll, type AskedQuestion } from './measure.ts';
import { type Corpus, notesOf, type Question } from './question-set.ts';
import { systemsOf } from './systems.ts';

const CACHE_FOLDER: string = fileURLToPath(new URL('../../.cache/eval/answers', import.meta.url));

/** The time of all questions. */
const NOW: number = Date.UTC(2026, 10, 21);

/**
 * Opens Loci on the notes of a corpus as a user has it: an indexed vault in a store of its own. The store is kept, so that later calls
 * embed only new texts. It indexes copies of the notes, because the times of files in a checkout are not those of the notes.
 * @param folder where the copies and the store are
 * @throws LociError `embedding_unavailable` if not every note is indexed, and the errors of the engine
 */
async function openCorpus(
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

interface AnswerOptions {
  /** Only these questions. */
  readonly half: Question['half'] | null;
  readonly signal?: AbortSignal;
  /** The folder of the indexed corpora; the repository's cache unless given. */
  readonly folder?: string;
}

/** Indexes the corpora unless they are indexed, and asks all systems their questions. */
export async function evaluateAnswers(
  corpora: readonly Corpus[],
  configuration: EvalConfiguration,
  model: Pick<Model, 'embedder'>,
  { half, signal, folder }: AnswerOptions,
): Promise<AskedQuestion[]> {
  const count = await loadTokenCounter();
  const asked: AskedQuestion[] = [];
  for (const corpus of corpora) {
    const loci = await openCorpus(corpus, configuration, folder);
    try {
      const asking = await systemsOf(corpus, loci, model, count);
      const questions = corpus.questions.filter((question) => half === null || question.half === half);
      asked.push(...(await askAll(corpus.id, questions, asking, count, signal)));
    } finally {
      await loci.close();
    }
  }
  return asked;
}
