import {
  graphConcepts,
  graphConceptsInput,
  graphConceptsOutput,
  graphConflicts,
  graphConflictsInput,
  graphConflictsOutput,
} from '../../engine/graph/concepts.ts';
import type { Operation } from '../operation.ts';

const READS = {
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  listedOnRequest: true,
} as const;

export const graphConceptsOperation: Operation<typeof graphConceptsInput, typeof graphConceptsOutput> = {
  ...READS,
  name: 'graph-concepts',
  title: 'List concepts',
  description:
    'Lists what notes are about: titles with their aliases, and the tags and capitalised or quoted phrases that two or more ' +
    'records share. Those that most records name come first.',
  input: graphConceptsInput,
  output: graphConceptsOutput,
  examples: [
    { title: 'All concepts', input: {} },
    { title: 'Those with a word in a name', input: { name: 'oven', project: 'kitchen' } },
  ],
  run: async (context, given) => graphConcepts(await context.loci(), given, context),
};

export const graphConflictsOperation: Operation<typeof graphConflictsInput, typeof graphConflictsOutput> = {
  ...READS,
  name: 'graph-conflicts',
  title: 'List conflicts of names',
  description:
    'Lists names that two or more notes have as a title or alias. Loci never takes such notes for one: change the aliases in ' +
    'the notes.',
  input: graphConflictsInput,
  output: graphConflictsOutput,
  examples: [{ title: 'In all projects', input: {} }],
  run: async (context, given) => graphConflicts(await context.loci(), given, context),
};
