import { z } from 'zod';
import { describePath } from '../../graph/walk.ts';
import type { Operation, OperationContext } from '../operation.ts';
import {
  allowCrossProject,
  nodeName,
  nodeOutput,
  outputOfNode,
  outputOfStep,
  outputOfUnknown,
  projectField,
  stepOutput,
  unknownOutput,
} from './graph-fields.ts';

const input = z.strictObject({
  from: nodeName().describe('The node where the path begins: its id, citation or title.'),
  to: nodeName().describe('The node where it ends.'),
  project: projectField(),
  allow_cross_project: allowCrossProject(),
});
type GraphPathInput = z.infer<typeof input>;

const output = z.strictObject({
  from: nodeOutput.nullable().describe('Null for an unknown name.'),
  to: nodeOutput.nullable(),
  found: z.boolean(),
  partial: z.boolean().describe('Whether the search ended before it had seen everything within reach.'),
  steps: z.array(stepOutput),
  via: z.string().nullable().describe('The path in words.'),
  unknown: unknownOutput.describe('The names without a node.'),
});
export type GraphPathOutput = z.infer<typeof output>;

export const graphPath: Operation<GraphPathInput, GraphPathOutput> = {
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
  run: runPath,
};

async function runPath(context: OperationContext, input: GraphPathInput): Promise<GraphPathOutput> {
  const { from: start, to: end, project, allow_cross_project } = input;
  const loci = await context.loci();
  const { from, to, path, isPartial, unknown, places } = await loci.graph.path({
    ...{ from: start, to: end },
    ...(project !== undefined && { project }),
    ...(allow_cross_project !== undefined && { allowCrossProject: allow_cross_project }),
  });
  return {
    from: from === null ? null : outputOfNode(from),
    to: to === null ? null : outputOfNode(to),
    found: path !== null,
    partial: isPartial,
    steps: (path ?? []).map((step) => outputOfStep(step, places)),
    via: path === null || path.length === 0 ? null : `${describePath(path)} → [[${to?.title ?? ''}]]`,
    unknown: outputOfUnknown(unknown),
  };
}
