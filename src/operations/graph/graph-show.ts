import { graphShowInput, graphShowOutput, showNodes } from '../../engine/graph/show-nodes.ts';
import type { Operation } from '../operation.ts';

export const graphShowOperation: Operation<typeof graphShowInput, typeof graphShowOutput> = {
  name: 'graph-show',
  title: 'Show nodes of the graph',
  description: 'Shows notes, tasks, projects or tags with what they are connected to, and why.',
  input: graphShowInput,
  output: graphShowOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  listedOnRequest: true,
  examples: [
    { title: 'A note by its title', input: { nodes: ['Kitchen remodel'] } },
    { title: 'What two steps lead to', input: { nodes: ['Kitchen remodel'], depth: 2, k: 5 } },
  ],
  run: async (context, given) => showNodes(await context.loci(), given),
};
