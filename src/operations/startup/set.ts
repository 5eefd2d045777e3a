import { z } from 'zod';
import type { Operation, OperationContext } from '../operation.ts';
import { factKey } from '../facts/fact-fields.ts';
import { maskedKinds } from '../shared/record-fields.ts';
import {
  agentName,
  MAX_PRIORITY,
  startupEntry,
  startupEntryOf,
  type StartupEntryOutput,
} from './startup-fields.ts';

export interface StartupSetInput {
  readonly key: string;
  readonly content?: string;
  readonly priority?: number;
  readonly reinforce?: boolean;
  readonly agent?: string;
}

export interface StartupSetOutput {
  readonly entry: StartupEntryOutput;
  readonly created: boolean;
  readonly masked: string[];
  readonly too_long: string | null;
}

export const startupSet: Operation<StartupSetInput, StartupSetOutput> = {
  name: 'startup-set',
  title: 'Set a startup entry',
  description:
    'Makes an entry that agents are told before they begin, or changes what is given of one. Entries of the lowest ' +
    'priority number come first; what does not fit into the budget is left out.',
  input: z.strictObject({
    key: factKey().describe('What to call it, such as `soul` or `core-rules`.'),
    content: z.string().exactOptional().describe('What is said; needed for a new entry.'),
    priority: z
      .number()
      .int()
      .min(0)
      .max(MAX_PRIORITY)
      .exactOptional()
      .describe('0 (what matters most) to 9; 2 for a new entry unless given.'),
    reinforce: z.boolean().exactOptional().describe('Say it again while nothing has changed.'),
    agent: agentName()
      .exactOptional()
      .describe('For this agent only, in the place of the entry of the same key for all.'),
  }),
  output: z.strictObject({
    entry: startupEntry,
    created: z.boolean(),
    masked: maskedKinds(),
    too_long: z.string().nullable().describe('Why agents are not told of it; null when it fits.'),
  }),
  readOnly: false,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  examples: [
    {
      title: 'Who the agent is',
      input: { key: 'soul', content: 'You are Ada, calm and brief.', priority: 0, reinforce: true },
    },
    { title: 'Something for one agent', input: { key: 'tone', content: 'Formal.', agent: 'mailer' } },
  ],
  run: async (context: OperationContext, input: StartupSetInput): Promise<StartupSetOutput> => {
    const loci = await context.loci({ create: true });
    const { entry, created, masked, tooLong } = await loci.startup.set(input);
    return { entry: startupEntryOf(entry), created, masked: [...masked], too_long: tooLong };
  },
};
