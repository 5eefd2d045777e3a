import { eachInSlices, type Slices, withoutPauses } from '../../core/threads/slices.ts';
import type { NameKind, StoredName } from '../../store/concept-model.ts';
import { compare } from '../walk.ts';

/** A name of a concept, or the note itself, under the id of its node. */
export interface ConceptLabel {
  /** The key of a name, or the id of a note's node. */
  readonly key: string;
  readonly text: string;
  /** `operator` for a name that a change gave. */
  readonly kind: (typeof LABEL_KINDS)[number] | 'note';
}

export const LABEL_KINDS = ['title', 'alias', 'tag', 'phrase', 'operator'] as const;

/** What belongs together before any change by an operator: a note with its names, or a tag or phrase. */
export interface ConceptGroup {
  /** The first is the note, if there is one, then its title. */
  readonly labels: readonly ConceptLabel[];
  readonly record: number | null;
}

/** A name that several notes claim. It is no name of any of them until an operator has merged them. */
export interface NameClaims {
  readonly key: string;
  readonly text: string;
  /** The most certain of the claims. */
  readonly kind: 'title' | 'alias';
  /** Ids of the nodes of the notes, by record. */
  readonly notes: readonly string[];
  readonly records: readonly number[];
}

export interface GroupedNames {
  readonly groups: readonly ConceptGroup[];
  readonly disputed: ReadonlyMap<string, NameClaims>;
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
 * Groups the names of a project, the same from any order of rows. A note with its title and aliases is a group. A name that
 * two notes claim joins neither. A tag or phrase that records share is a group of its own, unless it is a name of a note.
 */
export function groupNames(rows: readonly StoredName[]): GroupedNames {
  return withoutPauses(groupingSlices(rows));
}

export function* groupingSlices(rows: readonly StoredName[]): Slices<GroupedNames> {
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
  const noteIds = idsOfNotes(claims);
  yield;
  const groups: ConceptGroup[] = [];
  const ofNotes = Map.groupBy(claims, (row) => row.record);
  yield* eachInSlices(ofNotes, ([record, names]) => {
    const own = names.filter(({ key }) => claimants.get(key)!.length === 1);
    const note: ConceptLabel = { key: noteIds.get(record)!, text: names[0]!.text, kind: 'note' };
    groups.push({ labels: [note, ...own.map(labelOf)], record });
  });
  const others = Map.groupBy(
    sorted.filter((row) => !isClaim(row) && !claimants.has(row.key)),
    ({ key }) => key,
  );
  yield;
  yield* eachInSlices(others.values(), (names) => {
    if (isShared(names))
      groups.push({ labels: [labelOf(mostFrequentText(names.filter(isSpoken)))], record: null });
  });
  return { groups, disputed: disputedNames(claimants, noteIds) };
}

function labelOf({ key, text, kind }: StoredName): ConceptLabel {
  return { key, text, kind: kind === 'opening' || kind === 'word' ? 'phrase' : kind };
}

/** Two documents with one identity are different notes nevertheless. */
function idsOfNotes(claims: readonly StoredName[]): Map<number, string> {
  const ids = new Map<number, string>();
  const taken = new Set<string>();
  for (const { record, note } of claims) {
    if (ids.has(record)) continue;
    const id = taken.has(note!) ? `${note!} ${String(record)}` : note!;
    taken.add(id);
    ids.set(record, id);
  }
  return ids;
}

/** Of the spellings of a name, the most frequent; ties by code point. A tag is written in lower case more often than not. */
function mostFrequentText(names: readonly StoredName[]): StoredName {
  const [best] = [...names].sort(
    (a, b) =>
      Number(a.kind === 'tag') - Number(b.kind === 'tag') || b.count - a.count || compare(a.text, b.text),
  );
  return best!;
}

function disputedNames(
  claimants: ReadonlyMap<string, readonly StoredName[]>,
  noteIds: ReadonlyMap<number, string>,
): Map<string, NameClaims> {
  const disputed = new Map<string, NameClaims>();
  for (const [key, rows] of claimants) {
    if (rows.length < 2) continue;
    const records = rows.map(({ record }) => record);
    disputed.set(key, {
      key,
      text: rows[0]!.text,
      kind: rows.some(({ kind }) => kind === 'title') ? 'title' : 'alias',
      records,
      notes: records.map((record) => noteIds.get(record)!),
    });
  }
  return disputed;
}
