import { graphIndex, graphIndexInput, graphIndexOutput } from '../../engine/packs/graph-index.ts';
import type { Operation } from '../operation.ts';

export const graphIndexOperation: Operation<typeof graphIndexInput, typeof graphIndexOutput> = {
  name: 'graph-index',
  title: 'Index memory for a task',
  description:
    'Returns a short index of what is remembered about something: the best notes, tasks and records with the reason for each, and ' +
    'what to look at next. `graph_pack` then gives summaries of those that matter.',
  input: graphIndexInput,
  output: graphIndexOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  listedOnRequest: true,
  examples: [
    { title: 'Before work on something', input: { query: 'kitchen remodel' } },
    { title: 'The three best, of one project', input: { query: 'oven', k: 3, project: 'home' } },
  ],
  run: async (context, given) => {
    const index = await graphIndex(await context.loci(), given, { signal: context.signal });
    return { ...index, receipt: given.trace === true ? index.receipt : null };
  },
};
