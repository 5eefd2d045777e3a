import {
  listStartupOutput,
  setStartupInput,
  setStartupOutput,
  removeStartupInput,
  removeStartupOutput,
  previewStartupInput,
  startupTextInput,
  startupTextOutput,
} from '../../engine/startup/startup-fields.ts';
import { listStartup, setStartup, removeStartup, injectStartup } from '../../engine/startup/startup.ts';
import { operation, withNames } from '../operation.ts';

export const startupOperations = withNames({
  'startup-list': operation({
    description:
      'Lists the entries of the startup text, which agents get when a session starts, in the order of the text.',
    output: listStartupOutput,
    kind: 'read',
    scope: 'read',
    listedOnRequest: true,
    examples: [{ title: 'All entries', input: {} }],
    run: async (context) => listStartup(await context.loci()),
  }),
  'startup-set': operation({
    description:
      'Creates an entry of the startup text, which agents get when a session starts, or changes the given fields of one. ' +
      'Entries with the lowest priority number come first. One that does not fit into the budget is cut, and those of lower ' +
      'priority are left out.',
    input: setStartupInput,
    output: setStartupOutput,
    kind: 'write',
    scope: 'admin',
    examples: [
      {
        title: 'Who the agent is',
        input: { key: 'soul', content: 'You are Ada, calm and brief.', priority: 0, reinforce: true },
      },
      { title: 'An entry for one agent', input: { key: 'tone', content: 'Formal.', agent: 'mailer' } },
    ],
    run: async (context, given) => setStartup(await context.loci({ create: true }), given),
  }),
  'startup-remove': operation({
    description:
      'Removes an entry from the startup text. `startup set` with its key and nothing else restores it unchanged.',
    input: removeStartupInput,
    output: removeStartupOutput,
    kind: 'write',
    scope: 'admin',
    examples: [{ title: 'An entry that is no longer wanted', input: { key: 'tone', agent: 'mailer' } }],
    run: async (context, given) => removeStartup(await context.loci(), given),
  }),
  'startup-preview': operation({
    description: 'Shows the startup text that an agent would get, what is left out and why. Changes nothing.',
    input: previewStartupInput,
    output: startupTextOutput,
    kind: 'read',
    scope: 'read',
    listedOnRequest: true,
    examples: [{ title: 'As a model would get it', input: { model: 'opus', agent: 'ada', mode: 'digest' } }],
    run: async (context, given) => injectStartup(await context.loci(), { ...given, preview: true }),
  }),
  'startup-inject': operation({
    description:
      'Returns the startup text: what the user wants every agent to know first. Call it when a session begins, unless you have the text ' +
      'already. It records that the session has seen it.',
    input: startupTextInput,
    output: startupTextOutput,
    kind: 'write',
    scope: 'read',
    listedOnRequest: true,
    examples: [{ title: 'At the beginning of a turn', input: { model: 'opus', session: 'main' } }],
    run: async (context, given) => injectStartup(await context.loci(), given),
  }),
});
