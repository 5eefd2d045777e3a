import { recordFacets, recordFacetsInput, recordFacetsOutput } from '../../engine/browse/record-facets.ts';
import type { Operation } from '../operation.ts';

export const recordFacetsOperation: Operation<typeof recordFacetsInput, typeof recordFacetsOutput> = {
  name: 'record-facets',
  title: 'Count the values of filters',
  description:
    'The values that records have in the fields by which they are filtered, with counts: of all records, or of the best results of a query. A field is counted without the filter on itself, except for a query and for tags.',
  input: recordFacetsInput,
  output: recordFacetsOutput,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  listedOnRequest: true,
  examples: [
    { title: 'Of all records', input: {} },
    { title: 'Of the results of a query', input: { query: 'kitchen remodel' } },
  ],
  run: async (context, given) => recordFacets(await context.loci(), given),
};
