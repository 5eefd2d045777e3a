import { z } from 'zod';
import { TRUST } from '../../core/types.ts';
import type { RecordFilter } from '../../store/model.ts';
import type { EngineContext } from '../context.ts';
import { filterValue, recordFilters, storeFilters } from '../fields/record-fields.ts';
import { timeBound } from '../fields/time-bound.ts';
import { visibleFilter } from '../reading/configured/source-policies.ts';

/** A path of a note, its vault and its lines. */
const MAX_CITATION_LENGTH = 5000;

export const citationField = () =>
  z
    .string()
    .min(1)
    .max(MAX_CITATION_LENGTH)
    .describe('The record, as `get` reads it: `record/12`, or the path or name of a note.');

/** What tables, counts and histograms of records are limited by. */
export const selectionFields = () => ({
  ...recordFilters(),
  project: filterValue().exactOptional().describe('Only records of this project.'),
  category: filterValue().exactOptional().describe('Only records of this category.'),
  record_type: filterValue().exactOptional().describe('Only records of this type.'),
  trust: z
    .array(z.enum(TRUST))
    .max(TRUST.length)
    .exactOptional()
    .describe('Only records for whose text one of these is responsible: operator, agent, external.'),
  from: timeBound('from')
    .exactOptional()
    .describe('Only from this day or time on, by their place in the timeline.'),
  until: timeBound('until').exactOptional().describe('Only up to this day or time.'),
});

export type Selection = z.infer<z.ZodObject<ReturnType<typeof selectionFields>>>;

/** The records that a caller selects and may see. */
export async function selectedRecords(context: EngineContext, given: Selection): Promise<RecordFilter> {
  const { category, record_type, from, until, ...rest } = given;
  const filter = {
    ...storeFilters(rest),
    ...(category !== undefined && { categories: [category] }),
    ...(record_type !== undefined && { recordTypes: [record_type] }),
    ...(from !== undefined && { timedFrom: from }),
    ...(until !== undefined && { timedUntil: until }),
  };
  return visibleFilter(context, filter);
}
