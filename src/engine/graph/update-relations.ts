import { LociError } from '../../core/errors.ts';
import { pickSignal, type ProgressOptions } from '../../core/progress.ts';
import { deriveGraph, isTextCurrent, type DerivationOptions } from '../../graph/build/derive.ts';
import { deriveDocumentEdges } from '../../graph/build/documents.ts';
import { deriveSimilar, isSimilarCurrent } from '../../graph/build/similar.ts';
import type { EngineContext } from '../context.ts';
import { vectorsOf } from '../embedding/models.ts';
import { withFreeLease } from '../shared/lease.ts';
import { updateConcepts } from './concepts/update-concepts.ts';
import { updateBelongsTo } from './belongs-to.ts';

/**
 * Updates what is derived from several records together: to which notes documents belong, and the graph. Called after records
 * of the namespace have changed. Each part returns at once if nothing has, or while another process does it. A part that
 * fails does not keep the others from running.
 * @throws LociError `aborted`, and the errors of the store
 */
export async function updateRelations(context: EngineContext, options: ProgressOptions = {}): Promise<void> {
  const errors: unknown[] = [];
  for (const update of [updateGraph, updateBelongsTo, updateDependentEdges, updateConceptEdges]) {
    try {
      await update(context, options);
    } catch (error) {
      if (error instanceof LociError && error.code === 'aborted') throw error;
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}

/** Derives what the texts and properties of records say. It needs no vectors. @throws LociError `aborted`, and the errors of the store */
export async function updateGraph(context: EngineContext, options: ProgressOptions = {}): Promise<void> {
  const { store, namespace, config } = context;
  if (!config.graph.enabled) return;
  if (isTextCurrent(await store.graph.state(namespace), config.graph.types)) return;
  await withGraphLease(context, options, deriveGraph);
}

/** Derives the edges that follow from vectors and from the search for the notes of documents. */
async function updateDependentEdges(context: EngineContext, options: ProgressOptions): Promise<void> {
  const { store, namespace, config } = context;
  if (!config.graph.enabled) return;
  const state = await store.graph.state(namespace);
  if (isSimilarCurrent(state)) return;
  const vectors = await vectorsOf(context);
  await withGraphLease(context, options, async (derivation) => {
    await deriveDocumentEdges(derivation);
    await deriveSimilar(derivation, vectors?.generation ?? null);
  });
}

async function updateConceptEdges(context: EngineContext, options: ProgressOptions): Promise<void> {
  if (context.config.graph.enabled) await updateConcepts(context, options);
}

/** Does nothing while another process derives the graph, or where the store is read-only. */
async function withGraphLease(
  context: EngineContext,
  options: ProgressOptions,
  work: (derivation: DerivationOptions) => Promise<unknown>,
): Promise<void> {
  const { store, namespace, now, thread, config } = context;
  const { onProgress } = options;
  if (store.capabilities.readOnly) return;
  await withFreeLease(
    context,
    { namespace, name: 'graph' },
    (fence, signal) =>
      work({
        ...{ store, namespace, thread, fence, signal },
        now: now(),
        types: config.graph.types,
        ...(onProgress !== undefined && { onProgress }),
      }),
    pickSignal(options),
  );
}
