import { LociError } from '../../core/errors.ts';
import { dayText, isOfWholeDay } from '../../core/time/whole-day.ts';
import type { LociRecord, Timestamp } from '../../core/types.ts';
import { fitTimeline, plainLine, type TimelineLine } from '../../pack/timeline-text.ts';
import { loadTokenCounter } from '../../pack/tokens.ts';
import { TextMask } from '../../secrets/text-mask.ts';
import { dayOf } from '../../store/rules/record-time.ts';
import type { RecordHeader, SearchFilter } from '../../store/search-model.ts';
import type { TimedRecord, TimelineRecords } from '../../store/model.ts';
import type { EngineContext } from '../context.ts';
import { expire } from '../shared/retention.ts';
import { wholeCitations } from '../shared/citations.ts';
import { resolveCitation } from '../records/citations/resolve-citation.ts';
import { excludeSources, sourcesHiddenFrom } from '../reading/configured/source-policies.ts';

export interface TimelineRequest extends Omit<SearchFilter, 'now' | 'from' | 'until' | 'excludedSources'> {
  /** A citation; the records around this one are read. */
  readonly anchor?: string;
  /** The records around this moment are read; around now if there is no anchor either. */
  readonly time?: Timestamp;
  /** Maximum numbers of records. */
  readonly before: number;
  readonly after: number;
  /** The most tokens that the text may have. */
  readonly budgetTokens: number;
}

export interface TimelineEntry extends TimelineLine {
  readonly record: RecordHeader;
  readonly time: Timestamp;
}

export interface TimelineResponse {
  /** The moment in the middle: that of the anchor, or of the request. */
  readonly time: Timestamp;
  /** Oldest first. */
  readonly before: readonly TimelineEntry[];
  /** `null` around a moment, and if the budget is too small even for this line. */
  readonly anchor: TimelineEntry | null;
  readonly after: readonly TimelineEntry[];
  /** Whether there are further records, on each side. */
  readonly moreBefore: boolean;
  readonly moreAfter: boolean;
  /** For a model: one line for each record, within the budget. */
  readonly text: string;
  readonly tokens: number;
}

/**
 * The records before and after a record or a moment, in order (G12). Records of hidden sources are left out, as in a list, and
 * are no anchors.
 * @throws LociError `invalid_input` for an anchor together with a time; `not_found`, `ambiguous` for the anchor
 */
export async function timeline(context: EngineContext, request: TimelineRequest): Promise<TimelineResponse> {
  const { anchor, time, before, after, budgetTokens, ...filter } = request;
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
  const fitted = fitTimeline(lines, budgetTokens, count);
  return {
    time: found.anchor?.at ?? middle,
    before: lines.before.slice(0, fitted.lines.before.length).toReversed(),
    anchor: fitted.lines.anchor === null ? null : lines.anchor,
    after: lines.after.slice(0, fitted.lines.after.length),
    moreBefore: fitted.lines.moreBefore,
    moreAfter: fitted.lines.moreAfter,
    text: fitted.text,
    tokens: fitted.tokens,
  };
}

async function idOf(context: EngineContext, citation: string, hidden: readonly string[]): Promise<number> {
  const { record } = await resolveCitation(context, citation, hidden);
  return record.id;
}

interface Entries {
  readonly before: readonly TimelineEntry[];
  readonly anchor: TimelineEntry | null;
  readonly after: readonly TimelineEntry[];
  readonly moreBefore: boolean;
  readonly moreAfter: boolean;
}

async function entriesOf(
  context: EngineContext,
  found: TimelineRecords,
  limits: { readonly before: number; readonly after: number },
): Promise<Entries> {
  const before = found.before.slice(0, limits.before);
  const after = found.after.slice(0, limits.after);
  const timed = [...before, ...(found.anchor === null ? [] : [found.anchor]), ...after];
  const records = timed.map(({ record }) => record);
  const [citations, contents] = await Promise.all([
    wholeCitations(context, records),
    untitledContents(context, records),
  ]);
  const mask = new TextMask(context.thread);
  const entries = await Promise.all(timed.map((each, i) => entryOf(each, citations[i]!, contents, mask)));
  const start = before.length + (found.anchor === null ? 0 : 1);
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
): Promise<TimelineEntry> {
  const start = contents.get(record.id)?.content.trimStart().slice(0, MAX_FIRST_LINE) ?? '';
  const [title, text] = await mask.texts([record.title, start]);
  const path = plainLine(citation);
  return {
    record,
    time: at,
    when: whenOf(at, record),
    title: plainLine(title === '' ? text!.split('\n', 1)[0]! : title!),
    from: record.origin === 'source' ? plainLine(await mask.text(record.source)) : null,
    // A path with line breaks or invisible characters would not be found by what a line shows of it.
    citation: path === citation ? citation : `record/${String(record.id)}`,
  };
}

/** The day of a note or of a time at midnight, otherwise day and time; in the time zone of this machine. */
function whenOf(at: Timestamp, record: RecordHeader): string {
  const { origin, metadata } = record;
  const noteDay = origin === 'source' ? null : dayOf(metadata);
  if (noteDay !== null) return noteDay;
  const local = new Date(isOfWholeDay(record) ? record.createdAt : at);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = dayText(local.getTime());
  const time = `${two(local.getHours())}:${two(local.getMinutes())}`;
  return time === '00:00' ? day : `${day} ${time}`;
}
