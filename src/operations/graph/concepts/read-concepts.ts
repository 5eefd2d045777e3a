import {
  conceptChangesOutput,
  conceptConflictsOutput,
  listedConceptsInput,
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
  run: async (context, given) => listConcepts(await context.loci(), given, context),
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
  run: async (context, given) => showConcept(await context.loci(), given, context),
};

export const conceptConflictsOperation: Operation<typeof listedConceptsInput, typeof conceptConflictsOutput> =
  {
    ...READS,
    name: 'concept-conflicts',
    title: 'List conflicts of names',
    description:
      'Lists names that two or more notes have as a title or alias. Such notes are never merged by themselves; `concept merge` ' +
      'merges them.',
    input: listedConceptsInput,
    output: conceptConflictsOutput,
    examples: [{ title: 'In all projects', input: {} }],
    run: async (context, given) => conceptConflicts(await context.loci(), given, context),
  };

export const conceptChangesOperation: Operation<typeof listedConceptsInput, typeof conceptChangesOutput> = {
  ...READS,
  name: 'concept-changes',
  title: 'List changes of concepts',
  description:
    'Lists what operators changed about concepts, with who, when and the id that `concept undo` takes.',
  input: listedConceptsInput,
  output: conceptChangesOutput,
  examples: [{ title: 'In all projects', input: {} }],
  run: async (context, given) => conceptChanges(await context.loci(), given, context),
};
