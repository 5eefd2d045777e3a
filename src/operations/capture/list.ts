import { listProposals, listProposalsInput, listProposalsOutput } from '../../engine/capture/proposals.ts';
import type { Operation } from '../operation.ts';
import { lociIn, namespaceField } from '../shared/in-namespace.ts';

const input = listProposalsInput.extend({ namespace: namespaceField() });

export const captureListOperation: Operation<typeof input, typeof listProposalsOutput> = {
  name: 'capture-list',
  title: 'List proposals',
  description:
    'Lists what auto-capture proposes to remember: statements of the owner that wait to be accepted or rejected, and expire ' +
    'after 30 days. No search finds them.',
  input,
  output: listProposalsOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  listedOnRequest: true,
  localFields: ['namespace'],
  examples: [
    { title: 'What waits', input: {} },
    { title: 'What waits for an agent of OpenClaw', input: { namespace: 'agent:main' } },
  ],
  run: async (context, { namespace, ...request }) => listProposals(await lociIn(context, namespace), request),
};
