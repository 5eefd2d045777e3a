import type { Operation, OperationContext } from '../operation.ts';
import {
  startupTextInput,
  startupTextOf,
  startupTextOutput,
  type StartupTextInput,
  type StartupTextOutput,
} from './startup-text.ts';

export const startupPreview: Operation<StartupTextInput, StartupTextOutput> = {
  name: 'startup-preview',
  title: 'Preview the startup text',
  description:
    'Shows what an agent would be told before it begins, what is left out and why. Changes nothing.',
  input: startupTextInput,
  output: startupTextOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  examples: [{ title: 'As a model would get it', input: { model: 'opus', agent: 'ada', mode: 'digest' } }],
  run: async (context: OperationContext, input: StartupTextInput): Promise<StartupTextOutput> => {
    const loci = await context.loci();
    return startupTextOf(await loci.startup.inject({ ...input, preview: true }));
  },
};
