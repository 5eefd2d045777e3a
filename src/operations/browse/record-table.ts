import { recordTable, recordTableInput, recordTableOutput } from '../../engine/browse/record-table.ts';
import type { Operation } from '../operation.ts';

export const recordTableOperation: Operation<typeof recordTableInput, typeof recordTableOutput> = {
  name: 'record-table',
  title: 'List records in order',
  description:
    'Records by their time, their last update or their title, page by page, with all filters. The owner can also list what was deleted and can be restored.',
  input: recordTableInput,
  output: recordTableOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  listedOnRequest: true,
  examples: [
    { title: 'The newest by their own dates', input: { limit: 20 } },
    {
      title: 'The notes of a month by title',
      input: { origins: ['vault'], from: '2026-10', until: '2026-10', sort: 'title' },
    },
    { title: 'What was deleted', input: { deleted: true, sort: 'updated' } },
  ],
  run: async (context, given) => recordTable(await context.loci(), given),
};
