import { formatAge } from '../../core/time/age.ts';
import { LociError } from '../../core/errors.ts';
import type { LociRecord } from '../../core/types.ts';
import { resolveCitation, type LineRange } from './citation.ts';
import type { EngineContext } from '../context.ts';
import { linksOf, type NoteLink } from './links.ts';
import { sourceOrigins, type SourceOrigin } from '../sources/source-origin.ts';

export interface GetResponse {
  readonly record: LociRecord;
  /** The whole content, or the lines asked for. */
  readonly text: string;
  /** Which lines `text` is, from 1, inclusive. */
  readonly lines: LineRange;
  readonly totalLines: number;
  readonly age: string;
  /** More of the source, where the origin is `source`. */
  readonly from: SourceOrigin | null;
  /** What it links to, if it is a note. */
  readonly links: readonly NoteLink[];
}

/** @throws LociError `not_found`, `ambiguous`; `invalid_input` for lines that are not there */
export async function get(context: EngineContext, citation: string): Promise<GetResponse> {
  await context.expire();
  const { record, lines } = await resolveCitation(context, citation);
  const all = record.content.split('\n');
  const range = linesWithin(lines ?? { from: 1, to: all.length }, all.length, citation);
  const [from = null] = await sourceOrigins(context, [record]);
  return {
    record,
    from,
    text: all.slice(range.from - 1, range.to).join('\n'),
    lines: range,
    totalLines: all.length,
    age: formatAge(record.createdAt, context.now()),
    links: await linksOf(context, record),
  };
}

/** An end behind the last line means the last: whoever reads on need not know how long the text is. */
function linesWithin({ from, to }: LineRange, total: number, citation: string): LineRange {
  if (from >= 1 && from <= to && from <= total) return { from, to: Math.min(to, total) };
  const asked = citation.slice(citation.lastIndexOf('#') + 1);
  const why =
    from < 1
      ? 'lines count from L1'
      : from > to
        ? 'it ends before it begins'
        : `the text has ${String(total)} ${total === 1 ? 'line' : 'lines'}`;
  throw new LociError('invalid_input', `there are no lines ${asked} in ${shown(citation)}: ${why}`, {
    hint: `Ask for lines from L1 to L${String(total)}, such as #L1-L${String(Math.min(total, 20))}, or for the whole without #L….`,
  });
}

function shown(citation: string): string {
  return JSON.stringify(citation.slice(0, citation.lastIndexOf('#')).slice(0, 200));
}
