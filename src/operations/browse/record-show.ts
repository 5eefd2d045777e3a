import { showRecord, recordShowInput, recordShowOutput } from '../../engine/browse/record-page.ts';
import type { Operation } from '../operation.ts';

export const recordShowOperation: Operation<typeof recordShowInput, typeof recordShowOutput> = {
  name: 'record-show',
  title: 'Show a record',
  description:
    'All of a record at once, for a page about it: its text and front matter, its properties, where its links lead, and what changes it. The owner also sees deleted records, and where the file of a note is.',
  input: recordShowInput,
  output: recordShowOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  listedOnRequest: true,
  examples: [
    { title: 'A note and its passages', input: { citation: 'Home/Kitchen remodel.md', passages: true } },
    { title: 'A written record', input: { citation: 'record/1' } },
  ],
  run: async (context, given) => showRecord(await context.loci(), given),
};
