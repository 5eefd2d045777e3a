import { z } from 'zod';
import type { ProgressOptions } from '../../core/progress.ts';
import { MAX_NAME_LENGTH, nameKey } from '../../core/names/name.ts';
import { ConceptReader } from '../../graph/concepts/concept-reader.ts';
import { type Concept, type Concepts, LABEL_KINDS } from '../../graph/concepts/concepts.ts';
import { compare } from '../../graph/model.ts';
import { TextMask } from '../../secrets/detect.ts';
import type { EngineContext } from '../context.ts';
import { sourcesHiddenFrom } from '../reading/configured/source-policies.ts';
import { wholeCitations } from '../shared/citations.ts';
import { expire } from '../shared/retention.ts';
import { projectField } from './graph-fields.ts';
import { updateConcepts } from './update-relations.ts';

const DEFAULT_LIMIT = 50;

const pageInput = {
  project: projectField(),
  limit: z
    .number()
    .int()
    .min(1)
    .max(500)
    .default(DEFAULT_LIMIT)
    .describe(`The highest number; ${String(DEFAULT_LIMIT)} unless given.`),
  after: z
    .number()
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .default(0)
    .describe('`next` of the previous page.'),
};

const pageOutput = {
  total: z.number().int().nonnegative().describe('How many there are, on all pages.'),
  next: z.number().int().positive().nullable().describe('Where the next page begins; null on the last page.'),
};

const citedNote = z.strictObject({
  id: z.string().describe('The id of its node.'),
  citation: z.string().describe('What `get` reads.'),
  title: z.string(),
});

export const graphConceptsInput = z.strictObject({
  name: z
    .string()
    .trim()
    .min(1)
    .max(MAX_NAME_LENGTH)
    .exactOptional()
    .describe('Only concepts with a name that contains this.'),
  ...pageInput,
});

export const graphConceptsOutput = z.strictObject({
  concepts: z.array(
    z.strictObject({
      id: z.string().describe('Of its node: the note or the tag that it is, or one of its own.'),
      label: z.string().describe('What it is called.'),
      project: z.string(),
      names: z.array(
        z.strictObject({
          name: z.string(),
          kind: z.enum(LABEL_KINDS).describe('Where the name comes from.'),
        }),
      ),
      note: z
        .string()
        .nullable()
        .describe('The note that it is, as `get` reads it; null for a tag or phrase.'),
      named_by: z.number().int().nonnegative().describe('How often records name it, for all names together.'),
    }),
  ),
  ...pageOutput,
});
export type GraphConceptsOutput = z.infer<typeof graphConceptsOutput>;

export const graphConflictsInput = z.strictObject(pageInput);

export const graphConflictsOutput = z.strictObject({
  conflicts: z.array(z.strictObject({ name: z.string(), project: z.string(), notes: z.array(citedNote) })),
  ...pageOutput,
});
export type GraphConflictsOutput = z.infer<typeof graphConflictsOutput>;

/** The concepts that most records name first, ties by label. */
export async function graphConcepts(
  context: EngineContext,
  { name, ...page }: z.input<typeof graphConceptsInput> = {},
  options: ProgressOptions = {},
): Promise<GraphConceptsOutput> {
  const part = name === undefined ? '' : nameKey(name);
  const found: { readonly concept: Concept; readonly namedBy: number }[] = [];
  for (const { project, concepts, reader } of await readConcepts(context, page.project, options)) {
    const wanted = concepts.all.filter(({ names }) => names.some(({ key }) => key.includes(part)));
    const counts = await reader.frequencies(
      project,
      wanted.flatMap(({ names }) => names.map(({ key }) => key)),
    );
    for (const concept of wanted)
      found.push({
        concept,
        namedBy: concept.names.reduce((sum, { key }) => sum + (counts.get(key) ?? 0), 0),
      });
  }
  found.sort(
    (a, b) =>
      b.namedBy - a.namedBy ||
      compare(a.concept.label, b.concept.label) ||
      compare(a.concept.id, b.concept.id),
  );
  const { items, ...rest } = pageOf(found, page);
  const mask = new TextMask(context.thread);
  const concepts = items.map(async ({ concept: { id, label, project, names, record }, namedBy }) => ({
    id,
    label: await mask.text(label),
    project,
    names: await Promise.all(names.map(async ({ text, kind }) => ({ name: await mask.text(text), kind }))),
    note: record === null ? null : `record/${String(record)}`,
    named_by: namedBy,
  }));
  return { concepts: await Promise.all(concepts), ...rest };
}

/** Names that two or more notes claim, so that they are no names of a concept. */
export async function graphConflicts(
  context: EngineContext,
  page: z.input<typeof graphConflictsInput> = {},
  options: ProgressOptions = {},
): Promise<GraphConflictsOutput> {
  const { store, namespace, thread, now } = context;
  const all = (await readConcepts(context, page.project, options)).flatMap(({ project, concepts }) =>
    concepts.conflicts().map((conflict) => ({ ...conflict, project, concepts })),
  );
  const { items, ...rest } = pageOf(all, page);
  const mask = new TextMask(thread);
  const conflicts: GraphConflictsOutput['conflicts'] = [];
  for (const { text, records, project, concepts } of items) {
    const found = await store.records.get(namespace, records, { liveAt: now() });
    const citations = await wholeCitations(context, found);
    const titles = await mask.texts(found.map(({ title }) => title));
    const notes = found.flatMap(({ id }, i) => {
      const note = concepts.ofRecord(id);
      return note === undefined ? [] : [{ id: note.id, citation: citations[i]!, title: titles[i]! }];
    });
    conflicts.push({ name: await mask.text(text), project, notes });
  }
  return { conflicts, ...rest };
}

/** A page of a list that is in memory. */
function pageOf<Item>(
  all: readonly Item[],
  {
    limit = DEFAULT_LIMIT,
    after = 0,
  }: { readonly limit?: number | undefined; readonly after?: number | undefined },
): { readonly items: readonly Item[]; readonly total: number; readonly next: number | null } {
  const end = after + limit;
  return { items: all.slice(after, end), total: all.length, next: end < all.length ? end : null };
}

interface ProjectConcepts {
  readonly project: string;
  readonly concepts: Concepts;
  readonly reader: ConceptReader;
}

/**
 * The concepts of one project, or of each. A name that only sources have which the caller does not see is left out. Derives what
 * has changed before.
 */
async function readConcepts(
  context: EngineContext,
  project: string | undefined,
  options: ProgressOptions,
): Promise<ProjectConcepts[]> {
  const { store, namespace, now } = context;
  await expire(context);
  await updateConcepts(context, options);
  const reader = new ConceptReader(store.graph, namespace, await sourcesHiddenFrom(context));
  const projects =
    project !== undefined
      ? [project]
      : (await store.records.facet(namespace, 'project', { now: now() })).map(({ value }) => value).sort();
  return Promise.all(
    projects.map(async (each) => ({ project: each, concepts: await reader.concepts(each), reader })),
  );
}
