import { graphStatus, graphStatusInput, graphStatusOutput } from '../../engine/graph/graph-status.ts';
import type { Operation } from '../operation.ts';

export const graphStatusOperation: Operation<typeof graphStatusInput, typeof graphStatusOutput> = {
  name: 'graph-status',
  title: 'Show the state of the graph',
  description: 'Shows how many nodes and edges the graph has, and whether it is up to date.',
  input: graphStatusInput,
  output: graphStatusOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  listedOnRequest: true,
  examples: [{ title: 'All projects', input: {} }],
  run: async (context, given) => graphStatus(await context.loci(), given),
};
