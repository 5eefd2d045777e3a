import { z } from 'zod';
import { count } from '../../core/number-fields.ts';
import type { GraphNode, GraphProvenance } from '../../store/graph-model.ts';
import { type EdgeCounts, describePath, edgesOf } from '../../graph/walk.ts';
import { expand, MAX_DEPTH } from '../../graph/expand.ts';
import { shortestPath } from '../../graph/path.ts';
import type { EngineContext } from '../context.ts';
import { expire } from '../shared/retention.ts';
import { edgePlaces, recordsOfEdges, GraphMask } from './edge-places.ts';
import { findNodes } from './find-nodes.ts';
import {
  allowCrossProject,
  formatNode,
  formatStep,
  NODE_NAMES,
  nodeName,
  nodeOutput,
  noticesOutput,
  projectField,
  stepOutput,
  unknownOutput,
} from './graph-fields.ts';
import { graphNotices } from './graph-notices.ts';
import { assertGraphIsOn, type GraphScope, walkOptions } from './graph-view.ts';
import { updateGraph } from './update-relations.ts';

const MAX_NODES = 20;
const MAX_K = 100;
const DEFAULT_K = 20;

export const graphShowInput = z.strictObject({
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

export const graphShowOutput = z.strictObject({
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
export type GraphShowOutput = z.infer<typeof graphShowOutput>;

/** Of a node that was removed a moment ago. */
const NO_EDGES = { steps: [], degree: 0, otherProjects: 0, commonTags: 0, ownProject: 0 };

/** Credentials are masked, as in an export. @throws LociError `forbidden` while the graph is off */
export async function showNodes(
  context: EngineContext,
  given: z.infer<typeof graphShowInput>,
): Promise<GraphShowOutput> {
  const { nodes: names, depth = 1, k = DEFAULT_K } = given;
  const options = await readyWalk(context, given);
  const { nodes, unknown } = await findNodes(context, names, options.filter);
  const edgesOfNodes = await edgesOf(options, nodes);
  const shown = [];
  const mask = new GraphMask(context.thread);
  const citations = await placesOf(context, nodes.filter(isDerived));
  for (const node of nodes) {
    const { steps, ...counts } = edgesOfNodes.get(node.id) ?? NO_EDGES;
    const near = depth > 1 ? await expand({ ...options, depth, limit: k }, [{ node, score: 1 }]) : [];
    const further = near.filter(({ path }) => path.length > 1);
    shown.push({
      node: await mask.node(node),
      citation: citations.get(node) ?? null,
      steps: await mask.steps(steps.slice(0, k)),
      counts,
      near: await Promise.all(
        further.map(async ({ node: other, score, path }) => ({
          node: await mask.node(other),
          score,
          path: await mask.steps(path),
        })),
      ),
    });
  }
  const edges = shown.flatMap((each) => [
    ...each.steps.map(({ edge }) => edge),
    ...each.near.flatMap(({ path }) => path.map(({ edge }) => edge)),
  ]);
  const places = await placesOf(context, edges);
  return {
    nodes: shown.map((each) => ({
      ...formatNode(each.node),
      tags: [...each.node.tags],
      task: each.node.task,
      citation: each.citation,
      hash: each.node.provenance?.hash ?? null,
      degree: each.counts.degree,
      edges: each.steps.map((step) => formatStep(step, places)),
      not_shown: notShown(each.counts, each.steps.length),
      near: each.near.map(({ node, score, path }) => ({
        ...formatNode(node),
        score: Math.round(score * 1000) / 1000,
        via: describePath(path),
        steps: path.map((step) => formatStep(step, places)),
      })),
    })),
    notices: await graphNotices(context, { ...given, names }),
    unknown,
  };
}

function notShown(
  { degree, otherProjects, commonTags, ownProject }: EdgeCounts,
  shown: number,
): GraphShowOutput['nodes'][number]['not_shown'] {
  const limit = degree - otherProjects - commonTags - ownProject - shown;
  return { limit, other_projects: otherProjects, common_tags: commonTags, own_project: ownProject };
}

export const graphPathInput = z.strictObject({
  from: nodeName().describe('The node where the path begins: its id, citation or title.'),
  to: nodeName().describe('The node where it ends.'),
  project: projectField(),
  allow_cross_project: allowCrossProject(),
});

export const graphPathOutput = z.strictObject({
  from: nodeOutput.nullable().describe('Null for an unknown name.'),
  to: nodeOutput.nullable(),
  found: z.boolean(),
  partial: z.boolean().describe('Whether the search ended before it had seen everything within reach.'),
  steps: z.array(stepOutput),
  via: z.string().nullable().describe('The path in words.'),
  notices: noticesOutput,
  unknown: unknownOutput.describe('The names without a node.'),
});
export type GraphPathOutput = z.infer<typeof graphPathOutput>;

/** Credentials are masked, as in an export. @throws LociError `forbidden` while the graph is off */
export async function findPath(
  context: EngineContext,
  request: z.infer<typeof graphPathInput>,
): Promise<GraphPathOutput> {
  const options = await readyWalk(context, request);
  const [from, to] = [
    await findNodes(context, [request.from], options.filter),
    await findNodes(context, [request.to], options.filter),
  ];
  const [start = null, end = null] = [from.nodes[0], to.nodes[0]];
  const mask = new GraphMask(context.thread);
  const search = start === null || end === null ? null : await shortestPath(options, start, end);
  const path = await mask.steps(search?.path ?? []);
  const places = await placesOf(
    context,
    path.map(({ edge }) => edge),
  );
  const target = end === null ? null : await mask.node(end);
  return {
    from: start === null ? null : formatNode(await mask.node(start)),
    to: target === null ? null : formatNode(target),
    found: search !== null && search.path !== null,
    partial: search?.isPartial ?? false,
    steps: path.map((step) => formatStep(step, places)),
    via: path.length === 0 ? null : `${describePath(path)} → [[${target?.title ?? ''}]]`,
    notices: await graphNotices(context, { ...request, names: [request.from, request.to] }),
    unknown: [...from.unknown, ...to.unknown],
  };
}

async function readyWalk(context: EngineContext, scope: GraphScope): ReturnType<typeof walkOptions> {
  assertGraphIsOn(context);
  await expire(context);
  await updateGraph(context);
  return walkOptions(context, scope);
}

function isDerived(node: GraphNode): node is GraphNode & { readonly provenance: GraphProvenance } {
  return node.provenance !== null;
}

/** The citation of the lines from which each edge or node was derived, or of the record. */
async function placesOf(
  context: EngineContext,
  derived: readonly { readonly provenance: GraphProvenance }[],
): Promise<Map<object, string>> {
  const places = await edgePlaces(context, derived, await recordsOfEdges(context, derived));
  return new Map([...places].map(([each, { citation }]) => [each, citation]));
}
