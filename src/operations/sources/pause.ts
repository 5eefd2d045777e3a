import { pauseSourceOutput, sourceIdInput } from '../../engine/reading/source-schemas.ts';
import { pauseSource } from '../../engine/reading/sources.ts';
import type { Operation } from '../operation.ts';
import { viewerOf } from './source-context.ts';

const shared = {
  input: sourceIdInput,
  output: pauseSourceOutput,
  readOnly: false,
  destructive: false,
  idempotent: true,
  scope: 'admin',
} as const;

export const sourcesPauseOperation: Operation<typeof sourceIdInput, typeof pauseSourceOutput> = {
  ...shared,
  name: 'sources-pause',
  title: 'Pause a source',
  description:
    'Stops the automatic refresh of a source or vault until it is resumed, in whatever condition it is. Its documents are ' +
    'still found. A refresh that is running now is not stopped.',
  examples: [{ title: 'Stop refreshing the todos', input: { id: 'tasks' } }],
  run: async (context, given) =>
    pauseSource(await context.loci({ create: true }), given, true, viewerOf(context)),
};

export const sourcesResumeOperation: Operation<typeof sourceIdInput, typeof pauseSourceOutput> = {
  ...shared,
  name: 'sources-resume',
  title: 'Resume a source',
  description: 'Starts the automatic refresh of a paused source or vault again. It is due at once.',
  examples: [{ title: 'Refresh the todos again', input: { id: 'tasks' } }],
  run: async (context, given) =>
    pauseSource(await context.loci({ create: true }), given, false, viewerOf(context)),
};
