import { acceptProposals, acceptProposalsOutput, chosenProposals } from '../../engine/capture/proposals.ts';
import type { Operation } from '../operation.ts';
import { lociIn, namespaceField } from '../shared/in-namespace.ts';

const input = chosenProposals.extend({ namespace: namespaceField() });

export const captureAcceptOperation: Operation<typeof input, typeof acceptProposalsOutput> = {
  name: 'capture-accept',
  title: 'Accept proposals',
  description:
    'Remembers what auto-capture has proposed: writes each proposal as a record, in the words of the owner. Accept only what ' +
    'the owner has confirmed.',
  input,
  output: acceptProposalsOutput,
  readOnly: false,
  destructive: false,
  idempotent: false,
  // An agent with a token for writing does not decide for the owner.
  scope: 'operator',
  needsWrites: true,
  listedOnRequest: true,
  localFields: ['namespace'],
  examples: [{ title: 'Two proposals', input: { ids: [3, 5] } }],
  run: async (context, { namespace, ...request }) =>
    acceptProposals(await lociIn(context, namespace), request),
};
