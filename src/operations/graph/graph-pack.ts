import { z } from 'zod';
import { PACK_MODES, graphPack } from '../../engine/packs/graph-pack.ts';
import { MAX_DEPTH } from '../../graph/expand.ts';
import type { Operation } from '../operation.ts';
import { tookMs } from '../../engine/fields/times.ts';
import { graphGaps } from './graph-gaps.ts';
import {
  allowCrossProject,
  NODE_NAMES,
  nodeName,
  noticesOutput,
  outputOfUnknown,
  projectField,
  unknownOutput,
} from './graph-fields.ts';
import { budgetField, nodeTextFields, outputOfNodeText, traceField } from './node-text-fields.ts';

const DEFAULT_BUDGET = 2000;
const MAX_NODES = 20;
const DEFAULT_DEPTH = 1;

const input = z.strictObject({
  nodes: z.array(nodeName()).min(1).max(MAX_NODES).describe(`Nodes to pack: ${NODE_NAMES}.`),
  depth: z
    .number()
    .int()
    .min(0)
    .max(MAX_DEPTH)
    .exactOptional()
    .describe(
      `How many steps around the nodes; 0 for the nodes alone. The default is ${String(DEFAULT_DEPTH)}.`,
    ),
  budget: budgetField(DEFAULT_BUDGET),
  mode: z
    .enum(PACK_MODES)
    .exactOptional()
    .describe('`safe` (the default) has summaries and no raw text; `snippets` adds a part of each text.'),
  project: projectField(),
  allow_cross_project: allowCrossProject(),
  trace: traceField(),
});

const output = z.strictObject({
  ...nodeTextFields,
  mode: z.enum(PACK_MODES),
  notices: noticesOutput,
  unknown: unknownOutput.describe('The names without a node.'),
  took_ms: tookMs(),
});
export type GraphPackOutput = z.infer<typeof output>;

export const graphPackOperation: Operation<typeof input, typeof output> = {
  name: 'graph-pack',
  title: 'Pack nodes of the graph',
  description:
    'Returns summaries of notes, tasks or records and of what is connected with them as one text within a budget of tokens, each with its ' +
    'citation and the reason why it is there.',
  input,
  output,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  listedOnRequest: true,
  examples: [
    { title: 'A note and what is around it', input: { nodes: ['Kitchen remodel'] } },
    {
      title: 'A note alone, with a part of its text',
      input: { nodes: ['Kitchen remodel'], depth: 0, mode: 'snippets' },
    },
  ],
  run: async (context, input) => {
    const { nodes, depth = DEFAULT_DEPTH, budget = DEFAULT_BUDGET, mode = 'safe', trace = false } = input;
    const { project, allow_cross_project } = input;
    const loci = await context.loci();
    const scope = {
      ...(project !== undefined && { project }),
      ...(allow_cross_project !== undefined && { allowCrossProject: allow_cross_project }),
    };
    const response = await graphPack(loci, { nodes, depth, budget, mode, ...scope });
    return {
      ...outputOfNodeText(response, trace),
      mode,
      notices: await graphGaps(loci, response.receipt.lanes, { names: nodes, audience: 'context', ...scope }),
      unknown: outputOfUnknown(response.unknown),
      took_ms: Math.round(response.milliseconds),
    };
  },
};
