import { z } from 'zod';
import { EDGE_TYPES } from '../../core/graph-types.ts';
import type { PathAcrossProjects } from '../../engine/graph/other-projects.ts';
import { describePath } from '../../graph/walk.ts';
import type { Operation } from '../operation.ts';
import {
  allowCrossProject,
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
import { findPath } from '../../engine/graph/show-nodes.ts';
import { graphNotices } from '../../engine/graph/graph-notices.ts';

const input = z.strictObject({
  from: nodeName().describe('The node where the path begins: its id, citation or title.'),
  to: nodeName().describe('The node where it ends.'),
  project: projectField(),
  allow_cross_project: allowCrossProject(),
});

const output = z.strictObject({
  from: nodeOutput.nullable().describe('Null for an unknown name.'),
  to: nodeOutput.nullable(),
  found: z.boolean(),
  partial: z.boolean().describe('Whether the search ended before it had seen everything within reach.'),
  steps: z.array(stepOutput),
  via: z.string().nullable().describe('The path in words.'),
  across_projects: z
    .strictObject({
      projects: z.array(z.string()).describe('The projects through which it leads, in this order.'),
      types: z.array(z.enum(EDGE_TYPES)).describe('The types of its edges into other projects.'),
      setting: z.array(z.enum(EDGE_TYPES)).describe('`graph.crossProjectTypes` with these types added.'),
      allowed: z.boolean().describe('Whether the settings allow them with `allow_cross_project`.'),
    })
    .nullable()
    .describe(
      'Where no path was found: one that leads through other projects and is therefore not followed.',
    ),
  notices: noticesOutput,
  unknown: unknownOutput.describe('The names without a node.'),
});
export type GraphPathOutput = z.infer<typeof output>;

export const graphPathOperation: Operation<typeof input, typeof output> = {
  name: 'graph-path',
  title: 'Find a path in the graph',
  description:
    'Finds how two notes, tasks or tags are connected: the shortest path between them, and the reason for each of its steps.',
  input,
  output,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  listedOnRequest: true,
  examples: [{ title: 'Between two notes', input: { from: 'Kitchen budget', to: 'Contractor quotes' } }],
  run: async (context, input) => {
    const { from: start, to: end, project, allow_cross_project } = input;
    const loci = await context.loci();
    const scope = {
      ...(project !== undefined && { project }),
      ...(allow_cross_project !== undefined && { allow_cross_project }),
    };
    const found = await findPath(loci, { from: start, to: end, ...scope });
    const { from, to, path, across, isPartial, unknown, places } = found;
    return {
      from: from === null ? null : outputOfNode(from),
      to: to === null ? null : outputOfNode(to),
      found: path !== null,
      partial: isPartial,
      steps: (path ?? []).map((step) => outputOfStep(step, places)),
      via: path === null || path.length === 0 ? null : `${describePath(path)} → [[${to?.title ?? ''}]]`,
      across_projects: across === null ? null : outputOfAcross(across),
      notices: await graphNotices(loci, { names: [start, end], ...scope }),
      unknown: outputOfUnknown(unknown),
    };
  },
};

function outputOfAcross({
  projects,
  types,
  setting,
  isAllowed,
}: PathAcrossProjects): NonNullable<GraphPathOutput['across_projects']> {
  return { projects: [...projects], types: [...types], setting: [...setting], allowed: isAllowed };
}
