import { removeStartupInput, removeStartupOutput } from '../../engine/startup/startup-fields.ts';
import { removeStartup } from '../../engine/startup/startup.ts';
import type { Operation } from '../operation.ts';

export const removeStartupOperation: Operation<typeof removeStartupInput, typeof removeStartupOutput> = {
  name: 'startup-remove',
  title: 'Remove a startup entry',
  description:
    'Removes an entry from the startup text. `startup set` with its key and nothing else restores it unchanged.',
  input: removeStartupInput,
  output: removeStartupOutput,
  readOnly: false,
  destructive: false,
  idempotent: false,
  scope: 'admin',
  examples: [{ title: 'An entry that is no longer wanted', input: { key: 'tone', agent: 'mailer' } }],
  run: async (context, given) => removeStartup(await context.loci(), given),
};
