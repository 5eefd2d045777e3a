import { LociError } from '../../core/errors.ts';
import { countAllPending, createMissingIndex, embedPending, Refusals } from '../../ingest/embed.ts';
import type { EngineContext } from '../context.ts';
import { backfill, embeddingProcess, whileEmbedding, type EmbedOptions } from '../embedding/backfill.ts';
import { hasNewModel, vectorsToFill } from '../embedding/models.ts';
import { NO_REFUSALS, refusalReport, type RefusalReport } from '../embedding/refusal-report.ts';

/** What `embedNew` has done. */
interface Embedded extends RefusalReport {
  /** The contents that this call embedded. */
  readonly embedded: number;
  /** The process that embeds the rest, if this call did not wait for it; else `null`. */
  readonly embeddedBy: string | null;
}

/**
 * Embeds the contents of all namespaces that have no vector, except those that the provider refuses; then, if the settings have a new
 * model, makes its vectors, which searches use from then on. While another process embeds, this call waits, so that nothing is embedded
 * twice; if `wait` is false, it returns at once.
 * @throws LociError `embedding_unavailable`, `aborted`
 */
export async function embedNew(context: EngineContext, options: EmbedOptions = {}): Promise<Embedded> {
  let done: Embedded = { embedded: 0, embeddedBy: null, ...NO_REFUSALS };
  try {
    done = { ...done, ...(await embedMissing(context, options)) };
    if (!(await hasNewModel(context))) return done;
    const { embedded, refused, refusals } = await backfill(context, {}, options);
    return { embedded: done.embedded + embedded, embeddedBy: null, refused, refusals };
  } catch (error) {
    // Searches go on with the model of before. A warning has said so.
    if (!(error instanceof LociError)) throw error;
    if (error.code === 'embedding_unavailable' && (await hasNewModel(context))) return done;
    const embeddedBy = options.wait === false ? await embeddingProcess(context) : null;
    if (error.code !== 'conflict' || embeddedBy === null) throw error;
    return { ...done, embeddedBy };
  }
}

/** With the model of searches. */
async function embedMissing(
  context: EngineContext,
  options: EmbedOptions,
): Promise<Omit<Embedded, 'embeddedBy'> | null> {
  const { store } = context;
  const vectors = await vectorsToFill(context);
  if (vectors === null) return null;
  const { embedder, generation } = vectors;
  const pending = await countAllPending(store, generation);
  if (pending === 0) {
    // A process that was stopped may have left the index of the vectors unfinished.
    await createMissingIndex(store, generation, options);
    return null;
  }
  const { refusals = new Refusals() } = options;
  try {
    const embedded = await whileEmbedding(
      context,
      options,
      pending,
      (signal) => embedPending(store, embedder, generation, { ...options, signal, refusals }),
      `${String(context.now())}-${String(pending)}`,
    );
    return { embedded, ...(await refusalReport(context, refusals)) };
  } catch (error) {
    // Until the vectors of the configured model are made, words find what the model before cannot embed. A warning has said so.
    const isUnavailable = error instanceof LociError && error.code === 'embedding_unavailable';
    if (isUnavailable && vectors.notice !== undefined) return null;
    throw error;
  }
}
