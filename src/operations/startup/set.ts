import { setStartupInput, setStartupOutput } from '../../engine/startup/startup-fields.ts';
import { setStartup } from '../../engine/startup/startup.ts';
import type { Operation } from '../operation.ts';

export const setStartupOperation: Operation<typeof setStartupInput, typeof setStartupOutput> = {
  name: 'startup-set',
  title: 'Set a startup entry',
  description:
    'Creates an entry of the startup text, which agents get when a session starts, or changes the given fields of one. ' +
    'Entries with the lowest priority number come first. One that does not fit into the budget is cut, and those of lower ' +
    'priority are left out.',
  input: setStartupInput,
  output: setStartupOutput,
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
  run: async (context, given) => setStartup(await context.loci({ create: true }), given),
};
