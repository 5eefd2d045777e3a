import type { Embedder, EmbedOptions } from '../../embed/embedder.ts';
import { RefusedTextsError, type TextResult } from '../../embed/refused-texts.ts';
import type { PassageRow } from './arrow-rows.ts';
import { among, type PassageTable } from './passage-table.ts';

/** A run that stops loses these. */
const PASSAGES_OF_BATCH = 512;
export const WITHOUT_VECTOR = 'vector IS NULL';

/**
 * Embeds each passage that has no vector. Texts that the provider refuses stay without one.
 * @throws LociError `embedding_unavailable`, `aborted`
 */
export async function embedPassages(
  table: PassageTable,
  embedder: Embedder,
  options: Required<Pick<EmbedOptions, 'brief' | 'signal'>>,
): Promise<void> {
  const pending: Embedded[] = [];
  for await (const passage of table.rows(['id', 'hash'], WITHOUT_VECTOR)) pending.push(passage);
  for (let from = 0; from < pending.length; from += PASSAGES_OF_BATCH) {
    const batch = pending.slice(from, from + PASSAGES_OF_BATCH);
    const vectors = await table.vectorsOf(batch.map(({ hash }) => hash));
    const texts = await textsOf(
      table,
      batch.filter(({ hash }) => !vectors.has(hash)),
    );
    const results = await embedded(embedder, [...texts.values()], options);
    for (const [i, hash] of [...texts.keys()].entries())
      if (typeof results[i] !== 'string') vectors.set(hash, results[i]!);
    await table.setVectors(batch, vectors);
    await table.optimize({ isWriting: true });
    options.signal.throwIfAborted();
  }
}

type Embedded = Pick<PassageRow, 'id' | 'hash'>;

/** What is embedded of passages, by its hash. */
async function textsOf(table: PassageTable, passages: readonly Embedded[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  if (passages.length === 0) return texts;
  const where = among(
    'id',
    passages.map(({ id }) => id),
  );
  for await (const { hash, words, textEnd } of table.rows(['hash', 'words', 'textEnd'], where))
    texts.set(hash, words.slice(0, textEnd));
  return texts;
}

async function embedded(
  embedder: Embedder,
  texts: readonly string[],
  options: Pick<EmbedOptions, 'brief' | 'signal'>,
): Promise<readonly TextResult[]> {
  try {
    return await embedder.embed(texts, { ...options, purpose: 'passage' });
  } catch (error) {
    if (error instanceof RefusedTextsError) return error.results;
    throw error;
  }
}
