import { showSourceOutput, sourceIdInput } from '../../engine/reading/source-schemas.ts';
import { showSource } from '../../engine/reading/sources.ts';
import type { Operation } from '../operation.ts';
import { openForSources } from './source-context.ts';

export const sourcesShowOperation: Operation<typeof sourceIdInput, typeof showSourceOutput> = {
  name: 'sources-show',
  title: 'Show a source',
  description:
    'Shows everything about one source: its exact command, working folder, variables and watched files, what was approved and ' +
    'when, and its statistics.',
  input: sourceIdInput,
  output: showSourceOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  local: true,
  onPage: true,
  examples: [{ title: 'The command of a source and its statistics', input: { id: 'tasks' } }],
  run: async (context, given) => showSource(await openForSources(context), given),
};
