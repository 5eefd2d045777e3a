import { showRecord, recordShowInput, recordShowOutput } from '../../engine/browse/record-page.ts';
import { recordLinks, recordLinksInput, recordLinksOutput } from '../../engine/browse/backlinks.ts';
import { recordImage, recordImageInput, recordImageOutput } from '../../engine/browse/record-image.ts';
import { recordTable, recordTableInput, recordTableOutput } from '../../engine/browse/record-table.ts';
import {
  recordHistogram,
  recordHistogramInput,
  recordHistogramOutput,
  recordFacets,
  recordFacetsInput,
  recordFacetsOutput,
} from '../../engine/browse/record-facets.ts';
import { operation, withNames } from '../operation.ts';

export const browseOperations = withNames({
  'record-show': operation({
    description:
      'All of a record at once, for a page about it: its text and front matter, its properties, where its links lead, and what changes it. The owner also sees deleted records, and where the file of a note is.',
    input: recordShowInput,
    output: recordShowOutput,
    kind: 'read',
    scope: 'read',
    listedOnRequest: true,
    examples: [
      { title: 'A note and its passages', input: { citation: 'Home/Kitchen remodel.md', passages: true } },
      { title: 'A written record', input: { citation: 'record/1' } },
    ],
    run: async (context, given) => showRecord(await context.loci(), given),
  }),
  'record-links': operation({
    description: 'The links of other notes to a note, with the text around each, page by page.',
    input: recordLinksInput,
    output: recordLinksOutput,
    kind: 'read',
    scope: 'read',
    listedOnRequest: true,
    examples: [{ title: 'Who links to a note', input: { citation: 'Home/Kitchen remodel.md' } }],
    run: async (context, given) => recordLinks(await context.loci(), given),
  }),
  'record-image': operation({
    description:
      'The bytes of an image that a note shows, in Base64: PNG, JPEG, GIF, WebP, AVIF or SVG of at most 10 MB. It is found as Obsidian finds it, and only in the vault of the note.',
    input: recordImageInput,
    output: recordImageOutput,
    kind: 'read',
    scope: 'read',
    // An image is in no index: agents read what the index has.
    local: true,
    onPage: true,
    examples: [
      {
        title: 'An embedded image',
        input: { citation: 'Home/Kitchen remodel.md', target: 'kitchen-plan.svg' },
      },
    ],
    run: async (context, given) => recordImage(await context.loci(), given),
  }),
  'record-table': operation({
    description:
      'Records by their time, their last update or their title, page by page, with all filters. The owner can also list what was deleted and can be restored.',
    input: recordTableInput,
    output: recordTableOutput,
    kind: 'read',
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
  }),
  'record-histogram': operation({
    description: 'How many records each source has in each day, week, month or year, by their own dates.',
    input: recordHistogramInput,
    output: recordHistogramOutput,
    kind: 'read',
    scope: 'read',
    listedOnRequest: true,
    examples: [
      { title: 'Everything', input: {} },
      { title: 'A year by weeks', input: { from: '2026', until: '2026', unit: 'week' } },
    ],
    run: async (context, given) => recordHistogram(await context.loci(), given),
  }),
  'record-facets': operation({
    description:
      'The values that records have in the fields by which they are filtered, with counts: of all records, or of the best results of a query. A field is counted without the filter on itself, except for a query and for tags.',
    input: recordFacetsInput,
    output: recordFacetsOutput,
    kind: 'read',
    scope: 'read',
    listedOnRequest: true,
    examples: [
      { title: 'Of all records', input: {} },
      { title: 'Of the results of a query', input: { query: 'kitchen remodel' } },
    ],
    run: async (context, given) => recordFacets(await context.loci(), given),
  }),
});
