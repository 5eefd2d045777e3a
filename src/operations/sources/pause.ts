import { z } from 'zod';
import { sourcesOf } from '../../engine/reading/sources.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { idInput, requireReport, sourceOutput, toSourceOutput } from './source-output.ts';

const output = z.strictObject({
  paused: z.boolean().describe('Whether it is paused now.'),
  changed: z.boolean().describe('Whether it was in the other state before.'),
  source: sourceOutput,
});
export type SourcesPauseOutput = z.infer<typeof output>;

const input = z.strictObject({ id: idInput() });

const shared = {
  input,
  output,
  readOnly: false,
  destructive: false,
  idempotent: true,
  scope: 'admin',
} as const;

export const sourcesPauseOperation: Operation<typeof input, typeof output> = {
  ...shared,
  name: 'sources-pause',
  title: 'Pause a source',
  description:
    'Stops the automatic refresh of a source or vault until it is resumed, in whatever condition it is. Its documents are ' +
    'still found. A refresh that is running now is not stopped.',
  examples: [{ title: 'Stop refreshing the todos', input: { id: 'tasks' } }],
  run: (context, { id }) => change(context, id, true),
};

export const sourcesResumeOperation: Operation<typeof input, typeof output> = {
  ...shared,
  name: 'sources-resume',
  title: 'Resume a source',
  description: 'Starts the automatic refresh of a paused source or vault again. It is due at once.',
  examples: [{ title: 'Refresh the todos again', input: { id: 'tasks' } }],
  run: (context, { id }) => change(context, id, false),
};

async function change(context: OperationContext, name: string, paused: boolean): Promise<SourcesPauseOutput> {
  const sources = sourcesOf(await context.loci({ create: true }));
  const { id, changed } = await sources.pause(name, paused);
  const source = toSourceOutput(await requireReport(context, id), context.machine !== undefined);
  return { paused, changed, source };
}
