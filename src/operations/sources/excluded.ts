import { excludedFiles } from '../../engine/reading/sources.ts';
import { excludedInput, excludedOutput } from '../../engine/reading/source-schemas.ts';
import type { Operation } from '../operation.ts';
import { openForSources } from './source-context.ts';

export const sourcesExcludedOperation: Operation<typeof excludedInput, typeof excludedOutput> = {
  name: 'sources-excluded',
  title: 'List what a vault leaves out',
  description:
    'Lists the files and folders of a vault that are not read, each with the rule of the settings or of Obsidian, or with its ' +
    'problem. Problems inside of notes are found by `doctor`, which reads them.',
  input: excludedInput,
  output: excludedOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  local: true,
  onPage: true,
  examples: [{ title: 'What is not read, and why', input: { id: 'vault', limit: 20 } }],
  run: async (context, given) => excludedFiles(await openForSources(context), given, context),
};
