import {
  type ConceptChange,
  type ConceptMention,
  type ConceptProgress,
  type ConceptUpdate,
  MAX_MENTIONING_RECORDS,
  type RecordConcepts,
  type StoreConcepts,
} from '../../src/store/concept-model.ts';
import { byCodePoint, type Namespace, type OracleState } from './state.ts';

export interface OracleConcepts {
  records: Map<number, RecordConcepts>;
  stale: Set<number>;
  /** Ids of changes by operators. */
  readonly applied: Set<string>;
  progress: ConceptProgress;
}

export function emptyConcepts(): Omit<OracleConcepts, 'applied'> {
  return { records: new Map(), stale: new Set(), progress: { upTo: 0, rules: '' } };
}

export function putConceptChanges(namespace: Namespace, changes: readonly ConceptChange[]): void {
  for (const change of changes)
    if (!namespace.conceptChanges.has(change.id)) namespace.conceptChanges.set(change.id, change);
}

export function putConcepts(namespace: Namespace, update: ConceptUpdate): void {
  const { concepts } = namespace;
  const { names = new Map(), mentions = new Map(), forgotten = [], touched = [] } = structuredClone(update);
  for (const [record, own] of names) {
    const isLive = namespace.records.get(record)?.record.deletedAt === null;
    if (own === null || !isLive) concepts.records.delete(record);
    else concepts.records.set(record, { mentions: concepts.records.get(record)?.mentions ?? [], ...own });
  }
  for (const [record, found] of mentions) replaceMentions(concepts, record, found);
  for (const { project, keys } of touched) touch(concepts, project, new Set(keys));
  for (const { project, keys } of forgotten)
    for (const [record, each] of concepts.records)
      if (each.project === project)
        replaceMentions(
          concepts,
          record,
          each.mentions.filter(({ key }) => !keys.includes(key)),
        );
  const { stale = [], settled = [], applied = [], progress } = update;
  for (const id of applied) if (namespace.conceptChanges.has(id)) concepts.applied.add(id);
  for (const record of stale === 'all' ? concepts.records.keys() : stale) concepts.stale.add(record);
  for (const record of settled) concepts.stale.delete(record);
  if (progress !== undefined) concepts.progress = { upTo: progress.upTo, rules: progress.rules };
}

function replaceMentions(
  { records }: OracleConcepts,
  record: number,
  mentions: readonly ConceptMention[],
): void {
  const own = records.get(record);
  if (own !== undefined) records.set(record, { ...own, mentions });
}

function touch({ records, stale }: OracleConcepts, project: string, keys: ReadonlySet<string>): void {
  for (const [record, { names, mentions, project: own }] of records)
    if (own === project && [...names, ...mentions].some(({ key }) => keys.has(key))) stale.add(record);
}

export function removeConcepts({ concepts }: Namespace, record: number): void {
  const removed = concepts.records.get(record);
  concepts.records.delete(record);
  if (removed !== undefined) {
    const { project, names, mentions } = removed;
    const keys = [...names, ...mentions].map(({ key }) => key);
    const few = keys.filter((key) => naming(concepts, project, key).length <= MAX_MENTIONING_RECORDS);
    touch(concepts, project, new Set(few));
  }
  concepts.stale.delete(record);
}

function naming({ records }: OracleConcepts, project: string, key: string): number[] {
  return [...records]
    .filter(
      ([, each]) =>
        each.project === project &&
        (each.mentions.some((mention) => mention.key === key) ||
          each.names.some((name) => name.key === key && (name.kind === 'tag' || name.kind === 'phrase'))),
    )
    .map(([record]) => record);
}

function changesOf({ conceptChanges }: Namespace): ConceptChange[] {
  const changes = [...conceptChanges.values()];
  return structuredClone(changes.sort((a, b) => a.at - b.at || byCodePoint(a.id, b.id)));
}

function isClaim({ kind }: { kind: string }): boolean {
  return kind === 'title' || kind === 'alias';
}

export function conceptCalls(state: OracleState): StoreConcepts {
  const conceptsOf = (name: string): OracleConcepts => structuredClone(state.read(name).concepts);
  return {
    conceptNames: async (name, { project, only }) => {
      const records = [...conceptsOf(name).records].filter(([, each]) => each.project === project);
      const rows = records
        .sort(([a], [b]) => a - b)
        .flatMap(([record, { note, names }]) =>
          [...names]
            .sort((a, b) => byCodePoint(a.key, b.key))
            .map((each) => ({ ...each, record, project, note })),
        );
      if (only === undefined)
        return rows.filter(
          (row) =>
            isClaim(row) || rows.filter((other) => other.key === row.key && !isClaim(other)).length > 1,
        );
      const notes = new Set(
        rows.filter((row) => isClaim(row) && only.keys.includes(row.key)).map(({ record }) => record),
      );
      for (const [record, { note }] of records)
        if (note !== null && only.notes.includes(note)) notes.add(record);
      return rows.filter((row) => only.keys.includes(row.key) || (isClaim(row) && notes.has(row.record)));
    },
    conceptKeys: async (name, project, firstWords) => {
      const keys = [...conceptsOf(name).records.values()]
        .filter((each) => each.project === project)
        .flatMap(({ names }) => names.filter(isClaim).map(({ key }) => key))
        .filter((key) => firstWords?.includes(key.split(' ')[0]!) ?? true);
      return [...new Set(keys)].sort(byCodePoint);
    },
    recordConcepts: async (name, ids) => {
      const { records } = conceptsOf(name);
      return new Map(
        ids.flatMap((id) => {
          const found = records.get(id);
          if (found === undefined) return [];
          const byKey = (a: { key: string }, b: { key: string }): number => byCodePoint(a.key, b.key);
          const sorted = {
            project: found.project,
            note: found.note,
            names: [...found.names].sort(byKey),
            mentions: [...found.mentions].sort(byKey),
          };
          return [[id, sorted] as const];
        }),
      );
    },
    nameFrequencies: async (name, project, keys) => {
      const concepts = conceptsOf(name);
      return new Map(keys.map((key) => [key, naming(concepts, project, key).length]));
    },
    recordsNaming: async (name, project, keys, { after, limit }) => {
      const concepts = conceptsOf(name);
      const found = new Set(keys.flatMap((key) => naming(concepts, project, key)));
      return [...found]
        .filter((id) => after === null || id > after)
        .sort((a, b) => a - b)
        .slice(0, limit);
    },
    conceptState: async (name) => {
      const { progress, stale, applied } = conceptsOf(name);
      const pending = state.read(name).conceptChanges.size - applied.size;
      return { ...progress, stale: stale.size, pending };
    },
    staleConcepts: async (name, limit) => [...conceptsOf(name).stale].sort((a, b) => a - b).slice(0, limit),
    conceptChanges: async (name) => changesOf(state.read(name)),
    pendingConceptChanges: async (name) => {
      const { applied } = conceptsOf(name);
      return changesOf(state.read(name)).flatMap(({ id }) => (applied.has(id) ? [] : [id]));
    },
  };
}
