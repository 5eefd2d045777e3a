import { z } from 'zod';
import { factKey } from '../facts/fact-fields.ts';
import type { Operation } from '../operation.ts';
import { agentName, formatStartupEntry, startupEntry } from './startup-fields.ts';
import { removeStartup } from '../../engine/startup/startup.ts';

const input = z.strictObject({
  key: factKey().describe('The key, as `startup list` shows it.'),
  agent: agentName().exactOptional().describe('The agent of an entry that is for one agent.'),
});

const output = z.strictObject({ removed: startupEntry });
export type StartupRemoveOutput = z.infer<typeof output>;

export const removeStartupOperation: Operation<typeof input, typeof output> = {
  name: 'startup-remove',
  title: 'Remove a startup entry',
  description:
    'Removes an entry from the startup text. `startup set` with its key and nothing else restores it unchanged.',
  input,
  output,
  readOnly: false,
  destructive: false,
  idempotent: false,
  scope: 'admin',
  examples: [{ title: 'An entry that is no longer wanted', input: { key: 'tone', agent: 'mailer' } }],
  run: async (context, { key, agent }) => {
    const loci = await context.loci();
    return { removed: formatStartupEntry(await removeStartup(loci, key, agent)) };
  },
};
