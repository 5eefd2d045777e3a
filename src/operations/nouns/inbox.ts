import {
  inboxInput,
  inboxOutput,
  keepInput,
  keepOutput,
  undoInput,
  undoOutput,
} from '../../engine/inbox/inbox-fields.ts';
import { listInbox, keepChanges } from '../../engine/inbox/inbox.ts';
import { label } from '../../config/values.ts';
import type { EngineContext } from '../../engine/context.ts';
import { undoChanges } from '../../engine/inbox/undo.ts';
import { audit, auditInput, auditOutput } from '../../engine/audit/read-audit.ts';
import { type OperationContext, operation, withNames } from '../operation.ts';

/** The field with which the operator of this machine names another namespace. */
const namespaceField = () =>
  label()
    .exactOptional()
    .describe('Another namespace than the configured one, such as that of an OpenClaw agent: agent:main.');

/** The engine of the caller, in another namespace if the operator names one. */
async function lociIn(context: OperationContext, namespace: string | undefined): Promise<EngineContext> {
  const loci = await context.loci();
  return namespace === undefined ? loci : loci.as({ ...loci.caller, namespace });
}

const inboxListInput = inboxInput.extend({ namespace: namespaceField() });

const inboxKeepInput = keepInput.extend({ namespace: namespaceField() });

const inboxUndoInput = undoInput.extend({ namespace: namespaceField() });

const auditLogInput = auditInput.extend({ namespace: namespaceField() });

export const inboxOperations = withNames({
  'inbox-list': operation({
    description:
      'Lists what agents wrote, changed and deleted, by agent and session, the last first, and what auto-capture proposes to ' +
      'remember. A change stays there until it is kept or undone.',
    input: inboxListInput,
    output: inboxOutput,
    kind: 'read',
    scope: 'admin',
    local: true,
    onPage: true,
    examples: [
      { title: 'What agents have done', input: {} },
      { title: 'All that one did in a session', input: { group: '5ac1c4d5a5a4', changes: 100 } },
      { title: 'What an agent of OpenClaw has done', input: { namespace: 'agent:main' } },
    ],
    run: async (context, { namespace, ...request }) => listInbox(await lociIn(context, namespace), request),
  }),
  'inbox-keep': operation({
    description:
      'Takes changes of agents out of the inbox and leaves everything as it is: single changes, all of a session, all up to a ' +
      'time, or all.',
    input: inboxKeepInput,
    output: keepOutput,
    kind: 'write',
    scope: 'admin',
    local: true,
    onPage: true,
    examples: [
      { title: 'Two changes', input: { changes: [12, 15] } },
      { title: 'All of a session', input: { group: '5ac1c4d5a5a4' } },
      { title: 'All up to yesterday', input: { until: 'yesterday' } },
    ],
    run: async (context, { namespace, ...request }) => keepChanges(await lociIn(context, namespace), request),
  }),
  'inbox-undo': operation({
    description:
      'Undoes changes of agents: deletes what they wrote, restores what they deleted, and gives what they changed its former text. ' +
      'What somebody has changed again since stays as it is, and stays in the inbox. An undo can be taken back.',
    input: inboxUndoInput,
    output: undoOutput,
    kind: 'write',
    scope: 'admin',
    local: true,
    onPage: true,
    examples: [
      { title: 'A change', input: { changes: [12] } },
      { title: 'All of a session', input: { group: '5ac1c4d5a5a4' } },
      { title: 'Take an undo back', input: { undo: '019ac0de-0000-7000-8000-000000000000' } },
    ],
    run: async (context, { namespace, ...request }) => undoChanges(await lociIn(context, namespace), request),
  }),
  audit: operation({
    description:
      'Lists every write, newest first: who made it, when, through which surface, and what it changed. The log is ' +
      'append-only; `verify`, and `doctor` for all namespaces, detect where it was truncated or changed.',
    input: auditLogInput,
    output: auditOutput,
    kind: 'read',
    scope: 'admin',
    localFields: ['namespace'],
    examples: [
      { title: 'The latest entries', input: { limit: 10 } },
      { title: 'The history of a record', input: { record: 2 } },
      { title: 'The log of an agent of OpenClaw', input: { namespace: 'agent:main' } },
      { title: 'What agents have done since yesterday', input: { surface: 'mcp', from: 'yesterday' } },
    ],
    run: async (context, { namespace, ...given }) => audit(await lociIn(context, namespace), given),
  }),
});
