import { z } from 'zod';
import {
  conceptChanges,
  conceptConflicts,
  listConcepts,
  showConcept,
} from '../../../engine/graph/concepts/concepts.ts';
import type { Operation } from '../../operation.ts';
import {
  changeOutput,
  citedRecord,
  conceptName,
  conceptOutput,
  conceptProject,
  conceptReference,
  formatChange,
  formatCited,
  formatConcept,
} from './concept-fields.ts';
import { currentConcepts } from './current-concepts.ts';

const DEFAULT_LIMIT = 50;

const READS = {
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  listedOnRequest: true,
} as const;

const listInput = z.strictObject({
  project: conceptProject(),
  name: conceptName().exactOptional().describe('Only concepts with a name that contains this.'),
  limit: z
    .number()
    .int()
    .min(1)
    .max(500)
    .exactOptional()
    .describe(`The highest number of concepts; ${String(DEFAULT_LIMIT)} unless given.`),
  after: conceptName().exactOptional().describe('`next` of the previous page.'),
});

const listOutput = z.strictObject({
  concepts: z.array(conceptOutput),
  total: z.number().int().nonnegative().describe('How many concepts match, on all pages.'),
  next: z.string().nullable().describe('Where the next page begins; null on the last page.'),
});
export type ConceptListOutput = z.infer<typeof listOutput>;

export const listConceptsOperation: Operation<typeof listInput, typeof listOutput> = {
  ...READS,
  name: 'concept-list',
  title: 'List concepts',
  description:
    'Lists the concepts of the notes: titles with their aliases, and the tags and capitalised or quoted phrases that two or ' +
    'more records share. Those that most records name come first.',
  input: listInput,
  output: listOutput,
  examples: [
    { title: 'All concepts', input: {} },
    { title: 'Those with a word in a name', input: { name: 'oven', project: 'kitchen' } },
  ],
  run: async (context, { limit = DEFAULT_LIMIT, ...request }) => {
    const loci = await currentConcepts(context);
    const { concepts, total, next } = await listConcepts(loci, { ...request, limit });
    return { concepts: concepts.map(formatConcept), total, next };
  },
};

const showInput = z.strictObject({ concept: conceptReference(), project: conceptProject() });

const showOutput = z.strictObject({
  concept: conceptOutput,
  notes: z.array(citedRecord).describe('The notes that are about it.'),
  mentioned_in: z.array(citedRecord).describe('Other records that name it; at most 50.'),
  disputed: z.array(z.string()).describe('Names that another note has too, so that they are no names of it.'),
  changes: z.array(changeOutput).describe('What operators changed about it.'),
});
export type ConceptShowOutput = z.infer<typeof showOutput>;

export const showConceptOperation: Operation<typeof showInput, typeof showOutput> = {
  ...READS,
  name: 'concept-show',
  title: 'Show a concept',
  description:
    'Shows the names of a concept, its notes, the records that name it, and what operators changed.',
  input: showInput,
  output: showOutput,
  examples: [{ title: 'By one of its names', input: { concept: 'Oven' } }],
  run: async (context, { concept: reference, project }) => {
    const loci = await currentConcepts(context);
    const { concept, notes, mentionedIn, disputed, changes } = await showConcept(loci, reference, project);
    return {
      concept: formatConcept(concept),
      notes: notes.map(formatCited),
      mentioned_in: mentionedIn.map(formatCited),
      disputed: [...disputed],
      changes: changes.map(formatChange),
    };
  },
};

const projectInput = z.strictObject({ project: conceptProject() });

const conflictsOutput = z.strictObject({
  conflicts: z.array(
    z.strictObject({
      name: z.string(),
      project: z.string(),
      notes: z.array(
        citedRecord.extend({ concept: z.string().describe('The id of the concept of the note.') }),
      ),
    }),
  ),
});
export type ConceptConflictsOutput = z.infer<typeof conflictsOutput>;

export const conceptConflictsOperation: Operation<typeof projectInput, typeof conflictsOutput> = {
  ...READS,
  name: 'concept-conflicts',
  title: 'List conflicts of names',
  description:
    'Lists names that two or more notes have as a title or alias. Such notes are never merged by themselves; `concept merge` ' +
    'merges them.',
  input: projectInput,
  output: conflictsOutput,
  examples: [{ title: 'In all projects', input: {} }],
  run: async (context, { project }) => {
    const loci = await currentConcepts(context);
    const conflicts = await conceptConflicts(loci, project);
    return {
      conflicts: conflicts.map(({ name, project: where, notes }) => ({
        name,
        project: where,
        notes: notes.map((note) => ({ ...formatCited(note), concept: note.concept.id })),
      })),
    };
  },
};

const changesOutput = z.strictObject({ changes: z.array(changeOutput).describe('The last one first.') });
export type ConceptChangesOutput = z.infer<typeof changesOutput>;

export const conceptChangesOperation: Operation<typeof projectInput, typeof changesOutput> = {
  ...READS,
  name: 'concept-changes',
  title: 'List changes of concepts',
  description:
    'Lists what operators changed about concepts, with who, when and the id that `concept undo` takes.',
  input: projectInput,
  output: changesOutput,
  examples: [{ title: 'In all projects', input: {} }],
  run: async (context, { project }) => {
    const loci = await currentConcepts(context);
    return { changes: (await conceptChanges(loci, project)).map(formatChange) };
  },
};
