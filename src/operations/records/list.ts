import { listInput, listOutput, listRecords } from '../../engine/records/list.ts';
import type { Operation } from '../operation.ts';

export const listOperation: Operation<typeof listInput, typeof listOutput> = {
  name: 'list',
  title: 'List records',
  description:
    'Lists records without a query: notes, documents of sources, facts and written records. Those that were stored last ' +
    'come first; notes are stored in the order in which they were indexed.',
  input: listInput,
  output: listOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  listedOnRequest: true,
  tool: 'memory_records',
  examples: [
    { title: 'What was stored last', input: {} },
    { title: 'The notes of a vault with a tag', input: { vaults: ['vault'], tags: ['home'] } },
    { title: 'What agents and people wrote', input: { origins: ['memory'], limit: 50 } },
  ],
  run: async (context, given) => listRecords(await context.loci(), given),
};
