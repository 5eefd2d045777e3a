import { z } from 'zod';
import { count } from '../../core/number-fields.ts';
import { LociError } from '../../core/errors.ts';
import { SORT_KEYS, type SortKey, type TablePlace, type TableRow } from '../../store/model.ts';
import type { EngineContext } from '../context.ts';
import { isoTime, timelineTime } from '../fields/times.ts';
import { firstLine, listedFields, listedRecord } from '../records/list.ts';
import { wholeCitations } from '../shared/citations.ts';
import { expire } from '../shared/retention.ts';
import { selectedRecords, selectionFields } from './record-selection.ts';
import { limitField } from '../fields/record-fields.ts';

const DEFAULT_LIMIT = 50;
/** A title of a note has no limit of its own. */
const MAX_PLACE_LENGTH = 20_000;

export const recordTableInput = z.strictObject({
  ...selectionFields(),
  deleted: z
    .boolean()
    .exactOptional()
    .describe('Only deleted records, which `undelete` restores. Only the owner sees them.'),
  sort: z
    .enum(SORT_KEYS)
    .exactOptional()
    .describe(
      '`time` (default): the own date of a note, event or todo, else the last update. `updated`: the last update. `title`.',
    ),
  order: z
    .enum(['ascending', 'descending'])
    .exactOptional()
    .describe('Titles ascend unless given, times descend.'),
  limit: limitField(500).describe(`Maximum number of records; ${String(DEFAULT_LIMIT)} unless given.`),
  after: z.string().max(MAX_PLACE_LENGTH).exactOptional().describe('`next` of the previous page.'),
});

export const recordTableOutput = z.strictObject({
  records: z.array(
    listedRecord.extend({
      project: z.string(),
      category: z.string(),
      record_type: z.string(),
      time: z.iso.datetime().nullable().describe('Its time in the timeline; null for a note without a date.'),
      deleted_at: z.iso.datetime().nullable(),
    }),
  ),
  total: count().describe('How many records there are on all pages.'),
  next: z.string().nullable().describe('Where the next page begins; null on the last page.'),
});
export type RecordTableOutput = z.infer<typeof recordTableOutput>;

/** @throws LociError `invalid_input` for a wrong `after`; `forbidden` for deleted records, unless the owner asks */
export async function recordTable(
  context: EngineContext,
  given: z.infer<typeof recordTableInput>,
): Promise<RecordTableOutput> {
  const { deleted = false, sort = 'time', order, limit = DEFAULT_LIMIT, after, ...selection } = given;
  if (deleted && context.caller.trust !== 'operator')
    throw new LociError('forbidden', 'only the owner of the memory may list deleted records');
  await expire(context);
  const { store, namespace } = context;
  const filter = { ...(await selectedRecords(context, selection)), deleted };
  const descending = order === undefined ? sort !== 'title' : order === 'descending';
  const place = after === undefined ? null : placeOf(after, sort);
  // One record more tells whether there is a next page.
  const [found, total] = await Promise.all([
    store.records.table(namespace, { filter, sort, descending }, { after: place, limit: limit + 1 }),
    store.records.count(namespace, filter),
  ]);
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1)?.place : undefined;
  return {
    records: await formatRows(context, rows),
    total,
    next: last === undefined ? null : `${String(last.id)}/${String(last.value)}`,
  };
}

function placeOf(text: string, sort: SortKey): TablePlace {
  const [, id = '', value = ''] = /^(\d{1,15})\/(.*)$/su.exec(text) ?? [];
  const isPlace = id !== '' && (sort === 'title' || /^-?\d{1,16}$/.test(value));
  if (!isPlace)
    throw new LociError('invalid_input', `\`after\` is not the \`next\` of records sorted by ${sort}`);
  return { id: Number(id), value: sort === 'title' ? value : Number(value) };
}

async function formatRows(
  context: EngineContext,
  rows: readonly TableRow[],
): Promise<RecordTableOutput['records']> {
  const records = rows.map(({ record }) => record);
  const untitled = records.filter(({ title }) => title === '').map(({ id }) => id);
  const [citations, contents] = await Promise.all([
    wholeCitations(context, records),
    context.store.records.get(context.namespace, untitled, 'any'),
  ]);
  const firstLines = new Map(contents.map(({ id, content }) => [id, firstLine(content)]));
  return rows.map(({ at, record }, i) => ({
    ...listedFields(record, citations[i]!, firstLines.get(record.id) ?? '', context.now()),
    project: record.project,
    category: record.category,
    record_type: record.recordType,
    time: timelineTime(at),
    deleted_at: record.deletedAt === null ? null : isoTime(record.deletedAt),
  }));
}
