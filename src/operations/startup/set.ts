import { z } from 'zod';
import { factKey } from '../facts/fact-fields.ts';
import type { Operation } from '../operation.ts';
import { maskedKinds, contentField } from '../../engine/fields/record-fields.ts';
import { agentName, formatStartupEntry, MAX_PRIORITY, startupEntry } from './startup-fields.ts';
import { setStartup } from '../../engine/startup/startup.ts';

const input = z.strictObject({
  key: factKey().describe('The name of the entry, such as `soul` or `core-rules`.'),
  content: contentField().exactOptional().describe('The text; required for a new entry.'),
  priority: z
    .number()
    .int()
    .min(0)
    .max(MAX_PRIORITY)
    .exactOptional()
    .describe('0 (most important) to 9; 2 for a new entry unless given.'),
  reinforce: z.boolean().exactOptional().describe('Repeat it while nothing has changed.'),
  agent: agentName()
    .exactOptional()
    .describe('For this agent only, instead of the entry with the same key for every agent.'),
});

const output = z.strictObject({
  entry: startupEntry,
  created: z.boolean(),
  masked: maskedKinds(),
  too_long: z.string().nullable().describe('Why agents do not get all of the entry; null when it fits.'),
});
export type StartupSetOutput = z.infer<typeof output>;

export const setStartupOperation: Operation<typeof input, typeof output> = {
  name: 'startup-set',
  title: 'Set a startup entry',
  description:
    'Creates an entry of the startup text, which agents get when a session starts, or changes the given fields of one. ' +
    'Entries with the lowest priority number come first. One that does not fit into the budget is cut, and those of lower ' +
    'priority are left out.',
  input,
  output,
  readOnly: false,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  examples: [
    {
      title: 'Who the agent is',
      input: { key: 'soul', content: 'You are Ada, calm and brief.', priority: 0, reinforce: true },
    },
    { title: 'An entry for one agent', input: { key: 'tone', content: 'Formal.', agent: 'mailer' } },
  ],
  run: async (context, request) => {
    const loci = await context.loci({ create: true });
    const { entry, created, masked, tooLong } = await setStartup(loci, request);
    return { entry: formatStartupEntry(entry), created, masked: [...masked], too_long: tooLong };
  },
};
