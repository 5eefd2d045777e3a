import { graphMap } from '../../engine/graph-map/graph-map.ts';
import { graphMapInput, graphMapOutput } from '../../engine/graph-map/map-fields.ts';
import type { Operation } from '../operation.ts';

export const graphMapOperation: Operation<typeof graphMapInput, typeof graphMapOutput> = {
  name: 'graph-map',
  title: 'Map the graph',
  description:
    'Returns nodes with positions and the edges between them, as a viewer draws them: the most connected ones, or what is near some ' +
    'nodes. Up to 5,000 nodes and 10,000 edges, and less than 1 MB.',
  input: graphMapInput,
  output: graphMapOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  listedOnRequest: true,
  examples: [
    { title: 'The decisions about the kitchen', input: { types: ['decision'], tags: ['kitchen'] } },
    { title: 'What two steps lead to', input: { around: ['Kitchen remodel'], depth: 2, edges: 50 } },
  ],
  run: async (context, given) => {
    const { signal, onProgress } = context;
    return graphMap(await context.loci(), given, { signal, onProgress });
  },
};
