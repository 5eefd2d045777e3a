import type { z } from 'zod';
import { LociError } from '../../../core/errors.ts';
import { inTurns } from '../../../core/threads/slices.ts';
import type { ProgressOptions } from '../../../core/progress.ts';
import { uuidv7 } from '../../../core/ids.ts';
import type { Json } from '../../../core/types.ts';
import {
  changeSlices,
  type Concept,
  namedChange,
  undoneBy,
  whyNot,
} from '../../../graph/concepts/concept-changes.ts';
import { groupNames } from '../../../graph/concepts/concept-groups.ts';
import { nameKey } from '../../../core/names/name.ts';
import type { ConceptChange, ConceptChangeDetail } from '../../../store/concept-model.ts';
import { conceptChangePut, conceptChanges } from '../../../store/items/kinds.ts';
import { auditDraft } from '../../audit/audit.ts';
import type { EngineContext } from '../../context.ts';
import { assertWithinLimits } from '../../fields/limits.ts';
import { screenTexts } from '../../records/screen.ts';
import type {
  MadeChangeOutput,
  mergeConceptsInput,
  renameConceptInput,
  splitConceptInput,
  undoConceptChangeInput,
} from './concept-fields.ts';
import {
  findConcept,
  type FoundConcept,
  type ProjectConcepts,
  quoted,
  readConcepts,
} from './find-concept.ts';
import { ConceptMask } from './concept-mask.ts';
import { updateConcepts } from './update-concepts.ts';

/** Every change is applied again at each derivation. */
const MAX_CHANGES = 10_000;

/** The concepts `from` become part of the concept `into`. @throws LociError `not_found`, `ambiguous`, `conflict` */
export async function mergeConcepts(
  context: EngineContext,
  { into, from, project, preview }: z.infer<typeof mergeConceptsInput>,
  options: ProgressOptions = {},
): Promise<MadeChangeOutput> {
  const projects = await readConcepts(context, project, options);
  const target = await findConcept(context, projects, into);
  const sources = await Promise.all(
    from.map((reference) => findConcept(context, [target.within], reference)),
  );
  const firstNames = [...new Set(sources.map(({ concept }) => firstName(concept)))];
  const detail = { kind: 'merge', into: firstName(target.concept), from: firstNames } as const;
  return makeChange(context, target.within, detail, preview);
}

/** Names of a concept become a concept of their own. @throws LociError `not_found`, `ambiguous`, `conflict` */
export async function splitConcept(
  context: EngineContext,
  { concept: reference, names, project, preview }: z.infer<typeof splitConceptInput>,
  options: ProgressOptions = {},
): Promise<MadeChangeOutput> {
  const found = await findConcept(context, await readConcepts(context, project, options), reference);
  const keys = [...new Set(names.flatMap((name) => keysOfName(found, name)))];
  // A note comes first, because the first name determines the id of the new concept.
  const notesFirst = keys.toSorted(
    (a, b) => Number(isNote(found.concept, b)) - Number(isNote(found.concept, a)),
  );
  const detail = { kind: 'split', from: firstName(found.concept), names: notesFirst } as const;
  return makeChange(context, found.within, detail, preview);
}

/** Gives a concept a label, which becomes a name of it. @throws LociError `not_found`, `ambiguous`, `conflict`, `invalid_input` */
export async function renameConcept(
  context: EngineContext,
  { concept: reference, label, project }: z.infer<typeof renameConceptInput>,
  options: ProgressOptions = {},
): Promise<MadeChangeOutput> {
  const { texts } = await screenTexts(context, { title: label.trim() });
  assertWithinLimits(texts);
  if (nameKey(texts.title) === '')
    throw new LociError('invalid_input', `${quoted(label)} has no letters, so it is no name`);
  const projects = await readConcepts(context, project, options);
  const { concept, within } = await findConcept(context, projects, reference);
  return makeChange(context, within, { kind: 'rename', concept: firstName(concept), label: texts.title });
}

/** Stands for the id of the newest change. */
const LATEST_CHANGE = 'latest';

/** Undoes a change; another undo of this one makes it count again. @throws LociError `not_found`, `conflict` with the reason */
export async function undoConceptChange(
  context: EngineContext,
  { change: given }: z.infer<typeof undoConceptChangeInput>,
  options: ProgressOptions = {},
): Promise<MadeChangeOutput> {
  const changes = await conceptChanges(context.store.records, context.namespace);
  const id = given === LATEST_CHANGE ? (changes.at(-1)?.id ?? given) : given;
  const target = changes.find((change) => change.id === id);
  if (target === undefined)
    throw new LociError('not_found', `there is no change ${quoted(id)} of concepts`, {
      hint: '`loci concept changes` lists the changes with their ids.',
    });
  const undo = undoneBy(changes).get(id);
  if (undo !== undefined)
    throw new LociError('conflict', `the ${target.kind} ${id} was undone already, by ${undo.id}`, {
      hint: `\`loci concept undo ${undo.id}\` makes it count again.`,
    });
  const [within] = await readConcepts(context, target.project, options);
  return makeChange(context, within!, { kind: 'undo', change: id });
}

/** Changes refer to a concept by its first name, which stays with it. */
function firstName({ names }: Concept): string {
  return names[0]!.key;
}

function isNote({ names }: Concept, key: string): boolean {
  return names.some((name) => name.key === key && name.kind === 'note');
}

/** The keys that a name stands for. With the title of a note goes the note. @throws LociError `not_found` */
function keysOfName({ concept, within }: FoundConcept, name: string): string[] {
  const key = nameKey(name);
  const [first, ...others] = concept.names;
  const notes = others
    .filter((each) => each.kind === 'note' && nameKey(each.text) === key)
    .map((each) => each.key);
  // A note that stays keeps its title, which the change then refuses to split.
  if (first!.kind === 'note' && nameKey(first!.text) === key && notes.length === 0) return [first!.key];
  const isName = [first!, ...others].some((each) => each.key === key);
  // Where a title that two notes have leaves with one of the notes, it is again the title of both.
  if (notes.length > 0) return isName && !within.names.disputed.has(key) ? [...notes, key] : notes;
  if (isName) return [key];
  throw new LociError('not_found', `${quoted(name)} is not a name of ${quoted(concept.label)}`, {
    hint: `\`loci concept show ${concept.id}\` lists its names.`,
  });
}

/** Stores a change with its entry in the audit log, unless it makes no sense. @throws LociError `conflict` with the reason */
async function makeChange(
  context: EngineContext,
  before: ProjectConcepts,
  detail: ConceptChangeDetail,
  preview = false,
): Promise<MadeChangeOutput> {
  const { project, changes } = before;
  const { store, namespace, caller } = context;
  if (changes.length >= MAX_CHANGES)
    throw new LociError(
      'too_large',
      `${project} has ${String(changes.length)} changes of concepts, the maximum`,
    );
  const now = context.now();
  // Changes are ordered by their times, so that two of them never have the same.
  const at = Math.max(now, (changes.at(-1)?.at ?? 0) + 1);
  const { actor, surface } = caller;
  const change: ConceptChange = { id: uuidv7(now), at, actor, surface, project, ...detail };
  // The change will be applied to the names of all sources, also of those that the caller does not see.
  const names = groupNames(await store.graph.conceptNames(namespace, { project }));
  const reason = whyNot(names, changes, change);
  if (reason !== null)
    throw new LociError('conflict', reason, { hint: '`loci concept changes` lists the changes.' });
  const all = [...changes, change];
  if (preview) return formatMade(context, await withChanges(before, all), change, false);
  const diff = { project: { after: project }, ...(detail as unknown as Record<string, Json>) };
  await store.records.commit(namespace, {
    items: [conceptChangePut(change)],
    audit: [auditDraft(context, `concept-${detail.kind}`, `concept:${change.id}`, diff)],
  });
  await updateConcepts(context);
  const [within] = await readConcepts(context, project);
  return formatMade(context, { ...within!, changes: all }, change, true);
}

/** The concepts of a project as they would be. */
async function withChanges(
  before: ProjectConcepts,
  changes: readonly ConceptChange[],
): Promise<ProjectConcepts> {
  const applied = await inTurns(changeSlices(before.names, changes));
  return {
    ...before,
    changes,
    applied,
    concepts: await inTurns(applied.state.conceptSlices(before.project)),
  };
}

async function formatMade(
  context: EngineContext,
  { concepts, applied, changes }: ProjectConcepts,
  change: ConceptChange,
  made: boolean,
): Promise<MadeChangeOutput> {
  const mask = new ConceptMask(context.thread);
  const named = namedChange(change, applied.state);
  return {
    made,
    change: await mask.change({ change, named, undoneBy: null, idle: null }),
    concepts: await mask.concepts(conceptsOfChange(concepts, change, changes)),
  };
}

function conceptsOfChange(
  concepts: readonly Concept[],
  change: ConceptChange,
  changes: readonly ConceptChange[],
): Concept[] {
  const undone = change.kind === 'undo' ? changes.find(({ id }) => id === change.change) : change;
  const original = undone?.kind === 'undo' ? changes.find(({ id }) => id === undone.change) : undone;
  if (original === undefined) return [];
  const names = new Set(namesOfChange(original));
  return concepts.filter((concept) => concept.names.some(({ key }) => names.has(key)));
}

function namesOfChange(change: ConceptChange): string[] {
  switch (change.kind) {
    case 'merge':
      return [change.into, ...change.from];
    case 'split':
      return [change.from, ...change.names];
    case 'rename':
      return [change.concept];
    case 'undo':
      return [];
  }
}
