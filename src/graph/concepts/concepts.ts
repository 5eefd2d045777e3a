import { eachInSlices, type Slices } from '../../core/threads/slices.ts';
import type { NameKind, StoredName, RecordConcepts } from '../../store/concept-model.ts';
import { NODE_ID, nodeId } from '../model.ts';
import { compare } from '../walk.ts';
import type { GraphEdge } from '../../store/graph-model.ts';

/** A name of a concept. */
interface ConceptLabel {
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
interface NameConflict {
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
export function* groupNames(rows: readonly StoredName[], project: string): Slices<Concepts> {
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

/** How closely the nodes of an edge belong together. A link says more, a tag says less. */
const WEIGHTS = { mention: 0.5, phrase: 0.4, tag: 0.3 };
/** A name of more notes than this says too little about each of them. */
const MAX_CLAIMANTS = 3;

/** An edge from a record to what its text or properties name. */
export interface ConceptEdge extends Pick<GraphEdge, 'weight' | 'reason'> {
  readonly record: number;
  readonly concept: Concept;
  /** The line that says it; `null` for a tag. */
  readonly line: number | null;
}

/**
 * The edges of a record to what its text names: to notes, and to the nodes of tags and phrases that records share.
 * @param isCommon whether too many records have a name
 */
export function conceptEdges(
  record: number,
  { names, mentions }: Pick<RecordConcepts, 'names' | 'mentions'>,
  concepts: Concepts,
  isCommon: (key: string) => boolean,
): ConceptEdge[] {
  /** By target: the strongest reason stays. */
  const edges = new Map<number | string, ConceptEdge>();
  const add = (concept: Concept, weight: number, reason: string, line: number | null): void => {
    if (concept.record === record || (edges.get(identityOf(concept))?.weight ?? 0) >= weight) return;
    edges.set(identityOf(concept), { record, concept, weight, reason, line });
  };
  for (const { key, line, count } of inOrder(mentions)) {
    if (isCommon(key)) continue;
    const at = `in line ${String(line)}${count === 1 ? '' : `, ${String(count)} times in all`}`;
    const concept = concepts.named(key);
    if (concept !== undefined)
      add(concept, WEIGHTS.mention, `names ${quoted(textOf(concept, key))} ${at}`, line);
    const { records = [], text = '' } = concepts.conflictOf(key) ?? {};
    if (concept !== undefined || records.length > MAX_CLAIMANTS) continue;
    const reason = `names ${quoted(text)} ${at}; ${String(records.length)} notes are called so`;
    for (const claimant of records.flatMap((each) => concepts.ofRecord(each) ?? []))
      add(claimant, WEIGHTS.mention / records.length, reason, line);
  }
  for (const { key, text, kind, line } of inOrder(names.filter(isSpoken))) {
    const concept = isCommon(key) ? undefined : concepts.named(key);
    // A tag alone is a node of the graph already.
    if (concept === undefined || isTag(concept)) continue;
    if (kind === 'tag') add(concept, WEIGHTS.tag, `has the tag ${quoted(text)}`, null);
    else add(concept, WEIGHTS.phrase, `has the phrase ${quoted(text)} in line ${String(line)}`, line);
  }
  return [...edges.values()];
}

function inOrder<T extends { readonly key: string }>(names: readonly T[]): T[] {
  return names.toSorted((a, b) => compare(a.key, b.key));
}

function textOf(concept: Concept, key: string): string {
  return concept.names.find((name) => name.key === key)?.text ?? key;
}

function quoted(text: string): string {
  return `‘${text}’`;
}
