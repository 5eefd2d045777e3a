import { LociError } from '../../../core/errors.ts';
import type { ProgressOptions } from '../../../core/progress.ts';
import { LatestValue } from '../../../core/latest-value.ts';
import { inTurns } from '../../../core/threads/slices.ts';
import { type AppliedChanges, changeSlices, type Concept } from '../../../graph/concepts/concept-changes.ts';
import { groupingSlices, type GroupedNames } from '../../../graph/concepts/concept-groups.ts';
import { nameKey } from '../../../core/names/name.ts';
import { conceptId, isConceptId } from '../../../graph/concepts/concept-id.ts';
import { conceptVersion } from '../../../graph/concepts/concept-nodes.ts';
import { TextMask } from '../../../secrets/text-mask.ts';
import type { ConceptChange } from '../../../store/concept-model.ts';
import { conceptChanges } from '../../../store/items/kinds.ts';
import type { Store } from '../../../store/store.ts';
import type { EngineContext } from '../../context.ts';
import { expire } from '../../shared/retention.ts';
import { sourcesHiddenFrom } from '../../reading/configured/source-policies.ts';
import { updateConcepts } from './update-concepts.ts';

/** The concepts of a project as the caller sees them, and what they were made from. */
export interface ProjectConcepts {
  readonly project: string;
  /** The vaults and sources whose names and mentions are left out. */
  readonly excludedSources: readonly string[];
  readonly names: GroupedNames;
  readonly changes: readonly ConceptChange[];
  readonly applied: AppliedChanges;
  readonly concepts: readonly Concept[];
}

/** A change by an operator, and whether it counts. */
export interface ListedChange {
  readonly change: ConceptChange;
  /** The same change with the titles of notes and the names as written, where it refers to ids and keys. */
  readonly named: ConceptChange;
  /** The change that undid it; `null` if none did. */
  readonly undoneBy: string | null;
  /** Why it has no effect now, though nothing undid it; `null` if it has. */
  readonly idle: string | null;
}

/** A concept with its project. */
export interface FoundConcept {
  readonly concept: Concept;
  readonly within: ProjectConcepts;
}

/**
 * The concepts of one project, or of each. A name that only sources have which the caller does not see is left out. Derives what
 * has changed before.
 */
export async function readConcepts(
  context: EngineContext,
  project?: string,
  options: ProgressOptions = {},
): Promise<readonly ProjectConcepts[]> {
  const { store, namespace } = context;
  await expire(context);
  await updateConcepts(context, options);
  const excludedSources = await sourcesHiddenFrom(context);
  const version = conceptVersion(namespace, await store.graph.state(namespace));
  const key = JSON.stringify([version, excludedSources, project]);
  const known = latest.get(store) ?? new LatestValue();
  latest.set(store, known);
  return known.get(key, () => readProjects(context, excludedSources, project));
}

/** The last concepts that were read, by store and for all callers: calls that come together read the same. */
const latest = new WeakMap<Store, LatestValue<readonly ProjectConcepts[]>>();

async function readProjects(
  { store, namespace, now }: EngineContext,
  excludedSources: readonly string[],
  project: string | undefined,
): Promise<ProjectConcepts[]> {
  const changes = await conceptChanges(store.records, namespace);
  const filter = { now: now() };
  const projects =
    project !== undefined
      ? [project]
      : (await store.records.facet(namespace, 'project', filter)).map(({ value }) => value).sort();
  return Promise.all(
    projects.map(async (each) => {
      const own = changes.filter((change) => change.project === each);
      const rows = await store.graph.conceptNames(namespace, { project: each, excludedSources });
      const names = await inTurns(groupingSlices(rows));
      const applied = await inTurns(changeSlices(names, own));
      const concepts = await inTurns(applied.state.conceptSlices(each));
      return { project: each, excludedSources, names, changes: own, applied, concepts };
    }),
  );
}

/**
 * Finds a concept by its id, also by one that it had before a merge, or by any of its names.
 * @throws LociError `not_found`; `ambiguous` for a name of several projects or several notes
 */
export async function findConcept(
  { thread }: EngineContext,
  projects: readonly ProjectConcepts[],
  reference: string,
): Promise<FoundConcept> {
  const found = isConceptId(reference) ? byId(projects, reference) : byName(projects, nameKey(reference));
  const [first, second] = found;
  if (first !== undefined && second === undefined) return first;
  if (second !== undefined) {
    const ids = found.map(({ concept }) => `${concept.id} in ${concept.project}`).join(', ');
    throw new LociError('ambiguous', `${quoted(reference)} is a concept of several projects: ${ids}`, {
      hint: 'Give the project, or the id of one.',
    });
  }
  throw await missing(new TextMask(thread), projects, reference);
}

function byId(projects: readonly ProjectConcepts[], id: string): FoundConcept[] {
  return projects.flatMap((within) =>
    within.concepts.flatMap((concept) =>
      concept.id === id || concept.names.some(({ key }) => conceptId(within.project, key) === id)
        ? [{ concept, within }]
        : [],
    ),
  );
}

function byName(projects: readonly ProjectConcepts[], key: string): FoundConcept[] {
  return projects.flatMap((within) =>
    within.concepts.flatMap((concept) =>
      concept.names.some((name) => name.key === key) ? [{ concept, within }] : [],
    ),
  );
}

async function missing(
  mask: TextMask,
  projects: readonly ProjectConcepts[],
  reference: string,
): Promise<LociError> {
  const key = nameKey(reference);
  for (const within of projects) {
    const claims = within.applied.state.conflictOf(key);
    if (claims === undefined) continue;
    const ids = within.concepts.filter(({ names }) => names.some((name) => claims.notes.includes(name.key)));
    const labels = await mask.texts(ids.map(({ label }) => label));
    const named = ids.map(({ id }, i) => `${id} (${labels[i]!})`).join(', ');
    return new LociError(
      'ambiguous',
      `${quoted(reference)} is a name of ${String(claims.records.length)} notes: ${named}`,
      { hint: 'Give the id of one. `loci concept conflicts` lists such names.' },
    );
  }
  return notFound(reference);
}

function notFound(reference: string): LociError {
  return new LociError('not_found', `there is no concept ${quoted(reference)}`, {
    hint: '`loci concept list` lists the concepts.',
  });
}

export function quoted(text: string): string {
  return `‘${text}’`;
}
