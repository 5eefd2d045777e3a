import { messageOf } from '../../core/errors.ts';
import { formatCount } from '../../core/text/format-count.ts';
import { openReranker } from '../../embed/rerank/registry.ts';
import { RERANKED } from '../../search/rerank.ts';
import type { EngineContext } from '../context.ts';
import { assertConfiguredModel, embedderOf, vectorsOf } from '../embedding/models.ts';
import type { Finding } from './check.ts';
import { otherLanguageShare } from './other-languages.ts';

/** Whether the model of the settings answers, and what it has not embedded. @throws the errors of the model and of the store */
export async function checkEmbedding(context: EngineContext): Promise<Finding> {
  const embedder = await embedderOf(context);
  if (embedder === null)
    return { result: 'ok', detail: 'provider none: searches use text, spelling and recency only' };
  await assertConfiguredModel(context);
  const vectors = await vectorsOf(context);
  // A provider that is too slow for a search is not down.
  await embedder.embed(['loci'], { purpose: 'query', patient: true });
  const share = await otherLanguageShare(context, embedder);
  const languages =
    share === null
      ? ''
      : `; it knows English, and ${String(Math.round(100 * share))}% of the newest records are in other languages: they are found by words`;
  const model = `${embedder.provider} ${embedder.model} answers${languages}`;
  const pending =
    vectors === null
      ? 0
      : (await context.store.vectors.pending(context.namespace, vectors.generation, { totals: true })).texts;
  if (pending === 0) return { result: 'ok', detail: model };
  return {
    result: 'warning',
    detail: `${model}; ${formatCount(pending, 'text')} without a vector, found by words alone`,
    repair: { operation: 'embed-backfill', input: {} },
    hint: `Run \`loci index\`.${embedder.isRemote ? ' It names the texts that the provider refuses, which stay so.' : ''}`,
  };
}

/** Says what is sent where, and whether the reranker answers. It may quote the reranker, to which it sends no text of the store. */
export async function checkReranker({ config }: EngineContext): Promise<Finding> {
  const reranker = await openReranker(config.rerank, true);
  if (reranker === null) return { result: 'ok', detail: 'none' };
  const { provider, model, origin, deadlineMs } = reranker;
  const sent = `every query, and the texts of its first ${String(RERANKED)} results, are sent to ${origin}`;
  const name = [provider, model].join(' ').trim();
  try {
    await reranker.rerank('loci', ['loci', 'something else']);
  } catch (error) {
    return { result: 'warning', detail: `${name}: ${messageOf(error)}; ${sent}` };
  } finally {
    await reranker.close();
  }
  return { result: 'ok', detail: `${name} answers within ${String(deadlineMs)} ms; ${sent}` };
}
