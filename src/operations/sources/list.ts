import { z } from 'zod';
import { listSourcesOutput } from '../../engine/reading/source-schemas.ts';
import { listSources } from '../../engine/reading/sources.ts';
import type { Operation } from '../operation.ts';
import { openForSources, viewerOf } from './source-context.ts';

const input = z.strictObject({});

export const sourcesListOperation: Operation<typeof input, typeof listSourcesOutput> = {
  name: 'sources-list',
  title: 'List sources',
  description:
    'Lists the vaults and sources whose documents are searched, each with its condition, its number of documents, when it was ' +
    'last read, what failed, and how many searches found it.',
  input,
  output: listSourcesOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  tool: 'memory_sources',
  examples: [{ title: 'The condition of every source', input: {} }],
  run: async (context) => listSources(await openForSources(context), viewerOf(context)),
};
