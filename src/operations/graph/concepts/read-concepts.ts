import {
  DEFAULT_LIMIT,
  conceptChangesOutput,
  conceptConflictsOutput,
  conceptProjectInput,
  formatChange,
  formatCited,
  formatConcept,
  listConceptsInput,
  listConceptsOutput,
  showConceptInput,
  showConceptOutput,
} from '../../../engine/graph/concepts/concept-fields.ts';
import {
  conceptChanges,
  conceptConflicts,
  listConcepts,
  showConcept,
} from '../../../engine/graph/concepts/concepts.ts';
import { currentConcepts } from './current-concepts.ts';
import type { Operation } from '../../operation.ts';

const READS = {
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  listedOnRequest: true,
} as const;

export const listConceptsOperation: Operation<typeof listConceptsInput, typeof listConceptsOutput> = {
  ...READS,
  name: 'concept-list',
  title: 'List concepts',
  description:
    'Lists the concepts of the notes: titles with their aliases, and the tags and capitalised or quoted phrases that two or ' +
    'more records share. Those that most records name come first.',
  input: listConceptsInput,
  output: listConceptsOutput,
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

export const showConceptOperation: Operation<typeof showConceptInput, typeof showConceptOutput> = {
  ...READS,
  name: 'concept-show',
  title: 'Show a concept',
  description:
    'Shows the names of a concept, its notes, the records that name it, and what operators changed.',
  input: showConceptInput,
  output: showConceptOutput,
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

export const conceptConflictsOperation: Operation<typeof conceptProjectInput, typeof conceptConflictsOutput> =
  {
    ...READS,
    name: 'concept-conflicts',
    title: 'List conflicts of names',
    description:
      'Lists names that two or more notes have as a title or alias. Such notes are never merged by themselves; `concept merge` ' +
      'merges them.',
    input: conceptProjectInput,
    output: conceptConflictsOutput,
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

export const conceptChangesOperation: Operation<typeof conceptProjectInput, typeof conceptChangesOutput> = {
  ...READS,
  name: 'concept-changes',
  title: 'List changes of concepts',
  description:
    'Lists what operators changed about concepts, with who, when and the id that `concept undo` takes.',
  input: conceptProjectInput,
  output: conceptChangesOutput,
  examples: [{ title: 'In all projects', input: {} }],
  run: async (context, { project }) => {
    const loci = await currentConcepts(context);
    return { changes: (await conceptChanges(loci, project)).map(formatChange) };
  },
};
