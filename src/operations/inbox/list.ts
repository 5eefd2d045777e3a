import { inboxInput, inboxOutput } from '../../engine/inbox/inbox-fields.ts';
import { listInbox } from '../../engine/inbox/inbox.ts';
import type { Operation } from '../operation.ts';
import { lociIn, namespaceField } from '../shared/in-namespace.ts';

const input = inboxInput.extend({ namespace: namespaceField() });

export const inboxListOperation: Operation<typeof input, typeof inboxOutput> = {
  name: 'inbox-list',
  title: 'List the inbox',
  description:
    'Lists what agents wrote, changed and deleted, by agent and session, the last first, and what auto-capture proposes to ' +
    'remember. A change stays there until it is kept or undone.',
  input,
  output: inboxOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  local: true,
  onPage: true,
  examples: [
    { title: 'What agents have done', input: {} },
    { title: 'All that one did in a session', input: { group: '5ac1c4d5a5a4', changes: 100 } },
    { title: 'What an agent of OpenClaw has done', input: { namespace: 'agent:main' } },
  ],
  run: async (context, { namespace, ...request }) => listInbox(await lociIn(context, namespace), request),
};
