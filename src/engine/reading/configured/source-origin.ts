import { formatAge } from '../../../core/time/age.ts';
import { upcomingDay } from '../../../core/time/calendar.ts';
import type { LociRecord, Timestamp } from '../../../core/types.ts';
import type { EngineContext } from '../../context.ts';
import { sourcesOfNamespace } from './source-policies.ts';
import { isStale } from './schedule.ts';
import { sourceStates } from '../../../store/items/kinds.ts';

/** The source of a record, and how current the record is. */
export interface SourceOrigin {
  /** The display name of the source, on one line. */
  readonly name: string;
  /** When the source was last read; `null` when unknown. */
  readonly refreshedAt: Timestamp | null;
  /** Whether the source has missed refreshes since. */
  readonly stale: boolean;
  /** Whether the item is completed; `null` for records that cannot be. */
  readonly completed: boolean | null;
  readonly url: string | null;
  /** `From Google Tasks · due tomorrow · 3 min ago` */
  readonly line: string;
}

type SourcedRecord = Pick<LociRecord, 'origin' | 'source' | 'recordType' | 'createdAt' | 'metadata'>;

/** Whitespace, control characters and marks that change the direction of text. */
const BREAKS = /[\s\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** One for each record; `null` for a record that is not of a source. */
export async function sourceOrigins(
  context: EngineContext,
  records: readonly SourcedRecord[],
): Promise<(SourceOrigin | null)[]> {
  if (!records.some(({ origin }) => origin === 'source')) return records.map(() => null);
  const states = await sourceStates(context.store.records, context.namespace);
  const { sources, conversations } = await sourcesOfNamespace(context);
  const configured = new Map([...sources, ...conversations].map((source) => [source.id, source]));
  const now = context.now();
  return records.map((record) => {
    if (record.origin !== 'source') return null;
    const state = states.get(record.source);
    const settings = configured.get(record.source);
    // The interval of a source that is no longer in the settings is unknown.
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
  const origin = {
    ...source,
    name: source.name.replaceAll(BREAKS, ' ').trim(),
    completed: typeof completed === 'boolean' ? completed : null,
    url: typeof url === 'string' && url !== '' ? url : null,
  };
  return { ...origin, line: lineOf(record, origin, now) };
}

function lineOf(
  { recordType, createdAt, metadata }: Omit<SourcedRecord, 'origin' | 'source'>,
  { name, refreshedAt, stale, completed }: Omit<SourceOrigin, 'line'>,
  now: Timestamp,
): string {
  // A name must not contain the separator, or it could imitate the other parts of the line.
  const parts = [`From ${name.replaceAll('·', '-')}`];
  const undated = metadata['undated'] === true;
  const ahead = completed === true || undated ? null : upcomingDay(createdAt, now);
  if (completed === true) parts.push('done');
  // The creation time of an undated todo is only when Loci first saw it.
  else if (undated && recordType === 'task') parts.push('no date');
  else if (ahead === null)
    parts.push(`${recordType === 'task' ? 'was due ' : ''}${formatAge(createdAt, now)}`);
  else if (recordType === 'task') parts.push(`due ${ahead.day}`);
  else parts.push(ahead.time === null ? ahead.day : `${ahead.day} ${ahead.time}`);
  if (refreshedAt === null) return parts.join(' · ');
  const age = formatAge(Math.min(refreshedAt, now), now);
  const read = spaced(age);
  if (stale) parts.push(`stale (${age === 'just now' ? 'less than a minute' : read.replace(/ ago$/, '')})`);
  // Without `read`, it would look like a second age of the document.
  else parts.push(completed !== true && ahead === null ? `read ${read}` : read);
  return parts.join(' · ');
}

/** `3 min ago` of `3min ago`. */
function spaced(age: string): string {
  return age.replace(/^(\d+)/, '$1 ');
}
