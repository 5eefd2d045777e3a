import { assertNotAborted } from '../../core/progress.ts';
import {
  type ConceptChange,
  type ConceptMention,
  MAX_MENTIONING_RECORDS,
  type RecordConcepts,
} from '../../store/concept-model.ts';
import type { NodeDraft, RecordGraph } from '../../store/graph-model.ts';
import { applyChanges, effectiveChanges } from './concept-changes.ts';
import { type ConceptEdges, conceptEdges, ConceptLookup } from './concept-edges.ts';
import { groupNames } from './concept-groups.ts';
import type { ConceptOptions } from './concept-options.ts';
import { operatorNames, referencesIn, spokenNames } from './changed-names.ts';
import { isClaim } from './record-names.ts';

const BATCH = 64;

/** Derives the edges of the records that are stale. @throws LociError `aborted`, and the errors of the store */
export async function settleEdges(options: ConceptOptions): Promise<void> {
  const { store, namespace, fence } = options;
  for (;;) {
    assertNotAborted(options);
    const ids = await store.graph.staleConcepts(namespace, BATCH);
    const built = await edgesOfRecords(options, ids);
    const shared = new Map<string, NodeDraft>();
    for (const each of built.values()) for (const node of each.shared) shared.set(node.id, node);
    const records = new Map(
      ids.map((id): [number, RecordGraph] => [id, { nodes: [], edges: built.get(id)?.edges ?? [] }]),
    );
    const { upTo } = await store.graph.conceptState(namespace);
    await store.records.commit(namespace, {
      graph: {
        lane: 'concepts',
        records,
        shared: [...shared.values()],
        ...(ids.length === 0 && { progress: { conceptsUpTo: upTo } }),
      },
      concepts: { mentions: deadMentionsRemoved(built), settled: ids },
      ...(fence !== undefined && { fence }),
    });
    if (ids.length === 0) return;
  }
}

/** The mentions of records that mention a name which nothing has any more, because its note is gone. */
function deadMentionsRemoved(
  built: ReadonlyMap<number, SettledRecord>,
): Map<number, readonly ConceptMention[]> {
  return new Map(
    [...built].flatMap(([id, { mentions, hasDead }]) => (hasDead ? [[id, mentions] as const] : [])),
  );
}

interface SettledRecord extends ConceptEdges {
  /** Those of names that exist. */
  readonly mentions: readonly ConceptMention[];
  readonly hasDead: boolean;
}

/** The edges of records as the names in the store and the changes of operators say. */
export async function edgesOfRecords(
  { store, namespace, now }: ConceptOptions,
  ids: readonly number[],
): Promise<Map<number, SettledRecord>> {
  const [concepts, records, passages, changes] = await Promise.all([
    store.graph.recordConcepts(namespace, ids),
    store.records.get(namespace, ids, { liveAt: now }),
    store.records.passagesOf(namespace, ids),
    store.graph.conceptChanges(namespace),
  ]);
  const edges = new Map<number, SettledRecord>();
  for (const [project, own] of Map.groupBy(concepts, ([, each]) => each.project)) {
    const frequencies = await frequenciesOf({ store, namespace, now }, project, own.map(([, each]) => each)); // prettier-ignore
    const isCommon = (key: string): boolean => (frequencies.get(key) ?? 0) > MAX_MENTIONING_RECORDS;
    const { lookup, isName } = await lookUp({ store, namespace, now }, project, own, isCommon, changes);
    for (const [id, each] of own) {
      const record = records.find((found) => found.id === id);
      if (record === undefined) continue;
      const mentions = each.mentions.filter(({ key }) => isCommon(key) || isName(key));
      const parts = { record, concepts: { ...each, mentions }, passages: passages.get(id) ?? [] };
      const hasDead = mentions.length < each.mentions.length;
      edges.set(id, { ...conceptEdges(parts, lookup, isCommon), mentions, hasDead });
    }
  }
  return edges;
}

function frequenciesOf(
  { store, namespace }: ConceptOptions,
  project: string,
  concepts: readonly RecordConcepts[],
): Promise<Map<string, number>> {
  const keys = new Set(concepts.flatMap((each) => [...spokenNames(each)]));
  return store.graph.nameFrequencies(namespace, project, [...keys]);
}

/** The concepts that these records name, and those that operators changed. */
async function lookUp(
  { store, namespace }: ConceptOptions,
  project: string,
  own: readonly (readonly [number, RecordConcepts])[],
  isCommon: (key: string) => boolean,
  changes: readonly ConceptChange[],
): Promise<{ lookup: ConceptLookup; isName: (key: string) => boolean }> {
  const inProject = changes.filter((change) => change.project === project);
  const references = referencesIn(effectiveChanges(inProject));
  const spoken = own.flatMap(([, each]) => [...spokenNames(each)]).filter((key) => !isCommon(key));
  const claims = own.flatMap(([, { names }]) => names.filter(isClaim).map(({ key }) => key));
  const only = { keys: [...new Set([...spoken, ...claims, ...references])], notes: references };
  const rows = await store.graph.conceptNames(namespace, { project, only });
  // Other names of these notes are incomplete: another note that has them may be missing.
  const lookup = new ConceptLookup(applyChanges(groupNames(rows), inProject).state, project);
  const given = operatorNames(inProject, project);
  const claimed = new Set(rows.filter(isClaim).map(({ key }) => key));
  return { lookup, isName: (key) => claimed.has(key) || given.has(key) };
}
