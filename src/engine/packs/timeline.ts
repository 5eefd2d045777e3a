import { z } from 'zod';
import { LociError } from '../../core/errors.ts';
import { dayText, isOfWholeDay } from '../../core/time/whole-day.ts';
import { type LociRecord, ORIGINS, type Timestamp, TRUST } from '../../core/types.ts';
import { fitTimeline, plainLine, type TimelineLine, type TimelineLines } from '../../pack/timeline-text.ts';
import { loadTokenCounter } from '../../pack/tokens.ts';
import { TextMask } from '../../secrets/detect.ts';
import { dayOf, isUndatedNote } from '../../store/rules/record-time.ts';
import type { RecordHeader } from '../../store/search-model.ts';
import type { TimedRecord, TimelineRecords } from '../../store/model.ts';
import type { EngineContext } from '../context.ts';
import { filterTags, filterValue, filterValues } from '../fields/record-fields.ts';
import { timeBound } from '../fields/time-bound.ts';
import { timelineTime } from '../fields/times.ts';
import { expire } from '../shared/retention.ts';
import { wholeCitations } from '../shared/citations.ts';
import { resolveCitation } from '../records/citations/resolve-citation.ts';
import { NO_DATE } from '../records/results/record-age.ts';
import { excludeSources, sourcesHiddenFrom } from '../reading/configured/source-policies.ts';

const DEFAULT_SIDE = 10;
const MAX_SIDE = 200;
const DEFAULT_BUDGET = 1000;
const MIN_BUDGET = 50;
const MAX_BUDGET = 20_000;
const MAX_CITATION_LENGTH = 5000;

const side = (where: string) =>
  z
    .number()
    .int()
    .min(0)
    .max(MAX_SIDE)
    .exactOptional()
    .describe(`How many records ${where} it; ${String(DEFAULT_SIDE)} by default.`);

export const timelineInput = z.strictObject({
  anchor: z
    .string()
    .min(1)
    .max(MAX_CITATION_LENGTH)
    .exactOptional()
    .describe('The record in the middle, as `get` reads it.'),
  time: timeBound('from')
    .exactOptional()
    .describe('The moment in the middle instead: 2026-09-14, last week, a time in ISO 8601; now by default.'),
  before: side('before'),
  after: side('after'),
  budget: z
    .number()
    .int()
    .min(MIN_BUDGET)
    .max(MAX_BUDGET)
    .exactOptional()
    .describe(`Length of the text in tokens; ${String(DEFAULT_BUDGET)} by default.`),
  project: filterValue().exactOptional().describe('Only records of this project.'),
  // Shorter than in `search`, which a model reads too.
  origins: z
    .array(z.enum(ORIGINS))
    .max(ORIGINS.length)
    .exactOptional()
    .describe('Only from these: memory, fact, vault, source, audit.'),
  sources: filterValues().exactOptional().describe('Only from these vaults, sources or surfaces.'),
  tags: filterTags().exactOptional().describe('Only with all of these tags.'),
});

const entry = z.strictObject({
  position: z.enum(['before', 'anchor', 'after']),
  when: z.string().describe('The day, or the day and time, in the time zone of this machine.'),
  time: z.iso
    .datetime()
    .nullable()
    .describe(
      'Its own date (of a note, an event, a todo), else its last update; null for a note without a date.',
    ),
  title: z.string().describe('Its title; for a record without one, the beginning of its text.'),
  citation: z.string().describe('What `get` reads.'),
  origin: z.enum(ORIGINS),
  source: z.string().describe('The vault, source or surface that the record comes from.'),
  trust: z.enum(TRUST).describe('Who is responsible for the text: operator, agent or external.'),
  project: z.string(),
  record_type: z.string(),
});

export const timelineOutput = z.strictObject({
  time: z.iso.datetime().nullable().describe('The moment in the middle; null for a note without a date.'),
  entries: z.array(entry).describe('Oldest first.'),
  more_before: z.boolean().describe('Whether there are older records.'),
  more_after: z.boolean().describe('Whether there are newer records.'),
  budget: z.strictObject({
    tokens: z.number().int().describe('The most tokens that the text may have.'),
    used: z.number().int().describe('The tokens of the text, as a model receives it.'),
  }),
});
export type TimelineOutput = z.infer<typeof timelineOutput>;

/**
 * The records before and after a record or a moment, in order (G12). Records of hidden sources are left out, as in a list, and
 * are no anchors.
 * @throws LociError `invalid_input` for an anchor together with a time; `not_found`, `ambiguous` for the anchor
 */
export async function timeline(
  context: EngineContext,
  given: z.infer<typeof timelineInput>,
): Promise<TimelineOutput> {
  const {
    anchor,
    time,
    before = DEFAULT_SIDE,
    after = DEFAULT_SIDE,
    budget = DEFAULT_BUDGET,
    tags,
    ...rest
  } = given;
  const filter = { ...rest, ...(tags !== undefined && { tags }) };
  if (anchor !== undefined && time !== undefined)
    throw new LociError('invalid_input', 'a timeline is around a record or a moment, not both', {
      hint: 'Leave out `anchor` or `time`.',
    });
  await expire(context);
  const now = context.now();
  const middle = time ?? now;
  const hidden = await sourcesHiddenFrom(context, filter);
  const around = anchor === undefined ? { time: middle } : { record: await idOf(context, anchor, hidden) };
  const visible = excludeSources(filter, hidden);
  // One record more tells whether there are further ones.
  const [found, count] = await Promise.all([
    context.store.records.timeline(context.namespace, {
      filter: { ...visible, now },
      around,
      before: before + 1,
      after: after + 1,
    }),
    loadTokenCounter(),
  ]);
  const lines = await entriesOf(context, found, { before, after });
  const { lines: fitted, tokens } = fitTimeline(lines, budget, count);
  const shown = [
    ...fitted.before.toReversed(),
    ...(fitted.anchor === null ? [] : [fitted.anchor]),
    ...fitted.after,
  ];
  return {
    time: timelineTime(found.anchor?.at ?? middle),
    entries: shown.map(({ from: _, ...each }) => each),
    more_before: fitted.moreBefore,
    more_after: fitted.moreAfter,
    budget: { tokens: budget, used: tokens },
  };
}

async function idOf(context: EngineContext, citation: string, hidden: readonly string[]): Promise<number> {
  const { record } = await resolveCitation(context, citation, hidden);
  return record.id;
}

type Entry = TimelineLine & TimelineOutput['entries'][number];

async function entriesOf(
  context: EngineContext,
  found: TimelineRecords,
  limits: { readonly before: number; readonly after: number },
): Promise<TimelineLines<Entry>> {
  const before = found.before.slice(0, limits.before);
  const after = found.after.slice(0, limits.after);
  const timed = [...before, ...(found.anchor === null ? [] : [found.anchor]), ...after];
  const records = timed.map(({ record }) => record);
  const [citations, contents] = await Promise.all([
    wholeCitations(context, records),
    untitledContents(context, records),
  ]);
  const mask = new TextMask(context.thread);
  const start = before.length + (found.anchor === null ? 0 : 1);
  const entries = await Promise.all(
    timed.map(async (each, i): Promise<Entry> => ({
      position: i < before.length ? 'before' : i < start ? 'anchor' : 'after',
      ...(await entryOf(each, citations[i]!, contents, mask)),
    })),
  );
  return {
    before: entries.slice(0, before.length),
    anchor: found.anchor === null ? null : entries[before.length]!,
    after: entries.slice(start),
    moreBefore: found.before.length > before.length,
    moreAfter: found.after.length > after.length,
  };
}

/** The texts of the records that have no title, by id. */
async function untitledContents(
  { store, namespace, now }: EngineContext,
  records: readonly RecordHeader[],
): Promise<ReadonlyMap<number, LociRecord>> {
  const ids = records.filter(({ title }) => title === '').map(({ id }) => id);
  const whole = ids.length === 0 ? [] : await store.records.get(namespace, ids, { liveAt: now() });
  return new Map(whole.map((record) => [record.id, record]));
}

/** UTF-16 code units of a text without a title that are looked at. */
const MAX_FIRST_LINE = 500;

/** Credentials are masked before a line is cut out of a text: part of one is not recognised. */
async function entryOf(
  { at, record }: TimedRecord,
  citation: string,
  contents: ReadonlyMap<number, LociRecord>,
  mask: TextMask,
): Promise<Omit<Entry, 'position'>> {
  const start = contents.get(record.id)?.content.trimStart().slice(0, MAX_FIRST_LINE) ?? '';
  const [title, text] = await mask.texts([record.title, start]);
  const path = plainLine(citation);
  const { origin, source, trust, project, recordType } = record;
  return {
    when: whenOf(at, record),
    time: timelineTime(at),
    title: plainLine(title === '' ? text!.split('\n', 1)[0]! : title!),
    // A path with line breaks or invisible characters would not be found by what a line shows of it.
    citation: path === citation ? citation : `record/${String(record.id)}`,
    from: origin === 'source' ? plainLine(await mask.text(source)) : null,
    origin,
    source,
    trust,
    project,
    record_type: recordType,
  };
}

/** The day of a note or of a time at midnight, otherwise day and time; in the time zone of this machine. */
function whenOf(at: Timestamp, record: RecordHeader): string {
  if (isUndatedNote(record)) return NO_DATE;
  const { origin, metadata } = record;
  const noteDay = origin === 'source' ? null : dayOf(metadata);
  if (noteDay !== null) return noteDay;
  const local = new Date(isOfWholeDay(record) ? record.createdAt : at);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = dayText(local.getTime());
  const time = `${two(local.getHours())}:${two(local.getMinutes())}`;
  return time === '00:00' ? day : `${day} ${time}`;
}
