import { z } from 'zod';
import { EDGE_TYPES, NODE_TYPES } from '../../core/graph-types.ts';
import type { Operation } from '../operation.ts';
import { projectField } from '../../engine/graph/graph-fields.ts';
import { graphStatus } from '../../engine/graph/graph-status.ts';

const count = () => z.number().int().nonnegative();

const input = z.strictObject({ project: projectField() });

const output = z.strictObject({
  condition: z
    .enum(['off', 'building', 'behind', 'current'])
    .describe(
      '`building`: not all records were derived once; `behind`: the last changes are not derived yet.',
    ),
  newest_change: count().describe('The number of the last change of a record.'),
  derived_up_to: count().describe('The last change that the graph takes into account.'),
  similar_up_to: count().describe('The same for edges between similar texts.'),
  stale: count().describe('Records whose links mean other notes now, and that are not derived again yet.'),
  nodes: count(),
  edges: count(),
  projects: z.array(
    z.strictObject({
      project: z.string(),
      nodes: z.partialRecord(z.enum(NODE_TYPES), count()).describe('By type.'),
    }),
  ),
  edges_by_type: z.partialRecord(z.enum(EDGE_TYPES), count()),
});
export type GraphStatusOutput = z.infer<typeof output>;

export const graphStatusOperation: Operation<typeof input, typeof output> = {
  name: 'graph-status',
  title: 'Show the state of the graph',
  description: 'Shows how many nodes and edges the graph has, and whether it is up to date.',
  input,
  output,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  listedOnRequest: true,
  examples: [{ title: 'All projects', input: {} }],
  run: async (context, input) => {
    const loci = await context.loci();
    const { condition, lastChange, upTo, similarUpTo, stale, counts } = await graphStatus(loci, input);
    const byProject = Map.groupBy(counts.nodes, ({ project }) => project);
    return {
      condition,
      newest_change: lastChange,
      derived_up_to: upTo,
      similar_up_to: similarUpTo,
      stale,
      nodes: counts.nodes.reduce((sum, { nodes }) => sum + nodes, 0),
      edges: counts.edges.reduce((sum, { edges }) => sum + edges, 0),
      projects: [...byProject].map(([project, types]) => ({
        project,
        nodes: Object.fromEntries(types.map(({ type, nodes }) => [type, nodes])),
      })),
      edges_by_type: Object.fromEntries(counts.edges.map(({ type, edges }) => [type, edges])),
    };
  },
};
