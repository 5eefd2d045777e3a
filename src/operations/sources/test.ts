import { testSourceInput, testSourceOutput } from '../../engine/reading/source-schemas.ts';
import { testSource } from '../../engine/reading/sources.ts';
import type { Operation } from '../operation.ts';

export const sourcesTestOperation: Operation<typeof testSourceInput, typeof testSourceOutput> = {
  name: 'sources-test',
  title: 'Test a source',
  description:
    'Runs the command of a source once and shows the documents that it prints and their problems. Nothing is stored. The ' +
    'command must be approved.',
  input: testSourceInput,
  output: testSourceOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  local: true,
  onPage: true,
  examples: [{ title: 'Show what would be stored', input: { id: 'tasks' } }],
  run: async (context, given) => testSource(await context.loci({ create: true }), given, context),
};
