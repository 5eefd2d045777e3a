import { z } from 'zod';
import { count } from '../../core/number-fields.ts';
import { EDGE_TYPES, NODE_TYPES } from '../../core/graph-types.ts';
import { filterValue } from '../fields/record-fields.ts';
import {
  allowCrossProject,
  NODE_NAMES,
  nodeName,
  noticesOutput,
  unknownOutput,
} from '../graph/graph-fields.ts';

const MAX_NODES = 5000;
/** More are hard to tell from each other. */
export const DEFAULT_NODES = 1500;
/** Drawing more takes too long. */
export const MAX_EDGES = 20_000;
const MAX_CENTRES = 50;
const MAX_MAP_DEPTH = 5;

const several = () => z.array(filterValue()).max(64).exactOptional();

export const graphMapInput = z.strictObject({
  around: z
    .array(nodeName())
    .max(MAX_CENTRES)
    .exactOptional()
    .describe(`Only what is near these nodes: ${NODE_NAMES}. Without them, the nodes with the most edges.`),
  depth: z
    .number()
    .int()
    .min(0)
    .max(MAX_MAP_DEPTH)
    .exactOptional()
    .describe('How many steps from `around` a node may be away. The default is 1.'),
  projects: several().describe('Only nodes of these projects.'),
  types: z
    .array(z.enum(NODE_TYPES))
    .max(NODE_TYPES.length)
    .exactOptional()
    .describe('Only nodes of these types.'),
  tags: several().describe('Only nodes with one of these tags, or with a tag nested in one.'),
  edge_types: z
    .array(z.enum(EDGE_TYPES))
    .max(EDGE_TYPES.length)
    .exactOptional()
    .describe('Only edges of these types.'),
  search: filterValue().exactOptional().describe('Only nodes whose title has this text, in either case.'),
  nodes: z.number().int().min(1).max(MAX_NODES).exactOptional().describe(`How many nodes at most: ${String(DEFAULT_NODES)} unless given.`), // prettier-ignore
  edges: z.number().int().min(0).max(MAX_EDGES).exactOptional().describe(`How many edges at most: ${String(MAX_EDGES)} unless given.`), // prettier-ignore
  allow_cross_project: allowCrossProject(),
});

const facet = z.array(z.strictObject({ value: z.string(), count: count() }));

export const graphMapOutput = z.strictObject({
  version: z.string().describe('The same for the same graph, whose positions are the same then.'),
  nodes: z
    .strictObject({
      id: z.array(z.string()),
      title: z.array(z.string()),
      type: z.array(count()).describe('Places in `node_types`.'),
      project: z.array(count()).describe('Places in `projects`.'),
      tags: z.array(z.array(count())).describe('Places in `tags`.'),
      record: z.array(z.number().int().nullable()).describe('The number of the record; null without one.'),
      x: z.array(z.number()),
      y: z.array(z.number()),
      degree: z
        .array(count())
        .describe('How many edges each has in the graph, also those that are left out.'),
      steps: z.array(count()).describe('How many steps it is away from `around`; 0 without it.'),
    })
    .describe('The nodes, in columns of equal length.'),
  edges: z
    .strictObject({
      src: z.array(count()).describe('Places in the columns of `nodes`.'),
      dst: z.array(count()),
      type: z.array(count()).describe('Places in `edge_types`.'),
      weight: z.array(z.number()),
      reason: z.array(z.string()).describe('Why each edge is there.'),
    })
    .describe('The edges between these nodes, in columns; the heaviest first.'),
  node_types: z.array(z.enum(NODE_TYPES)),
  edge_types: z.array(z.enum(EDGE_TYPES)),
  projects: z.array(z.string()),
  tags: z.array(z.string()),
  facets: z
    .strictObject({ projects: facet, types: facet, tags: facet, edge_types: facet })
    .describe(
      'How many nodes or edges of the whole graph have each value, the most frequent first; 100 at most.',
    ),
  totals: z
    .strictObject({
      nodes: count().describe('All nodes that pass the filters.'),
      edges: count().describe('All edges between the returned nodes.'),
      graph_nodes: count().describe(
        'All nodes of the graph, without those that `notices` says are not counted.',
      ),
      graph_edges: count(),
      across_projects: count().describe('Edges into other projects, which are not followed.'),
    })
    .describe('What there is, whether or not it is in this answer.'),
  notices: noticesOutput.describe(
    'What is left out and how to get it, and why there may be less than expected.',
  ),
  unknown: unknownOutput.describe('The names without a node.'),
});
export type GraphMapInput = z.infer<typeof graphMapInput>;
export type GraphMapOutput = z.infer<typeof graphMapOutput>;
