import {
  previewStartupInput,
  startupTextInput,
  startupTextOutput,
} from '../../engine/startup/startup-fields.ts';
import { injectStartup } from '../../engine/startup/startup.ts';
import type { Operation } from '../operation.ts';

export const previewStartupOperation: Operation<typeof previewStartupInput, typeof startupTextOutput> = {
  name: 'startup-preview',
  title: 'Preview the startup text',
  description: 'Shows the startup text that an agent would get, what is left out and why. Changes nothing.',
  input: previewStartupInput,
  output: startupTextOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  listedOnRequest: true,
  examples: [{ title: 'As a model would get it', input: { model: 'opus', agent: 'ada', mode: 'digest' } }],
  run: async (context, given) => injectStartup(await context.loci(), { ...given, preview: true }),
};

export const injectStartupOperation: Operation<typeof startupTextInput, typeof startupTextOutput> = {
  name: 'startup-inject',
  title: 'Get the startup text',
  description:
    'Returns the startup text: what the user wants every agent to know first. Call it when a session begins, unless you have the text ' +
    'already. It records that the session has seen it.',
  input: startupTextInput,
  output: startupTextOutput,
  readOnly: false,
  destructive: false,
  idempotent: false,
  scope: 'read',
  examples: [{ title: 'At the beginning of a turn', input: { model: 'opus', session: 'main' } }],
  run: async (context, given) => injectStartup(await context.loci(), given),
};
