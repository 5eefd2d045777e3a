import { LociError } from '../../core/errors.ts';
import { pickSignal } from '../../core/progress.ts';
import { countAllPending, embedPending, Refusals } from '../../ingest/embed.ts';
import { ADMIN_NAMESPACE } from '../../store/rules/admin-namespace.ts';
import type { EngineContext } from '../context.ts';
import { backfill } from '../embedding/backfill.ts';
import { hasNewModel, vectorsToFill } from '../embedding/models.ts';
import { NO_REFUSALS, refusalReport, type RefusalReport } from '../embedding/refusal-report.ts';
import { leaseNote, leaseProcess, withLease } from '../shared/lease.ts';
import { compactUnlessForgotten } from './forget-source.ts';
import type { IndexOptions } from './refresh/refresh-vault.ts';

const EMBEDDING_LEASE = { namespace: ADMIN_NAMESPACE, name: 'embedding' };
/** Counting what another process has still to embed scans all passages. */
const COUNT_INTERVAL_MS = 5000;

interface EmbedOptions extends Pick<IndexOptions, 'signal' | 'onProgress' | 'wait'> {
  /** The refusals of earlier calls. Their texts are not sent again. */
  readonly refusals?: Refusals;
}

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
  const done = await embedMissing(context, options);
  if (done.embeddedBy !== null || !(await hasNewModel(context))) return done;
  try {
    const { embedded, refused, refusals } = await backfill(context, {}, options);
    return { embedded: done.embedded + embedded, embeddedBy: null, refused, refusals };
  } catch (error) {
    // Searches go on with the model of before. A warning has said so.
    if (error instanceof LociError && error.code === 'embedding_unavailable') return done;
    throw error;
  }
}

/** With the model of searches. */
async function embedMissing(context: EngineContext, options: EmbedOptions): Promise<Embedded> {
  const { store } = context;
  const vectors = await vectorsToFill(context);
  const none = { embedded: 0, embeddedBy: null, ...NO_REFUSALS };
  if (vectors === null) return none;
  const { embedder, generation } = vectors;
  const pending = await countAllPending(store, generation);
  if (pending === 0) return none;
  const { refusals = new Refusals() } = options;
  try {
    const embedded = await withLease(
      context,
      EMBEDDING_LEASE,
      (_lease, signal) => embedPending(store, embedder, generation, { ...options, signal, refusals }),
      {
        wait: options.wait ?? true,
        note: `${String(context.now())}-${String(pending)}`,
        onWait: waitingReporter(pending, () => countAllPending(store, generation), options),
        ...pickSignal(options),
      },
    );
    for (const namespace of await store.admin.namespaces(ADMIN_NAMESPACE))
      await compactUnlessForgotten(context, namespace);
    return { embedded, embeddedBy: null, ...(await refusalReport(context, refusals)) };
  } catch (error) {
    if (!(error instanceof LociError)) throw error;
    // Until the vectors of the configured model are made, words find what the model before cannot embed. A warning has said so.
    if (error.code === 'embedding_unavailable' && vectors.notice !== undefined) return none;
    const embeddedBy = options.wait === false ? await embeddingProcess(context) : null;
    if (error.code !== 'conflict' || embeddedBy === null) throw error;
    return { ...none, embeddedBy };
  }
}

/** The process that embeds now, in words; else `null`. */
export function embeddingProcess(context: EngineContext): Promise<string | null> {
  return leaseProcess(context, EMBEDDING_LEASE);
}

/**
 * Estimates when the process that embeds now will be done, from its work so far. Milliseconds; `null` if none embeds, or if it
 * has embedded nothing yet.
 */
export async function embeddingTimeLeft(context: EngineContext, generation: number): Promise<number | null> {
  const note = await leaseNote(context, EMBEDDING_LEASE);
  const [began, before] = (note ?? '').split('-').map(Number);
  if (began === undefined || before === undefined) return null;
  const pending = await countAllPending(context.store, generation);
  const done = before - pending;
  return done <= 0 ? null : ((context.now() - began) / done) * pending;
}

/** Reports how far the other process is. */
function waitingReporter(
  total: number,
  countPending: () => Promise<number>,
  { onProgress }: EmbedOptions,
): (process: string) => void {
  let done = 0;
  let countedAt = performance.now();
  return (process) => {
    onProgress?.({ stage: 'waiting', subject: `${process} to embed`, done, total });
    if (performance.now() - countedAt < COUNT_INTERVAL_MS) return;
    countedAt = performance.now();
    countPending().then(
      (pending) => (done = Math.max(done, total - pending)),
      () => undefined,
    );
  };
}
