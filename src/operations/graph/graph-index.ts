import { z } from 'zod';
import { graphIndex, type GraphIndexResponse } from '../../engine/packs/graph-index.ts';
import type { Operation } from '../operation.ts';
import { NOTHING_FITS, strongMatches } from '../../engine/records/results/search-result.ts';
import { answerGaps } from '../../engine/fields/answer-gaps.ts';
import { tookMs } from '../../engine/fields/times.ts';
import { graphGaps } from './graph-gaps.ts';
import { allowCrossProject, projectField } from './graph-fields.ts';
import { budgetField, nodeTextFields, outputOfNodeText, queryField, traceField } from './node-text-fields.ts';

const DEFAULT_BUDGET = 900;
const MAX_K = 50;
const DEFAULT_K = 10;

const input = z.strictObject({
  query: queryField(),
  k: z
    .number()
    .int()
    .min(1)
    .max(MAX_K)
    .exactOptional()
    .describe(`How many candidates at most. The default is ${String(DEFAULT_K)}.`),
  budget: budgetField(DEFAULT_BUDGET),
  project: projectField(),
  allow_cross_project: allowCrossProject(),
  trace: traceField(),
});

const output = z.strictObject({
  query: z.string(),
  ...nodeTextFields,
  ...answerGaps,
  took_ms: tookMs(),
});
export type GraphIndexOutput = z.infer<typeof output>;

export const graphIndexOperation: Operation<typeof input, typeof output> = {
  name: 'graph-index',
  title: 'Index memory for a task',
  description:
    'Returns a short index of what is remembered about something: the best notes, tasks and records with the reason for each, and ' +
    'what to look at next. `graph_pack` then gives summaries of those that matter.',
  input,
  output,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  listedOnRequest: true,
  examples: [
    { title: 'Before work on something', input: { query: 'kitchen remodel' } },
    { title: 'The three best, of one project', input: { query: 'oven', k: 3, project: 'home' } },
  ],
  run: async (context, input) => {
    const { query, k = DEFAULT_K, budget = DEFAULT_BUDGET, trace = false } = input;
    const { project, allow_cross_project } = input;
    const loci = await context.loci();
    const crossing = allow_cross_project === undefined ? {} : { allowCrossProject: allow_cross_project };
    const response: GraphIndexResponse = await graphIndex(loci, {
      ...{ query, k, budget, signal: context.signal },
      ...(project !== undefined && { project }),
      ...crossing,
    });
    return {
      query,
      ...outputOfNodeText(response, trace),
      missing: response.missing.map(({ signal, why }) => ({ signal, why })),
      notices: [
        ...response.notices,
        ...(response.candidates.length > 0 && strongMatches(response.candidates) === 0 ? [NOTHING_FITS] : []),
        ...(await graphGaps(loci, response.receipt.lanes, crossing)),
      ],
      took_ms: Math.round(response.milliseconds),
    };
  },
};
