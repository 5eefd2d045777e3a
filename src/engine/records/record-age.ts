import { isJsonMap } from '../../core/json.ts';
import { formatAge } from '../../core/time/age.ts';
import type { LociRecord, Timestamp } from '../../core/types.ts';
import { changedDate } from '../../sources/files/dates.ts';

/**
 * The age of a record as it is shown: since it was created, or since a note says of itself that it was changed. The time of the file
 * does not count, since a synchronisation or a copy changes it. Ranking uses the creation alone.
 */
export function recordAge(
  { createdAt, metadata }: Pick<LociRecord, 'createdAt' | 'metadata'>,
  now: Timestamp,
): string {
  const { frontMatter = null } = metadata;
  const changedAt = isJsonMap(frontMatter) ? changedDate(frontMatter)?.timestamp : undefined;
  const isLater = changedAt !== undefined && changedAt > createdAt && changedAt <= now;
  return formatAge(isLater ? changedAt : createdAt, now);
}
