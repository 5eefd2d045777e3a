import { CREATED_FIELDS } from '../../core/time/created-fields.ts';
import { isJsonMap } from '../../core/json.ts';
import type { Json, Timestamp } from '../../core/types.ts';
import type { RecordHeader } from '../search-model.ts';

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * The time of a record in the timeline: its own date if it has one (the day of a note, the start of an event, the day on which a
 * todo is due), otherwise its last update. Does not depend on the time zone, so that the order is the same on every machine.
 */
export function recordTime({
  origin,
  metadata,
  createdAt,
  updatedAt,
}: Pick<RecordHeader, 'origin' | 'metadata' | 'createdAt' | 'updatedAt'>): Timestamp {
  if (origin === 'source') return metadata['undated'] === true ? updatedAt : createdAt;
  const { date, frontMatter } = metadata;
  if (typeof date !== 'string' || !DAY.test(date)) return updatedAt;
  // Noon in UTC is on the same day in nearly all time zones.
  const noon = Date.parse(`${date}T12:00Z`);
  if (Number.isNaN(noon)) return updatedAt;
  return isDatedTwice(frontMatter) ? noon : createdAt;
}

/** Whether the front matter has both the day that the note is about and the time of its creation, which `createdAt` is then. */
function isDatedTwice(frontMatter: Json | undefined): boolean {
  if (!isJsonMap(frontMatter)) return false;
  return (
    typeof frontMatter['date'] === 'string' &&
    CREATED_FIELDS.some((field) => typeof frontMatter[field] === 'string')
  );
}
