import { findPath, graphPathInput, graphPathOutput } from '../../engine/graph/show-nodes.ts';
import type { Operation } from '../operation.ts';

export const graphPathOperation: Operation<typeof graphPathInput, typeof graphPathOutput> = {
  name: 'graph-path',
  title: 'Find a path in the graph',
  description:
    'Finds how two notes, tasks or tags are connected: the shortest path between them, and the reason for each of its steps.',
  input: graphPathInput,
  output: graphPathOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  listedOnRequest: true,
  examples: [{ title: 'Between two notes', input: { from: 'Kitchen budget', to: 'Contractor quotes' } }],
  run: async (context, given) => findPath(await context.loci(), given),
};
