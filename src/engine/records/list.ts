import { z } from 'zod';
import { count } from '../../core/number-fields.ts';
import { abridge } from '../../core/text/abridge.ts';
import { storedTime } from '../../core/time/whole-day.ts';
import { type LociRecord, ORIGINS, type Timestamp, TRUST } from '../../core/types.ts';
import type { RecordHeader, SearchFilter } from '../../store/search-model.ts';
import type { EngineContext } from '../context.ts';
import { MAX_TITLE_LENGTH } from '../fields/limits.ts';
import {
  filterValues,
  nextPage,
  pageStart,
  recordFilters,
  storeFilters,
  limitField,
} from '../fields/record-fields.ts';
import { isoTime } from '../fields/times.ts';
import { expire } from '../shared/retention.ts';
import { visibleFilter } from '../reading/configured/source-policies.ts';
import { wholeCitations } from '../shared/citations.ts';
import { recordAge } from './results/record-age.ts';
import { unmatchedFilter, unmatchedFilters } from './results/why-nothing.ts';

const DEFAULT_LIMIT = 20;

export const listInput = z.strictObject({
  ...recordFilters(),
  vaults: filterValues().exactOptional().describe('Only notes of these vaults.'),
  limit: limitField(500).describe(`Maximum number of records; ${String(DEFAULT_LIMIT)} unless given.`),
  after: pageStart(),
});

export const listedRecord = z.strictObject({
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

export const listOutput = z.strictObject({
  records: z.array(listedRecord).describe('Those that were stored last come first.'),
  total: count().describe('How many records match, on all pages.'),
  next: nextPage(),
  unmatched: z
    .array(unmatchedFilter)
    .describe('When no records match: the values of filters that no record has.'),
});
export type ListOutput = z.infer<typeof listOutput>;

/**
 * The caller's records, the last stored first. Disabled vaults and sources are left out. For an agent that names no sources,
 * those are left out too that the settings keep out of its context.
 */
export async function listRecords(
  context: EngineContext,
  { limit = DEFAULT_LIMIT, after, ...given }: z.infer<typeof listInput>,
): Promise<ListOutput> {
  await expire(context);
  const { store, namespace } = context;
  const requested = filterOf(given);
  const filter = await visibleFilter(context, requested);
  const records: LociRecord[] = [];
  let page: LociRecord[] = [];
  // Pages of long contents are shorter than their limit. One record more tells whether there is a next page.
  do {
    page = await store.records.list(
      namespace,
      { filter },
      { after: records.at(-1)?.id ?? after ?? null, limit: limit + 1 - records.length },
    );
    records.push(...page);
  } while (page.length > 0 && records.length <= limit);
  const listed = records.slice(0, limit);
  const [citations, total] = await Promise.all([
    wholeCitations(context, listed),
    store.records.count(namespace, filter),
  ]);
  return {
    records: listed.map((record, i) =>
      listedFields(record, citations[i]!, firstLine(record.content), filter.now),
    ),
    total,
    next: records.length > limit ? listed.at(-1)!.id : null,
    unmatched: total > 0 ? [] : await unmatchedFilters(context, requested),
  };
}

/** @param untitled the title of a record that has none */
export function listedFields(
  record: RecordHeader,
  citation: string,
  untitled: string,
  now: Timestamp,
): z.infer<typeof listedRecord> {
  return {
    id: record.id,
    citation,
    title: record.title === '' ? untitled : record.title,
    origin: record.origin,
    source: record.source,
    trust: record.trust,
    tags: [...record.tags],
    created_at: isoTime(storedTime(record)),
    updated_at: isoTime(record.updatedAt),
    age: recordAge(record, now),
  };
}

function filterOf({
  origins,
  vaults,
  sources,
  ...others
}: Omit<z.infer<typeof listInput>, 'limit' | 'after'>): Omit<SearchFilter, 'now'> {
  const inVaults =
    vaults === undefined ? undefined : (origins ?? ['vault']).filter((origin) => origin === 'vault');
  const named = vaults === undefined ? sources : vaults.filter((vault) => sources?.includes(vault) ?? true);
  const chosen = inVaults ?? origins;
  return {
    ...storeFilters(others),
    ...(chosen !== undefined && { origins: chosen }),
    ...(named !== undefined && { sources: named }),
  };
}

export function firstLine(text: string): string {
  return abridge(text.trimStart().split('\n', 1)[0]!, MAX_TITLE_LENGTH);
}
