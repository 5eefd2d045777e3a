import type { z } from 'zod';
import { LociError } from '../../../core/errors.ts';
import type { ProgressOptions } from '../../../core/progress.ts';
import type { LociRecord } from '../../../core/types.ts';
import { type Concept, namedChange, undoneBy } from '../../../graph/concepts/concept-changes.ts';
import { referencesOf } from '../../../graph/concepts/change-references.ts';
import { recordsNaming } from '../../../graph/concepts/find-mentions.ts';
import { nameKey } from '../../../core/names/name.ts';
import { TextMask } from '../../../secrets/text-mask.ts';
import type { ConceptChange } from '../../../store/concept-model.ts';
import type { EngineContext } from '../../context.ts';
import { wholeCitations } from '../../shared/citations.ts';
import { compare } from '../../../graph/walk.ts';
import {
  type ConceptChangesOutput,
  type ConceptConflictsOutput,
  type ConceptListOutput,
  type listedConceptsInput,
  type ConceptShowOutput,
  DEFAULT_LIMIT,
  type listConceptsInput,
  type showConceptInput,
} from './concept-fields.ts';
import { ConceptMask } from './concept-mask.ts';
import { findConcept, type ListedChange, readConcepts, type ProjectConcepts } from './find-concept.ts';

/** @throws LociError `not_found` if no concept that matches has the id `after` any more */
export async function listConcepts(
  context: EngineContext,
  { project, name, limit = DEFAULT_LIMIT, after }: z.infer<typeof listConceptsInput> = {},
  options: ProgressOptions = {},
): Promise<ConceptListOutput> {
  const part = name === undefined ? null : nameKey(name);
  const all = (await rankedConcepts(context, await readConcepts(context, project, options))).filter(
    ({ names }) => part === null || names.some(({ key, kind }) => kind !== 'note' && key.includes(part)),
  );
  const start = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && start === 0)
    throw new LociError('not_found', `no concept has the id ${after} any more`, {
      hint: 'Begin with the first page.',
    });
  const page = all.slice(start, start + limit);
  return {
    concepts: await new ConceptMask(context.thread).concepts(page),
    total: all.length,
    next: start + limit < all.length ? (page.at(-1)?.id ?? null) : null,
  };
}

interface CountedConcept {
  readonly concept: Concept;
  /** How many records mention each of its names or have it as a tag or phrase, in all. */
  readonly naming: number;
}

/** The concepts in the order of a list, for as long as these concepts are remembered. */
const ranked = new WeakMap<readonly ProjectConcepts[], Promise<readonly Concept[]>>();

/** Those that most records name first, ties by label. */
function rankedConcepts(
  context: EngineContext,
  projects: readonly ProjectConcepts[],
): Promise<readonly Concept[]> {
  const known = ranked.get(projects);
  if (known !== undefined) return known;
  const ranking = rank(context, projects);
  ranked.set(projects, ranking);
  ranking.catch(() => ranked.delete(projects));
  return ranking;
}

async function rank(
  context: EngineContext,
  projects: readonly ProjectConcepts[],
): Promise<readonly Concept[]> {
  const all: CountedConcept[] = [];
  for (const within of projects) for (const each of await counted(context, within)) all.push(each);
  all.sort(
    (a, b) =>
      b.naming - a.naming || compare(a.concept.label, b.concept.label) || compare(a.concept.id, b.concept.id),
  );
  return all.map(({ concept }) => concept);
}

/** Keys of one call, whose answer is received in one turn of the event loop. */
const KEYS_OF_CALL = 1000;

/** Records of sources that the caller does not see count for nothing. */
async function counted(
  { store, namespace }: EngineContext,
  { project, excludedSources, concepts }: ProjectConcepts,
): Promise<CountedConcept[]> {
  const keys = concepts.flatMap(({ names }) => names.map(({ key }) => key));
  const counts = new Map<string, number>();
  for (let i = 0; i < keys.length; i += KEYS_OF_CALL) {
    const some = keys.slice(i, i + KEYS_OF_CALL);
    const request = { project, keys: [], counted: some, excludedSources };
    for (const [key, { records }] of await store.graph.namings(namespace, request)) counts.set(key, records);
  }
  return concepts.map((concept) => ({
    concept,
    naming: concept.names.reduce((sum, { key }) => sum + (counts.get(key) ?? 0), 0),
  }));
}

async function cited(
  context: EngineContext,
  records: readonly LociRecord[],
): Promise<ConceptShowOutput['notes']> {
  const citations = await wholeCitations(context, records);
  const titles = await new TextMask(context.thread).texts(records.map(({ title }) => title));
  return records.map(({ id }, i) => ({ id, citation: citations[i]!, title: titles[i]! }));
}

const MAX_MENTIONS = 50;

/** @throws LociError `not_found`, `ambiguous` */
export async function showConcept(
  context: EngineContext,
  { concept: reference, project }: z.infer<typeof showConceptInput>,
  options: ProgressOptions = {},
): Promise<ConceptShowOutput> {
  const { store, namespace } = context;
  const projects = await readConcepts(context, project, options);
  const { concept, within } = await findConcept(context, projects, reference);
  const mask = new ConceptMask(context.thread);
  const keys = concept.names.map(({ key }) => key);
  const request = { project: concept.project, keys, excludedSources: within.excludedSources };
  const limit = MAX_MENTIONS + concept.records.length;
  const naming = await recordsNaming(store.graph, namespace, request, limit);
  const others = naming.filter((id) => !concept.records.includes(id)).slice(0, MAX_MENTIONS);
  const state = { liveAt: context.now() };
  const conflicts = within.applied.state.conflicts();
  return {
    concept: await mask.concept(concept),
    notes: await cited(context, await store.records.get(namespace, concept.records, state)),
    mentioned_in: await cited(context, await store.records.get(namespace, others, state)),
    disputed: await mask.texts.texts(
      conflicts.filter(({ notes }) => notes.some((note) => keys.includes(note))).map(({ text }) => text),
    ),
    changes: await mask.changes(
      listChanges(within).filter(({ change }) => referencesOf([change]).some((each) => keys.includes(each))),
    ),
  };
}

/** Names that two or more notes claim. They are never merged by themselves. */
export async function conceptConflicts(
  context: EngineContext,
  { project, ...page }: z.infer<typeof listedConceptsInput> = {},
  options: ProgressOptions = {},
): Promise<ConceptConflictsOutput> {
  const { store, namespace, thread } = context;
  const mask = new TextMask(thread);
  const all = (await readConcepts(context, project, options)).flatMap((within) =>
    within.applied.state.conflicts().map((conflict) => ({ ...conflict, within })),
  );
  const { items, ...rest } = pageOf(all, page);
  const conflicts: ConceptConflictsOutput['conflicts'] = [];
  for (const { text, records, within } of items) {
    const found = await store.records.get(namespace, records, { liveAt: context.now() });
    const notes = (await cited(context, found)).flatMap((note) => {
      const concept = within.concepts.find((each) => each.records.includes(note.id));
      return concept === undefined ? [] : [{ ...note, concept: concept.id }];
    });
    conflicts.push({ name: await mask.text(text), project: within.project, notes });
  }
  return { conflicts, ...rest };
}

/** A page of a list that is in memory. */
function pageOf<Item>(
  all: readonly Item[],
  { limit = all.length, after = 0 }: Pick<z.infer<typeof listedConceptsInput>, 'limit' | 'after'>,
): { readonly items: readonly Item[]; readonly total: number; readonly next: number | null } {
  const end = after + limit;
  return { items: all.slice(after, end), total: all.length, next: end < all.length ? end : null };
}

/** All changes by operators, the last first. */
export async function conceptChanges(
  context: EngineContext,
  { project, ...page }: z.infer<typeof listedConceptsInput> = {},
  options: ProgressOptions = {},
): Promise<ConceptChangesOutput> {
  const all = (await readConcepts(context, project, options)).flatMap(listChanges);
  const sorted = all.sort((a, b) => b.change.at - a.change.at || (a.change.id < b.change.id ? 1 : -1));
  const { items, ...rest } = pageOf(sorted, page);
  return { changes: await new ConceptMask(context.thread).changes(items), ...rest };
}

function listChanges(within: ProjectConcepts): ListedChange[] {
  const { changes, applied } = within;
  const undone = undoneBy(changes);
  return visibleChanges(within).map((change) => ({
    change,
    named: namedChange(change, applied.state),
    undoneBy: undone.get(change.id)?.id ?? null,
    idle: applied.idle.get(change.id)?.reason ?? null,
  }));
}

/** The changes, without those of names that only hidden sources have. */
function visibleChanges({ changes, names, excludedSources }: ProjectConcepts): readonly ConceptChange[] {
  if (excludedSources.length === 0) return changes;
  const known = new Set([
    ...names.groups.flatMap(({ labels }) => labels.map(({ key }) => key)),
    ...names.disputed.keys(),
  ]);
  const visible = new Set<string>();
  // A change speaks of names that earlier ones gave.
  for (const change of changes) {
    if (change.kind === 'rename' && known.has(change.concept)) known.add(nameKey(change.label));
    const isVisible =
      change.kind === 'undo'
        ? visible.has(change.change)
        : referencesOf([change]).every((name) => known.has(name));
    if (isVisible) visible.add(change.id);
  }
  return changes.filter(({ id }) => visible.has(id));
}
