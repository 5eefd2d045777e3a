import { eachInSlices, type Slices, withoutPauses } from '../../core/threads/slices.ts';
import type { NameKind, StoredName } from '../../store/concept-model.ts';
import { NODE_ID, nodeId } from '../model.ts';
import { compare } from '../walk.ts';

/** A name of a concept. */
export interface ConceptLabel {
  readonly key: string;
  readonly text: string;
  readonly kind: (typeof LABEL_KINDS)[number];
}

export const LABEL_KINDS = ['title', 'alias', 'tag', 'phrase'] as const;

/** A thing or idea with all its names: a note with its title and aliases, or a tag or phrase that records share. */
export interface Concept {
  /** The id of the node of the note; without a note, that of a node of its own. */
  readonly id: string;
  readonly project: string;
  /** What it is called. */
  readonly label: string;
  readonly names: readonly ConceptLabel[];
  /** The note that it is. */
  readonly record: number | null;
}

/** A name that several notes claim. It is no name of any of them. */
export interface NameConflict {
  readonly key: string;
  readonly text: string;
  /** The notes, by record. */
  readonly records: readonly number[];
}

/** The concepts of a project by name and by note. */
export class Concepts {
  /** In the order of the names of notes, then of tags and phrases. */
  readonly all: readonly Concept[];
  readonly #byName = new Map<string, Concept>();
  readonly #byRecord = new Map<number, Concept>();
  readonly #conflicts: ReadonlyMap<string, NameConflict>;

  constructor(all: readonly Concept[], conflicts: ReadonlyMap<string, NameConflict>) {
    this.all = all;
    this.#conflicts = conflicts;
    for (const concept of all) {
      for (const { key } of concept.names) this.#byName.set(key, concept);
      if (concept.record !== null) this.#byRecord.set(concept.record, concept);
    }
  }

  named(key: string): Concept | undefined {
    return this.#byName.get(key);
  }

  /** The concept that a note is. */
  ofRecord(record: number): Concept | undefined {
    return this.#byRecord.get(record);
  }

  /** The notes that claim a name, if they are several. */
  conflictOf(key: string): NameConflict | undefined {
    return this.#conflicts.get(key);
  }

  /** The names that several notes claim. */
  conflicts(): NameConflict[] {
    return [...this.#conflicts.values()].sort((a, b) => compare(a.key, b.key));
  }
}

/** Tells concepts apart: two documents with one identity are different notes nevertheless. */
export function identityOf({ id, record }: Concept): number | string {
  return record ?? id;
}

/** Whether it is only a tag, which is a node of the graph already. */
export function isTag({ names, record }: Concept): boolean {
  return record === null && names.every(({ kind }) => kind === 'tag');
}

/** The id of the concept of a tag or phrase, the same on every machine. */
function conceptId(project: string, key: string): string {
  return nodeId('c', ['name', project, key]);
}

export function isConceptId(text: string): boolean {
  return text.startsWith('c_') && NODE_ID.test(text);
}

const KIND_ORDER: Readonly<Record<NameKind, number>> = {
  ...{ title: 0, alias: 1, tag: 2, phrase: 3, opening: 4, word: 5 },
};

/** Whether the record claims to be what the name means. */
export function isClaim({ kind }: Pick<StoredName, 'kind'>): boolean {
  return kind === 'title' || kind === 'alias';
}

/** Whether the record speaks of what the name means, without a claim to be it. */
export function isSpoken({ kind }: Pick<StoredName, 'kind'>): boolean {
  return kind === 'tag' || kind === 'phrase' || kind === 'opening';
}

/**
 * Whether records share a name: a tag, or a phrase that more records have as a name than as a word.
 * @param names of the same key
 */
function isShared(names: readonly StoredName[]): boolean {
  const count = (rows: readonly StoredName[]): number => rows.reduce((sum, row) => sum + row.count, 0);
  const spoken = names.filter(isSpoken);
  const likely = spoken.filter(({ key, kind }) => kind === 'phrase' || key.includes(' '));
  const isName = spoken.some(({ kind }) => kind === 'tag') || count(likely) > count(names) - count(spoken);
  return isName && count(spoken) > 1;
}

/**
 * Groups the names of a project, the same from any order of rows. A note with its title and aliases is a concept. A name that
 * two notes claim joins neither. A tag or phrase that records share is a concept of its own, unless it is a name of a note.
 */
export function groupNames(rows: readonly StoredName[], project: string): Concepts {
  return withoutPauses(groupingSlices(rows, project));
}

export function* groupingSlices(rows: readonly StoredName[], project: string): Slices<Concepts> {
  const sorted = [...rows].sort(
    (a, b) =>
      a.record - b.record ||
      KIND_ORDER[a.kind] - KIND_ORDER[b.kind] ||
      compare(a.key, b.key) ||
      compare(a.text, b.text),
  );
  yield;
  const claims = sorted.filter((row) => isClaim(row) && row.note !== null);
  const claimants = Map.groupBy(claims, ({ key }) => key);
  yield;
  const all: Concept[] = [];
  yield* eachInSlices(
    Map.groupBy(claims, (row) => row.record),
    ([record, [first, ...others]]) => {
      const own = [first!, ...others].filter(({ key }) => claimants.get(key)!.length === 1);
      all.push({ id: first!.note!, project, label: first!.text, names: own.map(labelOf), record });
    },
  );
  const shared = Map.groupBy(
    sorted.filter((row) => !isClaim(row) && !claimants.has(row.key)),
    ({ key }) => key,
  );
  yield;
  yield* eachInSlices(shared.values(), (names) => {
    if (!isShared(names)) return;
    const name = labelOf(mostFrequentText(names.filter(isSpoken)));
    all.push({ id: conceptId(project, name.key), project, label: name.text, names: [name], record: null });
  });
  const conflicts = [...claimants]
    .filter(([, { length }]) => length > 1)
    .map(([key, of]) => [key, { key, text: of[0]!.text, records: of.map(({ record }) => record) }] as const);
  return new Concepts(all, new Map(conflicts));
}

function labelOf({ key, text, kind }: StoredName): ConceptLabel {
  return { key, text, kind: kind === 'opening' || kind === 'word' ? 'phrase' : kind };
}

/** Of the spellings of a name, the most frequent; ties by code point. A tag is written in lower case more often than not. */
function mostFrequentText(names: readonly StoredName[]): StoredName {
  const [best] = [...names].sort(
    (a, b) =>
      Number(a.kind === 'tag') - Number(b.kind === 'tag') || b.count - a.count || compare(a.text, b.text),
  );
  return best!;
}
