import { z } from 'zod';
import type { Operation } from '../operation.ts';
import { openForSources, sourceOutput, toSourceOutput } from './source-output.ts';
import { sourcesOf } from '../../engine/reading/sources.ts';

const input = z.strictObject({});
const output = z.strictObject({
  sources: z
    .array(sourceOutput)
    .describe(
      'Vaults, then sources of the settings, then those of skills, then those that are no longer configured.',
    ),
});
export type SourcesListOutput = z.infer<typeof output>;

export const sourcesListOperation: Operation<typeof input, typeof output> = {
  name: 'sources-list',
  title: 'List sources',
  description:
    'Lists the vaults and sources whose documents are searched, each with its condition, its number of documents, when it was ' +
    'last read, what failed, and how many searches found it.',
  input,
  output,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  tool: 'memory_sources',
  examples: [{ title: 'The condition of every source', input: {} }],
  run: async (context) => {
    const reports = await sourcesOf(await openForSources(context)).list();
    return { sources: reports.map((report) => toSourceOutput(report, context.machine !== undefined)) };
  },
};
