import { z } from 'zod';
import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import type { EngineContext } from '../context.ts';
import { assertConfiguredModel, embedderOf } from '../embedding/models.ts';
import { backfill } from '../embedding/backfill.ts';
import { NO_REFUSALS, refusalFields } from '../embedding/refusal-report.ts';
import { problemList } from '../fields/record-fields.ts';
import { millisecondsSince, tookMs } from '../fields/times.ts';
import { updateRelations } from '../graph/update-relations.ts';
import { deriveStale } from '../reading/index-vaults.ts';
import { assertNotAborted, type ProgressOptions } from '../../core/progress.ts';

export const reindexInput = z.strictObject({
  vectors: z.boolean().exactOptional().describe('Also embed everything again.'),
});

export const reindexOutput = z.strictObject({
  records: z.number().int().nonnegative().describe('Records whose passages were rebuilt.'),
  problems: problemList().describe('Records whose text is too complex; they keep their passages.'),
  embedded: z.number().int().nonnegative().describe('Texts that were embedded.'),
  ...refusalFields,
  took_ms: tookMs(),
});
export type ReindexOutput = z.infer<typeof reindexOutput>;

/**
 * Rebuilds all derived data from the records: passages, full text, vocabulary and the edges of documents; with `vectors`, these too. Each record's
 * passages are replaced in one transaction, so that searches find every record meanwhile. Indexes of the database that are missing are
 * made again. A full-text index that differs from the passages cannot be repaired record by record: all passages are indexed again in
 * one transaction, which searches do not see before its end. Neither this nor the comparison, which takes about as long, can be
 * interrupted (20,000 passages of 90 words: 5 to 10 s). Passages that come out the same are not
 * written again. A reindex that was interrupted is continued by `index` or `reindex`.
 * @throws LociError `aborted`, `embedding_unavailable`; without `vectors`, `embedding_mismatch`
 */
export async function reindex(
  context: EngineContext,
  given: z.infer<typeof reindexInput> = {},
  options: ProgressOptions = {},
): Promise<ReindexOutput> {
  const started = performance.now();
  const { store, namespace } = context;
  const embedder = await embedderOf(context);
  if (given.vectors !== true) await assertConfiguredModel(context);
  assertNotAborted(options);
  const vectors = given.vectors === true && embedder !== null;
  await store.admin.repairIndexes(ADMIN_NAMESPACE);
  const text = await store.admin.isTextDamaged(namespace);
  await store.admin.resetDerived(namespace, { text, vectors });
  const derived = await deriveStale(context, options);
  if (embedder === null) {
    await updateRelations(context, options);
    return { ...derived, embedded: 0, ...NO_REFUSALS, took_ms: millisecondsSince(started) };
  }
  const { embedded, refused, refusals } = await backfill(context, {}, options);
  await updateRelations(context, options);
  return { ...derived, embedded, refused, refusals, took_ms: millisecondsSince(started) };
}
