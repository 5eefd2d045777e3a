import { keepInput, keepOutput } from '../../engine/inbox/inbox-fields.ts';
import { keepChanges } from '../../engine/inbox/inbox.ts';
import type { Operation } from '../operation.ts';
import { lociIn, namespaceField } from '../shared/in-namespace.ts';

const input = keepInput.extend({ namespace: namespaceField() });

export const inboxKeepOperation: Operation<typeof input, typeof keepOutput> = {
  name: 'inbox-keep',
  title: 'Keep changes of the inbox',
  description:
    'Takes changes of agents out of the inbox and leaves everything as it is: single changes, all of a session, all up to a ' +
    'time, or all.',
  input,
  output: keepOutput,
  readOnly: false,
  destructive: false,
  idempotent: false,
  scope: 'admin',
  local: true,
  onPage: true,
  examples: [
    { title: 'Two changes', input: { changes: [12, 15] } },
    { title: 'All of a session', input: { group: '5ac1c4d5a5a4' } },
    { title: 'All up to yesterday', input: { until: 'yesterday' } },
  ],
  run: async (context, { namespace, ...request }) => keepChanges(await lociIn(context, namespace), request),
};
