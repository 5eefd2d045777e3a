import { eachInSlices, type Slices } from '../../core/threads/slices.ts';
import {
  MAX_MENTIONING_RECORDS,
  type NameKind,
  type Naming,
  type StoredName,
} from '../../store/concept-model.ts';
import { compare, nodeId, tagNodeId } from '../model.ts';
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
  /** The id of its node: that of the note or of the tag which it is, else one of its own. */
  readonly id: string;
  readonly project: string;
  /** What it is called. */
  readonly label: string;
  readonly names: readonly ConceptLabel[];
  /** The note that it is. */
  readonly record: number | null;
  /** Whether it is only a tag, which is a node of the graph already. */
  readonly isTag: boolean;
  /** Whether it is a tag or phrase of so many records that no edge leads to it. */
  readonly isCommon: boolean;
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
function identityOf({ id, record }: Concept): number | string {
  return record ?? id;
}

/** The id of the node of a phrase that records share, the same on every machine. */
export function conceptNodeId(project: string, key: string): string {
  return nodeId('c', ['name', project, key]);
}

/** `oven` of the tag `kitchen/oven`. */
export function wordsOfTag(tag: string): string {
  return tag.slice(tag.lastIndexOf('/') + 1).replaceAll(/[-_]+/g, ' ');
}

const KIND_ORDER: Readonly<Record<NameKind, number>> = {
  ...{ title: 0, alias: 1, tag: 2, phrase: 3, opening: 4, word: 5 },
};

/** Whether a record gives itself the name, as its title or an alias: it may be what the name means. */
export function isOwnName({ kind }: Pick<StoredName, 'kind'>): boolean {
  return kind === 'title' || kind === 'alias';
}

/** Whether the record speaks of what the name means, without a claim to be it. */
export function isSpoken<Name extends Pick<StoredName, 'kind'>>(
  name: Name,
): name is Name & { readonly kind: 'tag' | 'phrase' | 'opening' } {
  return name.kind === 'tag' || name.kind === 'phrase' || name.kind === 'opening';
}

/**
 * Whether records share a name: a tag, or a phrase that more records have as a name than as a word.
 * @param names of the same key
 */
function isShared(names: readonly StoredName[]): boolean {
  const spoken = names.filter(isSpoken);
  const likely = spoken.filter(({ key, kind }) => kind === 'phrase' || key.includes(' '));
  const isName =
    spoken.some(({ kind }) => kind === 'tag') || recordsOf(likely) > recordsOf(names) - recordsOf(spoken);
  return isName && recordsOf(spoken) > 1;
}

/** How many records have these names, of which each has one at most. */
function recordsOf(names: readonly StoredName[]): number {
  return names.reduce((sum, { count }) => sum + count, 0);
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
  const claims = sorted.filter((row) => isOwnName(row) && row.note !== null);
  const claimants = Map.groupBy(claims, ({ key }) => key);
  yield;
  const all: Concept[] = [];
  yield* eachInSlices(
    Map.groupBy(claims, (row) => row.record),
    ([record, [first, ...others]]) => {
      const own = [first!, ...others].filter(({ key }) => claimants.get(key)!.length === 1);
      const names = own.map(labelOf);
      const note = { id: first!.note!, project, label: first!.text, names, record };
      all.push({ ...note, isTag: false, isCommon: false });
    },
  );
  const shared = Map.groupBy(
    sorted.filter((row) => !isOwnName(row) && !claimants.has(row.key)),
    ({ key }) => key,
  );
  yield;
  yield* eachInSlices(shared.values(), (names) => {
    if (!isShared(names)) return;
    const spoken = names.filter(isSpoken);
    const frequent = mostFrequentText(spoken);
    const [name, isTag] = [labelOf(frequent), frequent.kind === 'tag'];
    const id = isTag ? tagNodeId(project, frequent.text) : conceptNodeId(project, name.key);
    const isCommon = recordsOf(spoken) > MAX_MENTIONING_RECORDS;
    all.push({ id, project, label: name.text, names: [name], record: null, isTag, isCommon });
  });
  const conflicts = [...claimants]
    .filter(([, { length }]) => length > 1)
    .map(([key, of]) => [key, { key, text: of[0]!.text, records: of.map(({ record }) => record) }] as const);
  return new Concepts(all, new Map(conflicts));
}

function labelOf({ key, text, kind }: StoredName): ConceptLabel {
  if (kind === 'tag') return { key, text: wordsOfTag(text), kind };
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
 * @param namings what the record names
 * @param isCommon whether too many records have a name
 */
export function conceptEdges(
  record: number,
  namings: readonly Omit<Naming, 'record'>[],
  concepts: Concepts,
  isCommon: (key: string) => boolean,
): ConceptEdge[] {
  /** By target: the strongest reason stays. */
  const edges = new Map<number | string, ConceptEdge>();
  const add = (concept: Concept, weight: number, reason: string, line: number | null): void => {
    if (concept.record === record || (edges.get(identityOf(concept))?.weight ?? 0) >= weight) return;
    edges.set(identityOf(concept), { record, concept, weight, reason, line });
  };
  for (const { key, text, kind, line, count } of namings.toSorted(mentionsFirst)) {
    if (isCommon(key)) continue;
    const concept = concepts.named(key);
    const at = `in line ${String(line)}`;
    if (kind === 'mention') {
      const all = count === 1 ? at : `${at}, ${String(count)} times in all`;
      if (concept !== undefined) add(concept, WEIGHTS.mention, `names ${nameIn(concept, key)} ${all}`, line);
      const { records = [], text: name = '' } = concepts.conflictOf(key) ?? {};
      if (concept !== undefined || records.length > MAX_CLAIMANTS) continue;
      const reason = `names ‘${name}’ ${all}; ${String(records.length)} notes are called so`;
      for (const claimant of records.flatMap((each) => concepts.ofRecord(each) ?? []))
        add(claimant, WEIGHTS.mention / records.length, reason, line);
    } else if (concept !== undefined && !concept.isTag) {
      if (kind === 'tag') add(concept, WEIGHTS.tag, `has the tag ‘${text ?? ''}’`, null);
      else add(concept, WEIGHTS.phrase, `has the phrase ‘${text ?? ''}’ ${at}`, line);
    }
  }
  return [...edges.values()];
}

function mentionsFirst(a: Pick<Naming, 'kind' | 'key'>, b: Pick<Naming, 'kind' | 'key'>): number {
  return Number(b.kind === 'mention') - Number(a.kind === 'mention') || compare(a.key, b.key);
}

function nameIn({ names }: Concept, key: string): string {
  return `‘${names.find((name) => name.key === key)?.text ?? key}’`;
}
