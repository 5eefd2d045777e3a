import type { Operation, OperationContext } from '../operation.ts';
import {
  startupTextInput,
  startupTextOf,
  startupTextOutput,
  type StartupTextInput,
  type StartupTextOutput,
} from './startup-text.ts';

export const startupInject: Operation<StartupTextInput, StartupTextOutput> = {
  name: 'startup-inject',
  title: 'Get the startup text',
  description:
    'Gives what an agent is to be told now, and notes that its session knows it: for hosts that inject it.',
  input: startupTextInput,
  output: startupTextOutput,
  readOnly: false,
  destructive: false,
  idempotent: false,
  scope: 'read',
  examples: [{ title: 'At the beginning of a turn', input: { model: 'opus', session: 'main' } }],
  run: async (context: OperationContext, input: StartupTextInput): Promise<StartupTextOutput> => {
    const loci = await context.loci();
    return startupTextOf(await loci.startup.inject({ ...input, preview: false }));
  },
};
