import { z } from 'zod';
import { factKey } from '../facts/fact-fields.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { agentName, startupEntry, startupEntryOf, type StartupEntryOutput } from './startup-fields.ts';

export interface StartupRemoveInput {
  readonly key: string;
  readonly agent?: string;
}

export interface StartupRemoveOutput {
  readonly removed: StartupEntryOutput;
}

export const startupRemove: Operation<StartupRemoveInput, StartupRemoveOutput> = {
  name: 'startup-remove',
  title: 'Remove a startup entry',
  description:
    'Agents are told it no more. Nothing is destroyed: `startup set` with the key alone brings it back as it was.',
  input: z.strictObject({
    key: factKey().describe('As `startup list` shows it.'),
    agent: agentName().exactOptional().describe('Whom it is for, where it is for one agent.'),
  }),
  output: z.strictObject({ removed: startupEntry }),
  readOnly: false,
  destructive: false,
  idempotent: false,
  scope: 'admin',
  examples: [{ title: 'An entry that is no longer wanted', input: { key: 'tone', agent: 'mailer' } }],
  run: async (
    context: OperationContext,
    { key, agent }: StartupRemoveInput,
  ): Promise<StartupRemoveOutput> => {
    const loci = await context.loci();
    return { removed: startupEntryOf(await loci.startup.remove(key, agent)) };
  },
};
