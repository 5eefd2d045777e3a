import { formatAge } from '../../core/time/age.ts';
import { upcomingDay } from '../../core/time/calendar.ts';
import type { LociRecord, Timestamp } from '../../core/types.ts';
import type { EngineContext } from '../context.ts';
import { ownSources } from './source-policies.ts';
import { isStale } from '../refresh/staleness.ts';

/** From which source a record is, and how it stands with it. */
export interface SourceOrigin {
  /** What people call the source, on one line. */
  readonly name: string;
  /** When the source was last read through; `null` where that is not known. */
  readonly refreshedAt: Timestamp | null;
  /** Whether it should have been read again since. */
  readonly stale: boolean;
  /** Whether it is done; `null` for what cannot be. */
  readonly completed: boolean | null;
  readonly url: string | null;
  /** `From Google Tasks · due tomorrow · 3 min ago` */
  readonly line: string;
}

type SourcedRecord = Pick<LociRecord, 'origin' | 'source' | 'recordType' | 'createdAt' | 'metadata'>;

/** What breaks a line, or turns the direction in which it is read. */
const BREAKS = /[\s\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** Of each record; `null` for what no source brought. */
export async function sourceOrigins(
  context: EngineContext,
  records: readonly SourcedRecord[],
): Promise<(SourceOrigin | null)[]> {
  if (!records.some(({ origin }) => origin === 'source')) return records.map(() => null);
  const states = await context.store.sourceStates(context.namespace);
  const { sources } = await ownSources(context);
  const configured = new Map(sources.map((source) => [source.id, source]));
  const now = context.now();
  return records.map((record) => {
    if (record.origin !== 'source') return null;
    const state = states.get(record.source);
    const settings = configured.get(record.source);
    // Of a source that the settings do not name nobody knows how often it should be read.
    const stale = state !== undefined && isStale(state, settings?.refreshInterval ?? Infinity, now);
    const refreshedAt = state?.readAt ?? null;
    return sourceOrigin(record, { name: settings?.name ?? record.source, refreshedAt, stale }, now);
  });
}

function sourceOrigin(
  record: Omit<SourcedRecord, 'origin' | 'source'>,
  source: Pick<SourceOrigin, 'name' | 'refreshedAt' | 'stale'>,
  now: Timestamp,
): SourceOrigin {
  const { completed, url } = record.metadata;
  const known = {
    ...source,
    name: onOneLine(source.name),
    completed: typeof completed === 'boolean' ? completed : null,
    url: typeof url === 'string' && url !== '' ? url : null,
  };
  return { ...known, line: lineOf(record, known, now) };
}

function lineOf(
  { recordType, createdAt, metadata }: Omit<SourcedRecord, 'origin' | 'source'>,
  { name, refreshedAt, stale, completed }: Omit<SourceOrigin, 'line'>,
  now: Timestamp,
): string {
  // What parts the line is no part of a name, or a name could say what Loci says.
  const parts = [`From ${name.replaceAll('·', '-')}`];
  const undated = metadata['undated'] === true;
  const ahead = completed === true || undated ? null : upcomingDay(createdAt, now);
  if (completed === true) parts.push('done');
  // When Loci first saw a todo is no day that it is of.
  else if (undated && recordType === 'task') parts.push('no date');
  else if (ahead === null) parts.push(formatAge(createdAt, now));
  else if (recordType === 'task') parts.push(`due ${ahead.day}`);
  else parts.push(ahead.clock === null ? ahead.day : `${ahead.day} ${ahead.clock}`);
  if (refreshedAt === null) return parts.join(' · ');
  const age = formatAge(Math.min(refreshedAt, now), now);
  const read = spaced(age);
  if (stale) parts.push(`stale (${age === 'just now' ? 'less than a minute' : read.replace(/ ago$/, '')})`);
  // Beside the age of the document it would pass for another one.
  else parts.push(completed !== true && ahead === null ? `read ${read}` : read);
  return parts.join(' · ');
}

/** `3 min ago` of `3min ago`. */
function spaced(age: string): string {
  return age.replace(/^(\d+)/, '$1 ');
}

function onOneLine(name: string): string {
  return name.replaceAll(BREAKS, ' ').trim();
}
