import { assertNotAborted } from '../../core/progress.ts';
import type { LociRecord } from '../../core/types.ts';
import type { ConceptUpdate, RecordNames } from '../../store/concept-model.ts';
import type { GraphState } from '../../store/graph-model.ts';
import type { RecordChange } from '../../store/model.ts';
import { mentionsOfRecords, recordsWithNames } from './find-mentions.ts';
import type { ConceptOptions } from './concept-options.ts';
import { CONCEPT_RULES, namesOfRecords } from './record-names.ts';

/** Records of one commit. A larger one would hold up the writes and searches of others for longer. */
const BATCH = 64;
/** After more changes than this, names and mentions of all records are derived again. */
const MAX_INCREMENTAL_CHANGES = 1000;

/** Whether nothing waits to be derived. */
export function isConceptsCurrent(state: GraphState): boolean {
  const { conceptsUpTo, conceptRules, changedNames, lastChange } = state;
  const isDerived = conceptsUpTo === lastChange && conceptRules === CONCEPT_RULES && changedNames === 0;
  return isDerived || lastChange === 0;
}

/**
 * Derives the names and mentions of the records that have changed. A changed note costs its own text, and the texts in which full
 * text finds a title or alias that is new. It commits with each batch, so that a derivation that was interrupted continues.
 * @throws LociError `aborted`, `conflict` when the lease was lost, and the errors of the store
 */
export async function deriveConcepts(options: ConceptOptions): Promise<void> {
  const state = await options.store.graph.state(options.namespace);
  if (isConceptsCurrent(state)) return;
  const { conceptsUpTo, conceptRules } = state;
  const isFollowed =
    conceptRules === CONCEPT_RULES && conceptsUpTo > 0 && (await follow(options, conceptsUpTo));
  if (!isFollowed) await deriveAll(options);
  await searchForChangedNames(options);
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
  const records = await store.records.get(namespace, ids, { liveAt: now, damaged: 'is empty' });
  const names = new Map<number, RecordNames | null>(ids.map((id) => [id, null]));
  const read = await namesOfRecords(options, records);
  records.forEach(({ id }, i) => names.set(id, read[i]!));
  await commitConcepts(options, { names });
  const mentions = await mentionsOfRecords(options, records);
  await commitConcepts(options, {
    mentions,
    progress: { upTo: changes.at(-1)!.sequence, rules: CONCEPT_RULES },
  });
}

/** Derives the names of all records, then the mentions: a text may name any note. */
async function deriveAll(options: ConceptOptions): Promise<void> {
  const { store, namespace, now } = options;
  const { lastChange } = await store.records.bounds(namespace);
  const count = await store.records.count(namespace, { now });
  let done = 0;
  const report = (records: number): void => {
    done += records;
    const total = Math.max(done, 2 * count);
    options.onProgress?.({ stage: 'relating', subject: namespace, done, total });
  };
  await commitConcepts(options, { progress: { upTo: 0, rules: '' } });
  for await (const records of pagesOfRecords(options)) {
    const read = await namesOfRecords(options, records);
    const names = new Map(records.map(({ id }, i) => [id, read[i]!]));
    await commitConcepts(options, { names });
    report(records.length);
  }
  for await (const records of pagesOfRecords(options)) {
    await commitConcepts(options, { mentions: await mentionsOfRecords(options, records) });
    report(records.length);
  }
  await commitConcepts(options, { searched: 'all', progress: { upTo: lastChange, rules: CONCEPT_RULES } });
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

/** Derives the mentions of the texts that may have names that records got, or mention names that they lost. */
async function searchForChangedNames(options: ConceptOptions): Promise<void> {
  const { store, namespace, now } = options;
  for (;;) {
    assertNotAborted(options);
    const { names: changed } = (await store.graph.state(namespace, BATCH)).waiting;
    if (changed.length === 0) return;
    const found = await recordsWithNames(options, changed);
    for (let i = 0; i < found.length; i += BATCH) {
      const records = await store.records.get(namespace, found.slice(i, i + BATCH), {
        liveAt: now,
        damaged: 'is empty',
      });
      await commitConcepts(options, { mentions: await mentionsOfRecords(options, records) });
    }
    await commitConcepts(options, { searched: changed });
  }
}
