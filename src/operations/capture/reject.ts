import { chosenProposals, rejectProposals, rejectProposalsOutput } from '../../engine/capture/proposals.ts';
import type { Operation } from '../operation.ts';
import { lociIn, namespaceField } from '../shared/in-namespace.ts';

const input = chosenProposals.extend({ namespace: namespaceField() });

export const captureRejectOperation: Operation<typeof input, typeof rejectProposalsOutput> = {
  name: 'capture-reject',
  title: 'Reject proposals',
  description:
    'Rejects what auto-capture has proposed. The same sentence is not proposed again within 30 days, after which nothing of ' +
    'it is left.',
  input,
  output: rejectProposalsOutput,
  readOnly: false,
  destructive: false,
  idempotent: false,
  // A rejection leaves no trace in the inbox, so an agent with a token for writing may not make it.
  scope: 'operator',
  listedOnRequest: true,
  localFields: ['namespace'],
  examples: [{ title: 'One proposal', input: { ids: [4] } }],
  run: async (context, { namespace, ...request }) =>
    rejectProposals(await lociIn(context, namespace), request),
};
