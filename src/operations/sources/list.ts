import { z } from 'zod';
import type { Operation, OperationContext } from '../operation.ts';
import { memoryOfSources, outputOf, sourceOutput, type SourceOutput } from './source-output.ts';

export interface SourcesListOutput {
  readonly sources: SourceOutput[];
}

export const sourcesList: Operation<Record<string, never>, SourcesListOutput> = {
  name: 'sources-list',
  title: 'List sources',
  description:
    'Lists the vaults and sources whose documents are searched: how each is, how many documents it has, when it was last ' +
    'read, what failed, and how often it was found.',
  input: z.strictObject({}),
  output: z.strictObject({
    sources: z
      .array(sourceOutput)
      .describe('Vaults, then commands of the settings, then skills, then what is left of others.'),
  }),
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  tool: 'memory_sources',
  examples: [{ title: 'How the sources are', input: {} }],
  run: runSourcesList,
};

async function runSourcesList(context: OperationContext): Promise<SourcesListOutput> {
  const reports = await (await memoryOfSources(context)).sources.list();
  return { sources: reports.map((report) => outputOf(report, context.machine !== undefined)) };
}
