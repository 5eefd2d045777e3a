import {
  recordHistogram,
  recordHistogramInput,
  recordHistogramOutput,
} from '../../engine/browse/record-facets.ts';
import type { Operation } from '../operation.ts';

export const recordHistogramOperation: Operation<typeof recordHistogramInput, typeof recordHistogramOutput> =
  {
    name: 'record-histogram',
    title: 'Count records by time',
    description: 'How many records each source has in each day, week, month or year, by their own dates.',
    input: recordHistogramInput,
    output: recordHistogramOutput,
    readOnly: true,
    destructive: false,
    idempotent: true,
    scope: 'read',
    listedOnRequest: true,
    examples: [
      { title: 'Everything', input: {} },
      { title: 'A year by weeks', input: { from: '2026', until: '2026', unit: 'week' } },
    ],
    run: async (context, given) => recordHistogram(await context.loci(), given),
  };
