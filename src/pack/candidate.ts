import { dayText } from '../core/time/whole-day.ts';
import type { LociRecord, Passage, Span } from '../core/types.ts';
import { trueUntil, validUntil, type LaterRecord } from '../core/valid-until.ts';
import { modifiedDate } from '../sources/dates/note-dates.ts';
import type { ComparedPassage } from '../store/search-model.ts';
import type { Exclusion, ReceiptCandidate } from './receipt.ts';

/** What a lane has found: a record, the passage that made it a candidate, and how good it is. */
export interface Candidate {
  readonly record: PackRecord;
  readonly passage: Pick<Passage, 'ordinal' | 'text' | 'startLine' | 'endLine'>;
  /** The probability that it is what the query asks for, 0 to 1. */
  readonly score: number;
  /** Its place in the ranking of the search: its score as a share of the best. */
  readonly relevance: number;
  /** Its passages by ordinal, with their nearness to the query; empty without vectors. */
  readonly passages: readonly ComparedPassage[];
  /** The lane that found it first. */
  readonly lane: string;
  readonly path: ReceiptCandidate['path'];
  /** How that path leads to it, in words of ours and citations: `linked from Quotes.md#L3-L3`. `null` for a direct result. */
  readonly via: string | null;
  /** The citation of the whole record, which `memory_get` accepts. */
  readonly citation: string;
  /** The latest better candidate that says the same. */
  readonly later?: LaterRecord;
  /** Why it cannot be in the pack, whatever the budget; `null` if it can. */
  readonly excluded: Exclusion | null;
  /** Credentials in the content, in order and without overlaps. */
  readonly secrets: readonly Span[];
}

export type PackRecord = Pick<
  LociRecord,
  | 'id'
  | 'uuid'
  | 'origin'
  | 'source'
  | 'project'
  | 'trust'
  | 'title'
  | 'content'
  | 'contentHash'
  | 'metadata'
  | 'key'
  | 'recordType'
> &
  Partial<Pick<LociRecord, 'createdAt'>>;

/**
 * What a reader must know of a record beside its text: whether a task of a source is done, or when it is due, or when an event is; and
 * until when a captured fact was true.
 * `null` if there is nothing to say.
 */
export function documentState(record: PackRecord): string | null {
  const { origin, metadata, createdAt } = record;
  const until = validUntil(record);
  if (until !== null) return trueUntil(until);
  if (origin !== 'source') return null;
  const { completed, undated } = metadata;
  if (completed === true) return 'done';
  const day = undated === true || createdAt === undefined ? null : dayText(createdAt);
  if (completed === false) return day === null ? 'open' : `open, due ${day}`;
  return day;
}

/** A date at the beginning of a value of metadata. */
const DAY = /^\d{4}-\d{2}-\d{2}/;

/**
 * The day that a reader needs to judge a text: the day that it is about, such as that of an event or a daily note; else the day on which
 * its front matter says that it was changed or created. `null` if it has none.
 */
export function shownDay({ metadata }: Pick<PackRecord, 'metadata'>): string | null {
  const { date, created } = metadata;
  const day = typeof date === 'string' && DAY.test(date) ? date.slice(0, 10) : null;
  const changed = modifiedDate(metadata)?.day ?? null;
  const isOfCreation = day === null || created === day;
  return isOfCreation && changed !== null && changed > (day ?? '') ? changed : day;
}

/**
 * Where a passage is in the content of its record. A passage whose text is not in its lines as it stands (front matter, a record that has
 * changed since) is these lines.
 */
export function passageSpan(content: string, { text, startLine, endLine }: Candidate['passage']): Span {
  const start = startOfLine(content, startLine);
  const next = startOfLine(content, endLine + 1);
  const at = text.trim() === '' ? -1 : content.indexOf(text.trim(), start);
  if (at >= 0 && at < Math.max(next, start + 1)) return { start: at, end: at + text.trim().length };
  return { start, end: next };
}

/** The offset of the first character of a line, from 1; the length of the text for a line after the last. */
function startOfLine(text: string, line: number): number {
  let at = 0;
  for (let n = 1; n < line; n++) {
    const end = text.indexOf('\n', at);
    if (end < 0) return text.length;
    at = end + 1;
  }
  return at;
}
