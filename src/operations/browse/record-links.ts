import { recordLinks, recordLinksInput, recordLinksOutput } from '../../engine/browse/backlinks.ts';
import type { Operation } from '../operation.ts';

export const recordLinksOperation: Operation<typeof recordLinksInput, typeof recordLinksOutput> = {
  name: 'record-links',
  title: 'List the links to a note',
  description:
    'The links of other notes to a note, with the text around each, page by page. `graph-show` lists what it is connected to otherwise.',
  input: recordLinksInput,
  output: recordLinksOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  listedOnRequest: true,
  examples: [{ title: 'Who links to a note', input: { citation: 'Home/Kitchen remodel.md' } }],
  run: async (context, given) => recordLinks(await context.loci(), given),
};
