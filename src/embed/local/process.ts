/** The entry of the embedding process; see `embedding-process.ts`. */

import { LociError, messageOf } from '../../core/errors.ts';
import type { ProcessAnswer, ProcessRequest } from './embedding-process.ts';
import { createLocalEmbedder } from './local.ts';

const [threads = '1', revectorize] = process.argv.slice(2);
const embedder = createLocalEmbedder({ threads: Number(threads), revectorize: revectorize === 'true' });
const running = new Map<number, AbortController>();

async function answer(id: number, texts: readonly string[]): Promise<ProcessAnswer> {
  const stop = new AbortController();
  running.set(id, stop);
  try {
    const vectors = await embedder.embed(texts, { purpose: 'passage', signal: stop.signal });
    const joined = new Float32Array(vectors.length * embedder.dimensions);
    vectors.forEach((vector, i) => joined.set(vector, i * embedder.dimensions));
    return { id, vectors: joined };
  } catch (error) {
    const hint = error instanceof LociError ? error.hint : null;
    return { id, error: { message: messageOf(error), hint } };
  } finally {
    running.delete(id);
  }
}

process.on('message', (message) => {
  const request = message as ProcessRequest;
  if ('cancel' in request) running.get(request.cancel)?.abort();
  // A host that has ended needs no answer.
  else void answer(request.id, request.texts).then((settled) => process.send?.(settled, () => undefined));
});
// The host has ended, however it did.
process.on('disconnect', () => process.exit());
