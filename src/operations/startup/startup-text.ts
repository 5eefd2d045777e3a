import { z } from 'zod';
import { injectStartup, type StartupText } from '../../engine/startup/startup.ts';
import type { Operation } from '../operation.ts';
import { agentName } from './startup-fields.ts';

const mode = z.enum(['always', 'first-run', 'digest']);

const input = z.strictObject({
  model: z
    .string()
    .min(1)
    .max(200)
    .exactOptional()
    .describe('The model. The longest part of its name that has a budget in the settings sets the budget.'),
  agent: agentName()
    .exactOptional()
    .describe('The agent. It gets its own entries and those for every agent.'),
  session: z
    .string()
    .min(1)
    .max(200)
    .exactOptional()
    .describe('The session. In the modes first-run and digest, the text depends on what it has seen before.'),
  mode: mode.exactOptional().describe('The configured mode (digest) unless given.'),
});

const output = z.strictObject({
  text: z.string().describe('The text to inject; the same entries give the same text, byte for byte.'),
  mode,
  characters: z.number().int().nonnegative(),
  budget: z.number().int().nonnegative().describe('In characters.'),
  included: z.array(
    z.strictObject({
      key: z.string(),
      priority: z.number().int(),
      characters: z.number().int().describe('As given.'),
      cut_from: z
        .number()
        .int()
        .nullable()
        .describe('How many characters the entry has when it was cut to fit; null: it is given whole.'),
    }),
  ),
  left_out: z.array(
    z.strictObject({
      key: z.string(),
      priority: z.number().int(),
      why: z.string(),
      too_long: z.boolean().describe('Whether it did not fit into the budget.'),
    }),
  ),
});
export type StartupTextOutput = z.infer<typeof output>;

export const previewStartupOperation: Operation<typeof input, typeof output> = {
  name: 'startup-preview',
  title: 'Preview the startup text',
  description: 'Shows the startup text that an agent would get, what is left out and why. Changes nothing.',
  input,
  output,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  listedOnRequest: true,
  examples: [{ title: 'As a model would get it', input: { model: 'opus', agent: 'ada', mode: 'digest' } }],
  run: async (context, request) => {
    const loci = await context.loci();
    return formatStartupText(await injectStartup(loci, { ...request, preview: true }));
  },
};

export const injectStartupOperation: Operation<typeof input, typeof output> = {
  name: 'startup-inject',
  title: 'Get the startup text',
  description:
    'Returns the startup text: what the user wants every agent to know first. Call it when a session begins, unless you have the text ' +
    'already. It records that the session has seen it.',
  input,
  output,
  readOnly: false,
  destructive: false,
  idempotent: false,
  scope: 'read',
  examples: [{ title: 'At the beginning of a turn', input: { model: 'opus', session: 'main' } }],
  run: async (context, request) => {
    const loci = await context.loci();
    return formatStartupText(await injectStartup(loci, { ...request, preview: false }));
  },
};

function formatStartupText({ text, mode, budget, included, leftOut }: StartupText): StartupTextOutput {
  return {
    text,
    mode,
    characters: text.length,
    budget,
    included: included.map(({ entry: { key, priority, content }, text: given }) => ({
      key,
      priority,
      characters: given.length,
      cut_from: given === content ? null : content.length,
    })),
    left_out: leftOut.map(({ entry: { key, priority }, why, tooLong }) => ({
      key,
      priority,
      why,
      too_long: tooLong,
    })),
  };
}
