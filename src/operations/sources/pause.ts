import { z } from 'zod';
import type { Operation, OperationContext } from '../operation.ts';
import { idInput, outputOf, reportOf, sourceOutput, type SourceOutput } from './source-output.ts';

export interface SourcesPauseOutput {
  readonly source: SourceOutput;
}

const shared = {
  input: z.strictObject({ id: idInput() }),
  output: z.strictObject({ source: sourceOutput }),
  readOnly: false,
  destructive: false,
  idempotent: true,
  scope: 'admin',
} as const;

export const sourcesPause: Operation<{ readonly id: string }, SourcesPauseOutput> = {
  ...shared,
  name: 'sources-pause',
  title: 'Pause a source',
  description:
    'Whoever keeps sources fresh leaves this one, or this vault, alone until it is resumed. What is known of it is found as ' +
    'before.',
  examples: [{ title: 'Leave the todos as they are', input: { id: 'tasks' } }],
  run: (context, { id }) => change(context, id, true),
};

export const sourcesResume: Operation<{ readonly id: string }, SourcesPauseOutput> = {
  ...shared,
  name: 'sources-resume',
  title: 'Resume a source',
  description:
    'Lets a source that was paused be refreshed again, at once where somebody keeps sources fresh.',
  examples: [{ title: 'Go on with the todos', input: { id: 'tasks' } }],
  run: (context, { id }) => change(context, id, false),
};

async function change(context: OperationContext, id: string, paused: boolean): Promise<SourcesPauseOutput> {
  const { sources } = await context.loci({ create: true });
  await sources.pause(id, paused);
  return { source: outputOf(await reportOf(context, id), context.machine !== undefined) };
}
