import { undoInput, undoOutput } from '../../engine/inbox/inbox-fields.ts';
import { undoChanges } from '../../engine/inbox/undo.ts';
import type { Operation } from '../operation.ts';
import { lociIn, namespaceField } from '../shared/in-namespace.ts';

const input = undoInput.extend({ namespace: namespaceField() });

export const inboxUndoOperation: Operation<typeof input, typeof undoOutput> = {
  name: 'inbox-undo',
  title: 'Undo changes of the inbox',
  description:
    'Undoes changes of agents: deletes what they wrote, restores what they deleted, and gives what they changed its former text. ' +
    'What somebody has changed again since stays as it is, and stays in the inbox. An undo can be taken back.',
  input,
  output: undoOutput,
  readOnly: false,
  destructive: false,
  idempotent: false,
  scope: 'admin',
  local: true,
  onPage: true,
  examples: [
    { title: 'A change', input: { changes: [12] } },
    { title: 'All of a session', input: { group: '5ac1c4d5a5a4' } },
    { title: 'Take an undo back', input: { undo: '019ac0de-0000-7000-8000-000000000000' } },
  ],
  run: async (context, { namespace, ...request }) => undoChanges(await lociIn(context, namespace), request),
};
