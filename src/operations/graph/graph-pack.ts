import { graphPack, graphPackInput, graphPackOutput } from '../../engine/packs/graph-pack.ts';
import type { Operation } from '../operation.ts';

export const graphPackOperation: Operation<typeof graphPackInput, typeof graphPackOutput> = {
  name: 'graph-pack',
  title: 'Pack nodes of the graph',
  description:
    'Returns summaries of notes, tasks or records and of what is connected with them as one text within a budget of tokens, each with its ' +
    'citation and the reason why it is there.',
  input: graphPackInput,
  output: graphPackOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  listedOnRequest: true,
  examples: [
    { title: 'A note and what is around it', input: { nodes: ['Kitchen remodel'] } },
    {
      title: 'A note alone, with a part of its text',
      input: { nodes: ['Kitchen remodel'], depth: 0, mode: 'snippets' },
    },
  ],
  run: async (context, given) => {
    const pack = await graphPack(await context.loci(), given);
    return { ...pack, receipt: given.trace === true ? pack.receipt : null };
  },
};
