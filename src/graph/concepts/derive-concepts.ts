import { assertNotAborted } from '../../core/progress.ts';
import type { LociRecord } from '../../core/types.ts';
import type { ConceptUpdate, RecordNames } from '../../store/concept-model.ts';
import type { RecordChange } from '../../store/model.ts';
import { changedNames, namesAtLimit, pendingEffects } from './changed-names.ts';
import { mentionsOfRecords, recordsWithNames } from './find-mentions.ts';
import { settleEdges } from './settle-edges.ts';
import type { ConceptOptions } from './concept-options.ts';
import { CONCEPT_RULES, namesOfRecords } from './record-names.ts';

/** Records of one commit. A larger one would hold up the writes and searches of others for longer. */
const BATCH = 64;
/** After more changes than this, names and mentions of all records are derived again. */
const MAX_INCREMENTAL_CHANGES = 1000;

/** Whether nothing waits to be derived. */
export async function isConceptsCurrent({
  store,
  namespace,
}: Pick<ConceptOptions, 'store' | 'namespace'>): Promise<boolean> {
  const [{ upTo, rules, stale, pending }, { lastChange, conceptsUpTo }] = await Promise.all([
    store.graph.conceptState(namespace),
    store.graph.state(namespace),
  ]);
  const isDerived = upTo === lastChange && conceptsUpTo === upTo && rules === CONCEPT_RULES;
  return (isDerived && stale === 0 && pending === 0) || lastChange === 0;
}

/**
 * Derives the names and mentions of the records that have changed, and the edges that follow from them and from the changes of
 * operators. A changed note costs its own text, and the texts in which full text finds a title or alias that is new. It
 * commits with each batch, so that a derivation that was interrupted continues.
 * @throws LociError `aborted`, `conflict` when the lease was lost, and the errors of the store
 */
export async function deriveConcepts(options: ConceptOptions): Promise<void> {
  if (await isConceptsCurrent(options)) return;
  const { store, namespace } = options;
  const { upTo, rules } = await store.graph.conceptState(namespace);
  const isFollowed = rules === CONCEPT_RULES && upTo > 0 && (await follow(options, upTo));
  if (!isFollowed) await deriveAll(options);
  await applyPending(options);
  await settleEdges(options);
}

async function commitConcepts(
  { store, namespace, fence }: ConceptOptions,
  concepts: ConceptUpdate,
): Promise<void> {
  await store.records.commit(namespace, { concepts, ...(fence !== undefined && { fence }) });
}

/** Follows the change feed. Returns `false` when it is quicker to begin anew, or when the feed cannot be followed. */
async function follow(options: ConceptOptions, from: number): Promise<boolean> {
  const { store, namespace } = options;
  const ahead = await store.records.changes(namespace, { after: from, limit: MAX_INCREMENTAL_CHANGES + 1 });
  if (ahead.mustRestart || ahead.changes.length > MAX_INCREMENTAL_CHANGES) return false;
  for (let i = 0; i < ahead.changes.length; i += BATCH) {
    assertNotAborted(options);
    await deriveBatch(options, ahead.changes.slice(i, i + BATCH));
  }
  return true;
}

async function deriveBatch(options: ConceptOptions, changes: readonly RecordChange[]): Promise<void> {
  const { store, namespace, now } = options;
  const ids = changes.map(({ record }) => record);
  const records = await store.records.get(namespace, ids, { liveAt: now });
  const names = new Map<number, RecordNames | null>(ids.map((id) => [id, null]));
  const read = await namesOfRecords(options, records);
  records.forEach(({ id }, i) => names.set(id, read[i]!));
  const before = await store.graph.recordConcepts(namespace, ids);
  const changed = await changedNames(options, before, names);
  const found = await recordsWithNames(options, changed, new Set(ids));
  const mentions = await mentionsOfRecords(options, [...records, ...found], names, changed);
  const crossed = await namesAtLimit(options, [...records, ...found], names, mentions);
  await commitConcepts(options, {
    names,
    mentions,
    forgotten: changed.map(({ project, dead }) => ({ project, keys: dead })),
    touched: [...changed.map(({ project, touched }) => ({ project, keys: [...touched] })), ...crossed],
    stale: [...records, ...found].map(({ id }) => id),
    progress: { upTo: changes.at(-1)!.sequence, rules: CONCEPT_RULES },
  });
}

/** Derives the names of all records, then the mentions: a text may name any note. */
async function deriveAll(options: ConceptOptions): Promise<void> {
  const { store, namespace } = options;
  const { lastChange } = await store.records.bounds(namespace);
  await commitConcepts(options, { progress: { upTo: 0, rules: '' } });
  for await (const records of pagesOfRecords(options)) {
    const read = await namesOfRecords(options, records);
    const names = new Map(records.map(({ id }, i) => [id, read[i]!]));
    await commitConcepts(options, { names });
  }
  let done = 0;
  for await (const records of pagesOfRecords(options)) {
    const mentions = await mentionsOfRecords(options, records, null, []);
    await commitConcepts(options, { mentions });
    done += records.length;
    options.onProgress?.({ stage: 'relating', subject: namespace, done, total: Math.max(done, lastChange) });
  }
  const applied = await store.graph.pendingConceptChanges(namespace);
  const progress = { upTo: lastChange, rules: CONCEPT_RULES };
  await commitConcepts(options, { stale: 'all', applied, progress });
}

async function* pagesOfRecords(options: ConceptOptions): AsyncGenerator<LociRecord[]> {
  const { store, namespace, now } = options;
  for (let after: number | null = null; ;) {
    assertNotAborted(options);
    const page: LociRecord[] = await store.records.list(
      namespace,
      { scan: 'undeleted' },
      { after, limit: BATCH },
    );
    const last = page.at(-1);
    if (last === undefined) return;
    yield page.filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
    after = last.id;
  }
}

/** Takes the changes of operators into account that were made or imported since. */
async function applyPending(options: ConceptOptions): Promise<void> {
  const { store, namespace } = options;
  const pending = await store.graph.pendingConceptChanges(namespace);
  if (pending.length === 0) return;
  const effects = await pendingEffects(options, new Set(pending));
  const found = await recordsWithNames(options, effects, new Set());
  const mentions = await mentionsOfRecords(options, found, null, effects);
  await commitConcepts(options, {
    mentions,
    forgotten: effects.map(({ project, dead }) => ({ project, keys: dead })),
    touched: effects.map(({ project, touched }) => ({ project, keys: [...touched] })),
    stale: found.map(({ id }) => id),
    applied: pending,
  });
}
