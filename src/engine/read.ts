import { ageOf } from '../core/age.ts';
import type { LociRecord } from '../core/types.ts';
import { resolveCitation, type LineRange } from './citation.ts';
import type { EngineContext } from './context.ts';
import { linksOf, type NoteLink } from './links.ts';

export interface ReadRecord {
  readonly record: LociRecord;
  /** The whole content, or the lines asked for. */
  readonly text: string;
  /** Which lines `text` is, from 1, inclusive. */
  readonly lines: LineRange;
  readonly totalLines: number;
  readonly age: string;
  /** What it links to, if it is a note. */
  readonly links: readonly NoteLink[];
}

/** @throws LociError `not_found`, `ambiguous` */
export async function read(context: EngineContext, citation: string): Promise<ReadRecord> {
  const { record, lines } = await resolveCitation(context, citation);
  const all = record.content.split('\n');
  const from = Math.min(Math.max(1, lines?.from ?? 1), all.length);
  const to = Math.min(Math.max(from, lines?.to ?? all.length), all.length);
  return {
    record,
    text: all.slice(from - 1, to).join('\n'),
    lines: { from, to },
    totalLines: all.length,
    age: ageOf(record.createdAt, context.now()),
    links: await linksOf(context, record),
  };
}
