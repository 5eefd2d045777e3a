import type { LociRecord } from '../../core/types.ts';
import {
  type ConceptChange,
  type ConceptMention,
  MAX_MENTIONING_RECORDS,
  type RecordConcepts,
  type RecordNames,
  type StoredName,
  type TouchedNames,
} from '../../store/concept-model.ts';
import { applyChanges, type Concept, effectiveChanges } from './concept-changes.ts';
import { groupNames, isClaim, isSpoken } from './concept-groups.ts';
import type { ConceptOptions } from './concept-options.ts';
import { isMentionable, nameKey } from '../../core/names/name.ts';

/** What a batch of changes means for the names of a project. */
export interface ChangedNames {
  readonly project: string;
  /** Names that other texts may mention from now on, by key, as written. */
  readonly added: ReadonlyMap<string, string>;
  /** Names that texts mention no longer. */
  readonly dead: readonly string[];
  /** Names that may lead to other concepts from now on. */
  readonly touched: ReadonlySet<string>;
}

/** The names that operators gave in a project, by key, as written. */
export function operatorNames(changes: readonly ConceptChange[], project: string): Map<string, string> {
  const names = new Map<string, string>();
  for (const change of effectiveChanges(changes)) {
    if (change.kind !== 'rename' || change.project !== project) continue;
    const key = nameKey(change.label);
    if (isMentionable(key)) names.set(key, change.label);
  }
  return names;
}

/** The names and notes by which changes refer to concepts. */
export function referencesIn(changes: readonly ConceptChange[]): string[] {
  const references = changes.flatMap((change) => {
    switch (change.kind) {
      case 'merge':
        return [change.into, ...change.from];
      case 'split':
        return [change.from, ...change.names];
      case 'rename':
        return [change.concept, nameKey(change.label)];
      case 'undo':
        return [];
    }
  });
  return [...new Set(references)];
}

/** Compares the names that records had with those that they have now. @param after `null` for a record that is gone */
export async function changedNames(
  options: ConceptOptions,
  before: ReadonlyMap<number, RecordNames>,
  after: ReadonlyMap<number, RecordNames | null>,
): Promise<ChangedNames[]> {
  const present = [...after.values()].filter((each) => each !== null);
  const projects = new Set([...before.values(), ...present].map(({ project }) => project));
  const changes = await options.store.graph.conceptChanges(options.namespace);
  const changed: ChangedNames[] = [];
  for (const project of projects) {
    const difference = new NameDifference(project);
    for (const [record, now] of after) difference.add(before.get(record) ?? null, now);
    await keepChangedMeanings(options, project, difference, after);
    const touched = await withMergedNames(
      options,
      changes.filter((change) => change.project === project),
      project,
      difference,
    );
    const dead = await deadNames(
      options,
      project,
      difference.removed,
      after,
      operatorNames(changes, project),
    );
    changed.push({ project, added: difference.added, dead, touched });
  }
  return changed;
}

/**
 * Of the tags and phrases that records have got or lost, only those stay touched whose concept has appeared, is gone or is called
 * otherwise. For all others, the remaining records lead where they led.
 */
async function keepChangedMeanings(
  { store, namespace }: ConceptOptions,
  project: string,
  { touched, added, removed }: NameDifference,
  after: ReadonlyMap<number, RecordNames | null>,
): Promise<void> {
  const shared = [...touched].filter((key) => !added.has(key) && !removed.has(key));
  if (shared.length === 0) return;
  const rows = await store.graph.conceptNames(namespace, { project, only: { keys: shared, notes: [] } });
  const wanted = new Set(shared);
  const written = [...after].flatMap(([record, own]) =>
    own?.project !== project
      ? []
      : own.names
          .filter(({ key, kind }) => wanted.has(key) || isClaim({ kind }))
          .map((name) => ({ ...name, record, project, note: own.note })),
  );
  const meaningOf = (names: readonly StoredName[]): Map<string, string> =>
    new Map(
      groupNames(names).groups.flatMap(({ labels }) =>
        labels.map(({ key, text, kind }) => [key, `${kind} ${text}`] as const),
      ),
    );
  const [was, is] = [rows, [...rows.filter(({ record }) => !after.has(record)), ...written]].map(meaningOf);
  for (const key of shared) if (was!.get(key) === is!.get(key)) touched.delete(key);
}

class NameDifference {
  readonly #project: string;
  readonly added = new Map<string, string>();
  /** Keys of titles and aliases. */
  readonly removed = new Set<string>();
  readonly touched = new Set<string>();
  /** The ids of the nodes of all notes. */
  readonly notes = new Set<string>();

  constructor(project: string) {
    this.#project = project;
  }

  add(before: RecordNames | null, after: RecordNames | null): void {
    const [was, is] = [before, after].map((each) => (each?.project === this.#project ? each : null));
    for (const each of [was, is]) if (typeof each?.note === 'string') this.notes.add(each.note);
    const isSameNote = was?.note === is?.note;
    const rowsOf = (names: RecordNames | null | undefined): Map<string, RecordNames['names'][number]> =>
      new Map((names?.names ?? []).map((name) => [`${name.kind} ${name.key} ${name.text}`, name]));
    const [old, current] = [rowsOf(was), rowsOf(is)];
    for (const [id, name] of old) {
      if (isSameNote && current.has(id)) continue;
      this.touched.add(name.key);
      if (isClaim(name)) this.removed.add(name.key);
    }
    for (const [id, name] of current) {
      if (isSameNote && old.has(id)) continue;
      this.touched.add(name.key);
      if (isClaim(name)) this.added.set(name.key, name.text);
    }
  }
}

/** Where a changed note or name is one that changes by operators speak of, all names of these concepts are touched. */
async function withMergedNames(
  { store, namespace }: ConceptOptions,
  changes: readonly ConceptChange[],
  project: string,
  { touched, notes }: NameDifference,
): Promise<Set<string>> {
  const references = referencesIn(effectiveChanges(changes));
  if (references.length === 0) return touched;
  const only = { keys: references, notes: references };
  const rows = await store.graph.conceptNames(namespace, { project, only });
  const related = new Set([...references, ...rows.map(({ key }) => key)]);
  const isRelated = [...touched, ...notes].some((name) => related.has(name));
  return isRelated ? new Set([...touched, ...related]) : touched;
}

/** Those of the removed titles and aliases that no note has any more. */
async function deadNames(
  { store, namespace }: ConceptOptions,
  project: string,
  removed: ReadonlySet<string>,
  after: ReadonlyMap<number, RecordNames | null>,
  given: ReadonlyMap<string, string>,
): Promise<string[]> {
  if (removed.size === 0) return [];
  const only = { keys: [...removed], notes: [] };
  const rows = await store.graph.conceptNames(namespace, { project, only });
  const others = rows.filter((row) => isClaim(row) && !after.has(row.record)).map(({ key }) => key);
  const current = [...after.values()]
    .filter((each) => each?.project === project)
    .flatMap((each) => each!.names.filter(isClaim).map(({ key }) => key));
  const alive = new Set([...others, ...current, ...given.keys()]);
  return [...removed].filter((key) => !alive.has(key));
}

/** Names of which too many records speak from now on, or no longer. */
export async function namesAtLimit(
  { store, namespace }: ConceptOptions,
  records: readonly Pick<LociRecord, 'id' | 'project'>[],
  names: ReadonlyMap<number, RecordNames | null>,
  mentions: ReadonlyMap<number, readonly ConceptMention[]>,
): Promise<TouchedNames[]> {
  const ids = [...new Set([...names.keys(), ...records.map(({ id }) => id)])];
  const before = await store.graph.recordConcepts(namespace, ids);
  const growth = new Map<string, Map<string, number>>();
  const count = (project: string, keys: ReadonlySet<string>, by: number): void => {
    const counts = growth.get(project) ?? new Map<string, number>();
    growth.set(project, counts);
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + by);
  };
  for (const id of ids) {
    const was = before.get(id);
    if (was !== undefined) count(was.project, spokenNames(was), -1);
    const own = (names.has(id) ? names.get(id) : was) ?? null;
    if (own !== null) count(own.project, spokenNames({ ...own, mentions: mentions.get(id) ?? [] }), 1);
  }
  const crossed: TouchedNames[] = [];
  for (const [project, counts] of growth) {
    const grown = [...counts].filter(([, by]) => by !== 0).map(([key]) => key);
    const now = await store.graph.nameFrequencies(namespace, project, grown);
    const isCommon = (n: number): boolean => n > MAX_MENTIONING_RECORDS;
    const keys = [...now].filter(([key, n]) => isCommon(n) !== isCommon(n + counts.get(key)!));
    if (keys.length > 0) crossed.push({ project, keys: keys.map(([key]) => key) });
  }
  return crossed;
}

/** The names that a record mentions or has as a tag or phrase. */
export function spokenNames({ names, mentions }: Pick<RecordConcepts, 'names' | 'mentions'>): Set<string> {
  return new Set([...mentions, ...names.filter(isSpoken)].map(({ key }) => key));
}

/** What pending changes of operators mean for the names of their projects. */
export async function pendingEffects(
  { store, namespace }: ConceptOptions,
  pending: ReadonlySet<string>,
): Promise<ChangedNames[]> {
  const changes = await store.graph.conceptChanges(namespace);
  const projects = new Set(changes.filter(({ id }) => pending.has(id)).map(({ project }) => project));
  const effects: ChangedNames[] = [];
  for (const project of projects) {
    const own = changes.filter((change) => change.project === project);
    const earlier = own.filter(({ id }) => !pending.has(id));
    const rows = await store.graph.conceptNames(namespace, { project });
    const names = groupNames(rows);
    const [before, after] = [earlier, own].map((each) =>
      signatures(applyChanges(names, each).state.concepts(project)),
    );
    const keys = [...before!.keys(), ...after!.keys()];
    const [givenBefore, givenAfter] = [operatorNames(earlier, project), operatorNames(own, project)];
    const claimed = new Set(rows.filter(isClaim).map(({ key }) => key));
    effects.push({
      project,
      added: new Map([...givenAfter].filter(([key]) => !givenBefore.has(key) && !claimed.has(key))),
      dead: [...givenBefore.keys()].filter((key) => !givenAfter.has(key) && !claimed.has(key)),
      touched: new Set(keys.filter((key) => before!.get(key) !== after!.get(key))),
    });
  }
  return effects;
}

/** For each name, what the edges to its concept depend on. */
function signatures(concepts: readonly Concept[]): Map<string, string> {
  return new Map(
    concepts.flatMap(({ id, label, records, names }) => {
      const kinds = names.every(({ kind }) => kind === 'tag');
      const signature = JSON.stringify([id, label, records, kinds]);
      return names.map(({ key }) => [key, signature] as const);
    }),
  );
}
