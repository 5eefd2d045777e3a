import { eachInSlices, type Slices, withoutPauses } from '../../core/threads/slices.ts';
import type { ConceptChange } from '../../store/concept-model.ts';
import { compare } from '../walk.ts';
import {
  type ConceptGroup,
  type ConceptLabel,
  type GroupedNames,
  type NameClaims,
} from './concept-groups.ts';
import { nameKey } from '../../core/names/name.ts';
import { conceptId } from './concept-id.ts';

/** A thing or idea with all its names. */
export interface Concept {
  readonly id: string;
  readonly project: string;
  /** What it is called. */
  readonly label: string;
  /** The first one determines the id. */
  readonly names: readonly ConceptLabel[];
  /** The notes that are about it. */
  readonly records: readonly number[];
}

/** A change that has no effect, and why: it was undone, or what it changed is not there. */
export interface IdleChange {
  readonly change: ConceptChange;
  readonly reason: string;
}

/** The order of changes: by time, ties by id. The same on every machine. */
function inOrder(changes: readonly ConceptChange[]): ConceptChange[] {
  return [...changes].sort((a, b) => a.at - b.at || compare(a.id, b.id));
}

/** The changes that no later change has undone. A change that undoes another can be undone itself. */
export function withoutUndone(changes: readonly ConceptChange[]): ConceptChange[] {
  const undone = undoneBy(changes);
  return inOrder(changes).filter(({ id, kind }) => kind !== 'undo' && !undone.has(id));
}

/** For each change that is undone, the change that undoes it. */
export function undoneBy(changes: readonly ConceptChange[]): Map<string, ConceptChange> {
  const undone = new Map<string, ConceptChange>();
  const earlier = new Map(inOrder(changes).map(({ id }, i) => [id, i]));
  for (const change of inOrder(changes).toReversed()) {
    if (change.kind !== 'undo' || undone.has(change.id)) continue;
    const isEarlier = (earlier.get(change.change) ?? Infinity) < earlier.get(change.id)!;
    if (isEarlier) undone.set(change.change, change);
  }
  return undone;
}

interface MutableConcept {
  readonly first: string;
  label: string;
  readonly names: Map<string, ConceptLabel>;
}

/** The concepts of a project while changes are applied to them, one after another. */
export class ConceptState {
  readonly #concepts = new Map<string, MutableConcept>();
  /** The first name of the concept that has a name. */
  readonly #owners = new Map<string, string>();
  readonly #records = new Map<string, number>();
  readonly #disputed: ReadonlyMap<string, NameClaims>;

  private constructor(disputed: ReadonlyMap<string, NameClaims>) {
    this.#disputed = disputed;
  }

  static *of({ groups, disputed }: GroupedNames): Slices<ConceptState> {
    const state = new ConceptState(disputed);
    yield* eachInSlices(groups, (group) => state.#addGroup(group));
    return state;
  }

  #addGroup({ labels, record }: ConceptGroup): void {
    const [first] = labels;
    const names = new Map(labels.map((label) => [label.key, label]));
    this.#concepts.set(first!.key, { first: first!.key, label: first!.text, names });
    for (const key of names.keys()) this.#owners.set(key, first!.key);
    if (record !== null) this.#records.set(first!.key, record);
  }

  /** The concept that has a name; of a name that several notes claim only if they are one concept. */
  #ownerOf(key: string): MutableConcept | undefined {
    const owner = this.#owners.get(key);
    if (owner !== undefined) return this.#concepts.get(owner);
    const owners = new Set(this.#disputed.get(key)?.notes.map((note) => this.#owners.get(note)));
    const [only] = owners;
    return owners.size === 1 && only !== undefined ? this.#concepts.get(only) : undefined;
  }

  /** Applies a change, or returns why it cannot be applied. */
  apply(change: ConceptChange): string | null {
    switch (change.kind) {
      case 'merge':
        return this.#merge(change.into, change.from);
      case 'split':
        return this.#split(change.from, change.names);
      case 'rename':
        return this.#rename(change.concept, change.label);
      case 'undo':
        return null;
    }
  }

  #merge(into: string, from: readonly string[]): string | null {
    const target = this.#ownerOf(into);
    if (target === undefined) return this.#missing(into);
    const sources = new Set<MutableConcept>();
    for (const key of from) {
      const source = this.#ownerOf(key);
      if (source === undefined) return this.#missing(key);
      if (source === target) return `${this.#called(key)} is already a name of ${quoted(target.label)}`;
      sources.add(source);
    }
    for (const source of sources) {
      for (const label of source.names.values()) this.#move(label, target);
      this.#concepts.delete(source.first);
    }
    return null;
  }

  #split(from: string, names: readonly string[]): string | null {
    const source = this.#ownerOf(from);
    if (source === undefined) return this.#missing(from);
    for (const key of names) {
      if (key === source.first)
        return `${quoted(source.label)} keeps its first name, ${this.#called(key)}; split the others from it instead`;
      if (this.#ownerOf(key) !== source)
        return `${this.#called(key)} is not a name of ${quoted(source.label)}`;
    }
    const [first] = names;
    if (first === undefined) return 'no name is given';
    const moved = names.map((key) => source.names.get(key) ?? this.#disputedLabel(key));
    const label = moved.find(({ kind }) => kind !== 'note') ?? moved[0]!;
    const concept = { first, label: label.text, names: new Map<string, ConceptLabel>() };
    this.#concepts.set(first, concept);
    for (const each of moved) {
      source.names.delete(each.key);
      this.#move(each, concept);
    }
    // Otherwise, two concepts would have the label that has left.
    if (names.includes(nameKey(source.label))) source.label = source.names.get(source.first)!.text;
    return null;
  }

  #rename(name: string, label: string): string | null {
    const concept = this.#ownerOf(name);
    if (concept === undefined) return this.#missing(name);
    const key = nameKey(label);
    const owner = this.#ownerOf(key);
    if (owner !== undefined && owner !== concept)
      return `${quoted(label)} is a name of another concept, ${quoted(owner.label)}; merge them instead`;
    if (owner === undefined && key !== '' && !this.#disputed.has(key))
      this.#move({ key, text: label, kind: 'operator' }, concept);
    concept.label = label;
    return null;
  }

  #move(label: ConceptLabel, concept: MutableConcept): void {
    concept.names.set(label.key, label);
    this.#owners.set(label.key, concept.first);
  }

  #disputedLabel(key: string): ConceptLabel {
    const { text = key, kind = 'title' } = this.#disputed.get(key) ?? {};
    return { key, text, kind };
  }

  #missing(key: string): string {
    const claims = this.#disputed.get(key);
    if (claims !== undefined)
      return `${quoted(claims.text)} is a name of ${String(claims.records.length)} notes, and not of one concept`;
    return `there is no concept ${quoted(key)} any more`;
  }

  #called(key: string): string {
    return quoted(this.#ownerOf(key)?.names.get(key)?.text ?? key);
  }

  /** What a change calls a name or note by its key; the key itself if nothing has it now. */
  textOf(key: string): string {
    const label = this.#ownerOf(key)?.names.get(key) ?? this.#disputed.get(key);
    return label?.text ?? key;
  }

  /** All concepts, by id. */
  concepts(project: string): Concept[] {
    return withoutPauses(this.conceptSlices(project));
  }

  *conceptSlices(project: string): Slices<Concept[]> {
    const settled = Map.groupBy(
      [...this.#disputed.keys()].filter((key) => !this.#owners.has(key)),
      (key) => this.#ownerOf(key),
    );
    const all: Concept[] = [];
    yield* eachInSlices(this.#concepts.values(), (concept) => {
      const { first, label, names } = concept;
      all.push({
        id: conceptId(project, first),
        project,
        label,
        names: [...names.values(), ...(settled.get(concept) ?? []).map((key) => this.#disputedLabel(key))],
        records: [...names.keys()].flatMap((key) => this.#records.get(key) ?? []).sort((a, b) => a - b),
      });
    });
    return all.sort((a, b) => compare(a.id, b.id));
  }

  /** The notes that claim a name, if they are of different concepts. */
  conflictOf(key: string): NameClaims | undefined {
    return this.#ownerOf(key) === undefined ? this.#disputed.get(key) : undefined;
  }

  /** The names that notes of different concepts claim. */
  conflicts(): NameClaims[] {
    return [...this.#disputed.values()]
      .filter(({ key }) => this.#ownerOf(key) === undefined)
      .sort((a, b) => compare(a.key, b.key));
  }
}

/** The change with what its notes and names are called now, for a person. */
export function namedChange(change: ConceptChange, state: ConceptState): ConceptChange {
  const textOf = (key: string): string => state.textOf(key);
  // The title of a note leaves together with the note, and is named once.
  const textsOf = (keys: readonly string[]): string[] => [...new Set(keys.map(textOf))];
  switch (change.kind) {
    case 'merge':
      return { ...change, into: textOf(change.into), from: textsOf(change.from) };
    case 'split':
      return { ...change, from: textOf(change.from), names: textsOf(change.names) };
    case 'rename':
      return { ...change, concept: textOf(change.concept) };
    case 'undo':
      return change;
  }
}

function quoted(text: string): string {
  return `‘${text}’`;
}

export interface AppliedChanges {
  readonly state: ConceptState;
  /** By the id of the change. */
  readonly idle: ReadonlyMap<string, IdleChange>;
}

/** Applies the changes that count, in order. Those that cannot be applied are skipped and listed. */
export function applyChanges(names: GroupedNames, changes: readonly ConceptChange[]): AppliedChanges {
  return withoutPauses(changeSlices(names, changes));
}

export function* changeSlices(
  names: GroupedNames,
  changes: readonly ConceptChange[],
): Slices<AppliedChanges> {
  const state = yield* ConceptState.of(names);
  const idle = new Map<string, IdleChange>();
  for (const change of withoutUndone(changes)) {
    const reason = state.apply(change);
    if (reason !== null) idle.set(change.id, { change, reason });
  }
  return { state, idle };
}

/**
 * Says why a change cannot be made now: it has no effect itself, or a change that has an effect would lose it. `null` if it can.
 * For a change that undoes another, the later changes that build on that one are what it would break.
 */
export function whyNot(
  names: GroupedNames,
  changes: readonly ConceptChange[],
  added: ConceptChange,
): string | null {
  const before = applyChanges(names, changes);
  const all = [...changes, added];
  const after = applyChanges(names, all);
  const own =
    after.idle.get(added.id) ?? (added.kind === 'undo' ? redone(after, changes, added.change) : undefined);
  if (own !== undefined) return own.reason;
  for (const change of withoutUndone(all)) {
    const lost = after.idle.get(change.id);
    if (lost !== undefined && !before.idle.has(change.id))
      return `the ${change.kind} ${change.id} builds on it: ${lost.reason}. Undo that change first`;
  }
  return null;
}

/** Why the change that becomes effective again, because what undid it is undone, cannot be applied. */
function redone(
  after: AppliedChanges,
  changes: readonly ConceptChange[],
  undone: string,
): IdleChange | undefined {
  const target = changes.find(({ id }) => id === undone);
  return target?.kind === 'undo' ? after.idle.get(target.change) : undefined;
}
