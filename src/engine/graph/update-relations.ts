import { setTimeout as delay } from 'node:timers/promises';
import { LociError } from '../../core/errors.ts';
import { assertNotAborted, pickSignal, type ProgressOptions } from '../../core/progress.ts';
import {
  deriveGraph,
  isTextCurrent,
  textUpTo,
  type DerivationOptions,
  deriveDocumentEdges,
} from '../../graph/build/derive.ts';
import { deriveSimilar, isSimilarCurrent } from '../../graph/build/similar.ts';
import { conceptShare, deriveConcepts, isConceptsCurrent } from '../../graph/concepts/derive-concepts.ts';
import { type EngineContext, NOTHING_UNRELATED, type RelationOptions, type Unrelated } from '../context.ts';
import { vectorsOf } from '../embedding/models.ts';
import { isUpToDate, deriveBelongsTo } from '../../search/belongs-to.ts';
import { leaseProcess, withFreeLease } from '../shared/lease.ts';
import { hiddenSources, sourcesOfNamespace } from '../reading/configured/source-policies.ts';

const POLL_INTERVAL_MS = 250;
/** The leases of the parts. */
const LEASES = ['graph', 'belongs-to', 'concepts'];

/**
 * Updates what is derived from several records together: to which notes documents belong, and the graph. Called after records
 * of the namespace have changed. Each part returns at once if nothing has, or while another process does it. A part that
 * fails does not keep the others from running. Returns what is left.
 * @throws LociError `aborted`, and the errors of the store
 */
export async function updateRelations(
  context: EngineContext,
  { maxRecords = Infinity, waitMs = 0, ...options }: RelationOptions = {},
): Promise<Unrelated> {
  const deadline = performance.now() + waitMs;
  const before = await unrelated(context, waitMs > 0);
  if (before === null) return NOTHING_UNRELATED;
  if (before.records > maxRecords) return before;
  const report = await partReports(context, before.records, options);
  for (let wasFree = false; ;) {
    await updateParts(context, options, report);
    const left = await unrelated(context, waitMs > 0);
    if (left === null) return NOTHING_UNRELATED;
    // The other process may have ended just after this one could not begin.
    if (performance.now() >= deadline || (left.process === null && wasFree)) return left;
    wasFree = left.process === null;
    if (left.process !== null) {
      const subject = `${left.process} to relate records`;
      options.onProgress?.({ stage: 'waiting', subject, done: 0, total: 0 });
      await delay(POLL_INTERVAL_MS);
    }
  }
}

async function updateParts(
  context: EngineContext,
  options: ProgressOptions,
  report: Partial<Record<keyof typeof COST, Report>>,
): Promise<void> {
  const errors: unknown[] = [];
  for (const [update, onProgress] of [
    [updateGraph, report.text],
    [updateBelongsTo, report.documents],
    [updateDependentEdges, undefined],
    [updateConceptEdges, report.concepts],
  ] as const) {
    assertNotAborted(options);
    try {
      await update(context, { ...pickSignal(options), ...(onProgress !== undefined && { onProgress }) });
    } catch (error) {
      if (error instanceof LociError && error.code === 'aborted') throw error;
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}

/** What `updateRelations` would do; `null` if each part would return at once. @param withKilled see `leaseProcess` */
async function unrelated(context: EngineContext, withKilled: boolean): Promise<Unrelated | null> {
  const { store, namespace, config, now } = context;
  if (store.capabilities.readOnly) return null;
  const [bounds, excluded, state] = await Promise.all([
    store.records.bounds(namespace),
    excludedSources(context),
    config.graph.enabled ? store.graph.state(namespace) : null,
  ]);
  const { lastChange, highestId, belongsTo } = bounds;
  const { pass } = belongsTo;
  const ofDocuments = pass === null ? belongsTo.upTo / Math.max(1, lastChange) : pass.document / highestId;
  let isCurrent = isUpToDate(bounds, excluded);
  let upTo = pass === null ? belongsTo.upTo : 0;
  let stale = 0;
  const shares = [ofDocuments];
  if (state !== null) {
    const ofText = textUpTo(state, config.graph.types);
    const [isSimilar, isConcepts] = [isSimilarCurrent(state), isConceptsCurrent(state)];
    isCurrent &&= isTextCurrent(state, config.graph.types) && isSimilar && isConcepts;
    upTo = Math.min(upTo, ofText, isConcepts ? lastChange : state.conceptsUpTo);
    if (!isSimilar) upTo = Math.min(upTo, state.similarUpTo);
    stale = state.stale;
    shares.push(ofText / Math.max(1, lastChange), conceptShare(state, highestId));
  }
  if (isCurrent) return null;
  const changes = Math.max(lastChange - upTo, stale);
  const [records, ...holders] = await Promise.all([
    store.records.count(namespace, { now: now() }),
    ...LEASES.map((name) => leaseProcess(context, { namespace, name }, withKilled)),
  ]);
  return {
    records: Math.min(changes, records),
    share: shares.reduce((sum, share) => sum + share, 0) / shares.length,
    process: holders.find((holder) => holder !== null) ?? null,
  };
}

/** Milliseconds of processor time for each record, roughly. The search for the notes of a document takes much longer than the rest. */
const COST = { text: 0.3, concepts: 1, documents: 25 };

type Report = NonNullable<ProgressOptions['onProgress']>;

/** Reports for the parts of the work, which add up to one progress: its total stays the same, and its work tells the time left. */
async function partReports(
  { store, namespace, now }: EngineContext,
  records: number,
  { onProgress }: ProgressOptions,
): Promise<Partial<Record<keyof typeof COST, Report>>> {
  if (onProgress === undefined || records === 0) return {};
  const documents = await store.records.count(namespace, { now: now(), origins: ['source'] });
  const work = {
    text: COST.text * records,
    concepts: COST.concepts * records,
    documents: COST.documents * documents,
  };
  const total = work.text + work.concepts + work.documents;
  let before = 0;
  const reportOf = (part: keyof typeof COST): Report => {
    let start: number | undefined;
    return (progress) => {
      start ??= before;
      const share = Math.min(1, progress.done / Math.max(1, progress.total));
      before = Math.max(before, start + share * work[part]);
      const done = Math.floor((records * before) / total);
      onProgress({ ...progress, done, total: records, work: { done: before, total } });
    };
  };
  return { text: reportOf('text'), concepts: reportOf('concepts'), documents: reportOf('documents') };
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

/**
 * Derives the names and mentions of records after some have changed. Returns at once if nothing has.
 * @throws LociError `aborted`, and the errors of the store
 */
export async function updateConcepts(context: EngineContext, options: ProgressOptions = {}): Promise<void> {
  if (isConceptsCurrent(await context.store.graph.state(context.namespace))) return;
  await withGraphLease(context, options, deriveConcepts, 'concepts');
}

/** Does nothing while another process derives the same, or where the store is read-only. */
async function withGraphLease(
  context: EngineContext,
  options: ProgressOptions,
  work: (derivation: DerivationOptions) => Promise<unknown>,
  name = 'graph',
): Promise<void> {
  const { store, namespace, now, thread, config } = context;
  const { onProgress } = options;
  if (store.capabilities.readOnly) return;
  await withFreeLease(
    context,
    { namespace, name },
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

/**
 * Updates the notes to which documents of sources belong, after records of the namespace have changed. Returns at once if
 * none has, or while another process does this.
 * @throws LociError `aborted`, and the errors of the store
 */
export async function updateBelongsTo(context: EngineContext, options: ProgressOptions = {}): Promise<void> {
  const { store, namespace, now } = context;
  const excluded = await excludedSources(context);
  if (isUpToDate(await store.records.bounds(namespace), excluded)) return;
  const vectors = await vectorsOf(context);
  await withFreeLease(
    context,
    { namespace, name: 'belongs-to' },
    (_lease, signal) =>
      deriveBelongsTo({
        store,
        namespace,
        vectors,
        excludedSources: excluded,
        now: now(),
        signal,
        ...(options.onProgress !== undefined && { onProgress: options.onProgress }),
      }),
    pickSignal(options),
  );
}

/** Vaults that are not searched for the notes of documents. */
async function excludedSources(context: EngineContext): Promise<string[]> {
  const { vaults } = await sourcesOfNamespace(context);
  return hiddenSources(vaults, [], 'user');
}
