import { assertNotAborted } from '../../core/progress.ts';
import {
  type ConceptChange,
  MAX_MENTIONING_RECORDS,
  type RecordConcepts,
} from '../../store/concept-model.ts';
import type { NodeDraft, RecordGraph } from '../../store/graph-model.ts';
import { applyChanges, effectiveChanges } from './concept-changes.ts';
import { type ConceptEdges, conceptEdges, ConceptLookup } from './concept-edges.ts';
import { groupNames, isClaim } from './concept-groups.ts';
import type { ConceptOptions } from './concept-options.ts';
import { operatorNames, referencesIn, spokenNames } from './changed-names.ts';
import { mentionsOfRecords } from './find-mentions.ts';

const BATCH = 64;

/** Derives the edges of the records that are stale. @throws LociError `aborted`, and the errors of the store */
export async function settleEdges(options: ConceptOptions): Promise<void> {
  const { store, namespace, now, fence } = options;
  for (;;) {
    assertNotAborted(options);
    const ids = await store.graph.staleConcepts(namespace, BATCH);
    const built = await edgesOfRecords(options, ids);
    const withDeadNames = ids.filter((id) => built.get(id)?.hasDeadName === true);
    if (withDeadNames.length > 0) {
      // A shorter name may have been hidden within the one that is gone.
      const records = await store.records.get(namespace, withDeadNames, { liveAt: now });
      const mentions = await mentionsOfRecords(options, records, null, []);
      await store.records.commit(namespace, {
        concepts: { mentions },
        ...(fence !== undefined && { fence }),
      });
      continue;
    }
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
      concepts: { settled: ids },
      ...(fence !== undefined && { fence }),
    });
    if (ids.length === 0) return;
  }
}

interface SettledRecord extends ConceptEdges {
  /** Whether it mentions a name that nothing has any more, because its note is gone. */
  readonly hasDeadName: boolean;
}

/** The edges of records as the names in the store and the changes of operators say. */
async function edgesOfRecords(
  options: ConceptOptions,
  ids: readonly number[],
): Promise<Map<number, SettledRecord>> {
  const { store, namespace, now } = options;
  const [concepts, records, passages, changes] = await Promise.all([
    store.graph.recordConcepts(namespace, ids),
    store.records.get(namespace, ids, { liveAt: now }),
    store.records.passagesOf(namespace, ids),
    store.graph.conceptChanges(namespace),
  ]);
  const edges = new Map<number, SettledRecord>();
  for (const [project, own] of Map.groupBy(concepts, ([, each]) => each.project)) {
    const frequencies = await frequenciesOf(options, project, own.map(([, each]) => each)); // prettier-ignore
    const isCommon = (key: string): boolean => (frequencies.get(key) ?? 0) > MAX_MENTIONING_RECORDS;
    const { lookup, isName } = await lookUp(options, project, own, isCommon, changes);
    for (const [id, each] of own) {
      const record = records.find((found) => found.id === id);
      if (record === undefined) continue;
      const parts = { record, concepts: each, passages: passages.get(id) ?? [] };
      const hasDeadName = each.mentions.some(({ key }) => !isCommon(key) && !isName(key));
      edges.set(id, { ...conceptEdges(parts, lookup, isCommon), hasDeadName });
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
