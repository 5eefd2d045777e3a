import { z } from 'zod';
import { abridge } from '../../core/text/abridge.ts';
import { storedTime } from '../../core/time/whole-day.ts';
import { ORIGINS, TRUST } from '../../core/types.ts';
import { MAX_TITLE_LENGTH } from '../../engine/fields/limits.ts';
import { listRecords, type ListRequest } from '../../engine/records/list.ts';
import type { Operation } from '../operation.ts';
import { filterValues, nextPage, pageStart, recordFilters } from '../../engine/fields/record-fields.ts';
import { isoTime } from '../../engine/fields/times.ts';
import { unmatchedFilter, unmatchedFilters } from './unmatched-filters.ts';

const DEFAULT_LIMIT = 20;

const input = z.strictObject({
  ...recordFilters(),
  vaults: filterValues().exactOptional().describe('Only notes of these vaults.'),
  limit: z
    .number()
    .int()
    .min(1)
    .max(500)
    .exactOptional()
    .describe(`Maximum number of records; ${String(DEFAULT_LIMIT)} unless given.`),
  after: pageStart(),
});
type ListInput = z.infer<typeof input>;

const listedRecord = z.strictObject({
  id: z.number().int().positive().describe('Number of the record in its namespace.'),
  citation: z.string().describe('What `get` reads.'),
  title: z.string().describe('Its title; for a record without one, the first line of its text.'),
  origin: z.enum(ORIGINS),
  source: z.string().describe('The vault, source or surface that the record comes from.'),
  trust: z.enum(TRUST).describe('Who is responsible for the text: operator, agent or external.'),
  tags: z.array(z.string()),
  created_at: z.iso.datetime().describe('When it was created; for a note, its date.'),
  updated_at: z.iso.datetime(),
  age: z.string(),
});

const output = z.strictObject({
  records: z.array(listedRecord).describe('Those that were stored last come first.'),
  total: z.number().int().nonnegative().describe('How many records match, on all pages.'),
  next: nextPage(),
  unmatched: z
    .array(unmatchedFilter)
    .describe('When no records match: the values of filters that no record has.'),
});
export type ListOutput = z.infer<typeof output>;

export const listOperation: Operation<typeof input, typeof output> = {
  name: 'list',
  title: 'List records',
  description:
    'Lists records without a query: notes, documents of sources, facts and written records. Those that were stored last ' +
    'come first; notes are stored in the order in which they were indexed.',
  input,
  output,
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
  run: async (context, given) => {
    const loci = await context.loci();
    const filter = filterOf(given);
    const { limit = DEFAULT_LIMIT, after } = given;
    const page = await listRecords(loci, { ...filter, limit, ...(after !== undefined && { after }) });
    return {
      records: page.records.map(({ record, citation, age }) => ({
        id: record.id,
        citation,
        title: record.title === '' ? firstLine(record.content) : record.title,
        origin: record.origin,
        source: record.source,
        trust: record.trust,
        tags: [...record.tags],
        created_at: isoTime(storedTime(record)),
        updated_at: isoTime(record.updatedAt),
        age,
      })),
      total: page.total,
      next: page.next,
      unmatched: page.total > 0 ? [] : await unmatchedFilters(loci, filter),
    };
  },
};

type Filter = Pick<ListRequest, 'origins' | 'sources' | 'tags'>;

function filterOf({ origins, vaults, sources, tags }: ListInput): Filter {
  const inVaults =
    vaults === undefined ? undefined : (origins ?? ['vault']).filter((origin) => origin === 'vault');
  const named = vaults === undefined ? sources : vaults.filter((vault) => sources?.includes(vault) ?? true);
  const chosen = inVaults ?? origins;
  return {
    ...(chosen !== undefined && { origins: chosen }),
    ...(named !== undefined && { sources: named }),
    ...(tags !== undefined && { tags: tags.map((tag) => tag.replaceAll(/^#|\/+$/g, '')) }),
  };
}

function firstLine(text: string): string {
  return abridge(text.trimStart().split('\n', 1)[0]!, MAX_TITLE_LENGTH);
}
