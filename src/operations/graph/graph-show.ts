import { z } from 'zod';
import type { EdgeCounts } from '../../graph/edge-counts.ts';
import { MAX_DEPTH } from '../../graph/expand.ts';
import { describePath } from '../../graph/walk.ts';
import type { Operation, OperationContext } from '../operation.ts';
import {
  allowCrossProject,
  NODE_NAMES,
  nodeName,
  nodeOutput,
  noticesOutput,
  outputOfNode,
  outputOfStep,
  outputOfUnknown,
  projectField,
  stepOutput,
  unknownOutput,
} from '../../engine/graph/graph-fields.ts';
import { showNodes } from '../../engine/graph/show-nodes.ts';
import { graphNotices } from '../../engine/graph/graph-notices.ts';

const MAX_NODES = 20;
const MAX_K = 100;
const DEFAULT_K = 20;

const count = () => z.number().int().nonnegative();

const input = z.strictObject({
  nodes: z.array(nodeName()).min(1).max(MAX_NODES).describe(`Nodes to show: ${NODE_NAMES}.`),
  depth: z
    .number()
    .int()
    .min(1)
    .max(MAX_DEPTH)
    .exactOptional()
    .describe('With 2 or 3, also what so many steps lead to. The default is 1: the edges of the nodes.'),
  k: z
    .number()
    .int()
    .min(1)
    .max(MAX_K)
    .exactOptional()
    .describe(
      `How many edges, and how many nodes near it, each node shows at most. The default is ${String(DEFAULT_K)}.`,
    ),
  project: projectField(),
  allow_cross_project: allowCrossProject(),
});
type GraphShowInput = z.infer<typeof input>;

const output = z.strictObject({
  nodes: z.array(
    nodeOutput.extend({
      tags: z.array(z.string()),
      task: z.strictObject({ done: z.boolean(), due: z.string().nullable() }).nullable(),
      citation: z.string().nullable().describe('Null for a node that records share, such as a project.'),
      hash: z.string().nullable().describe('SHA-256 of its text.'),
      degree: count().describe('How many edges it has, also those that are not shown.'),
      edges: z.array(stepOutput).describe('The closest first.'),
      not_shown: z
        .strictObject({
          limit: count().describe('Edges beyond the limit `k`.'),
          other_projects: count().describe('Edges into other projects, which are not followed.'),
          common_tags: count().describe('Edges of tags that are too common to follow.'),
          own_project: count().describe('The edge to its project.'),
        })
        .describe('How many of its edges are not in `edges`, and why.'),
      near: z.array(
        nodeOutput.extend({
          score: z.number().describe('How near it is, 0 to 1.'),
          via: z.string().describe('The path that leads to it.'),
          steps: z.array(stepOutput),
        }),
      ),
    }),
  ),
  notices: noticesOutput,
  unknown: unknownOutput.describe('The names without a node.'),
});
export type GraphShowOutput = z.infer<typeof output>;

export const graphShowOperation: Operation<typeof input, typeof output> = {
  name: 'graph-show',
  title: 'Show nodes of the graph',
  description: 'Shows notes, tasks, projects or tags with what they are connected to, and why.',
  input,
  output,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  listedOnRequest: true,
  examples: [
    { title: 'A note by its title', input: { nodes: ['Kitchen remodel'] } },
    { title: 'What two steps lead to', input: { nodes: ['Kitchen remodel'], depth: 2, k: 5 } },
  ],
  run: runShow,
};

async function runShow(context: OperationContext, input: GraphShowInput): Promise<GraphShowOutput> {
  const { nodes: names, depth = 1, k = DEFAULT_K, project, allow_cross_project } = input;
  const loci = await context.loci();
  const scope = {
    ...(project !== undefined && { project }),
    ...(allow_cross_project !== undefined && { allow_cross_project }),
  };
  const { nodes, unknown, places } = await showNodes(loci, { names, depth, limit: k, ...scope });
  return {
    nodes: nodes.map(({ node, citation, steps, counts, near }) => ({
      ...outputOfNode(node),
      tags: [...node.tags],
      task: node.task,
      citation,
      hash: node.provenance?.hash ?? null,
      degree: counts.degree,
      edges: steps.map((step) => outputOfStep(step, places)),
      not_shown: notShown(counts, steps.length),
      near: near.map(({ node: other, score, path }) => ({
        ...outputOfNode(other),
        score: Math.round(score * 1000) / 1000,
        via: describePath(path),
        steps: path.map((step) => outputOfStep(step, places)),
      })),
    })),
    notices: await graphNotices(loci, { names, ...scope }),
    unknown: outputOfUnknown(unknown),
  };
}

function notShown(
  { degree, otherProjects, commonTags, ownProject }: EdgeCounts,
  shown: number,
): GraphShowOutput['nodes'][number]['not_shown'] {
  const limit = degree - otherProjects - commonTags - ownProject - shown;
  return { limit, other_projects: otherProjects, common_tags: commonTags, own_project: ownProject };
}
