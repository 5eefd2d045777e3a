import { formatAge } from '../../core/time/age.ts';
import { LociError } from '../../core/errors.ts';
import type { LociRecord } from '../../core/types.ts';
import { LinkIndex } from '../../sources/markdown/link-index.ts';
import { resolveCitation, type LineRange } from './citation.ts';
import type { EngineContext } from '../context.ts';
import { storedEntries } from '../../ingest/source-entries.ts';
import { sourceOrigins, type SourceOrigin } from '../sources/source-origin.ts';

/** A link or an embed in a note. */
export interface NoteLink {
  /** As written, without heading, block and alias. */
  readonly target: string;
  /** The note that Obsidian would open; `null` when there is none. */
  readonly path: string | null;
}

export interface GetResponse {
  readonly record: LociRecord;
  /** The content, or the lines of the citation. */
  readonly text: string;
  /** The lines in `text`, from 1, inclusive. */
  readonly lines: LineRange;
  readonly totalLines: number;
  readonly age: string;
  /** Details of the source; `null` unless the origin is `source`. */
  readonly from: SourceOrigin | null;
  /** The links of a note. */
  readonly links: readonly NoteLink[];
}

/** @throws LociError `not_found`, `ambiguous`; `invalid_input` for lines that do not exist */
export async function get(context: EngineContext, citation: string): Promise<GetResponse> {
  await context.expire();
  const { record, lines } = await resolveCitation(context, citation);
  const all = record.content.split('\n');
  const range = clampedLines(lines ?? { from: 1, to: all.length }, all.length, citation);
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

/** An end after the last line means the last line, so that a caller can read on without knowing the length. */
function clampedLines({ from, to }: LineRange, total: number, citation: string): LineRange {
  if (from >= 1 && from <= to && from <= total) return { from, to: Math.min(to, total) };
  const requested = citation.slice(citation.lastIndexOf('#') + 1);
  const why =
    from < 1
      ? 'lines count from L1'
      : from > to
        ? 'the end is before the beginning'
        : `the text has ${String(total)} ${total === 1 ? 'line' : 'lines'}`;
  throw new LociError(
    'invalid_input',
    `there are no lines ${requested} in ${quotedCitation(citation)}: ${why}`,
    {
      hint: `Request lines from L1 to L${String(total)}, such as #L1-L${String(Math.min(total, 20))}, or omit #L… for the whole record.`,
    },
  );
}

function quotedCitation(citation: string): string {
  return JSON.stringify(citation.slice(0, citation.lastIndexOf('#')).slice(0, 200));
}

/** The links of a note, each target once, resolved among the current notes of its vault. */
async function linksOf(context: EngineContext, record: LociRecord): Promise<NoteLink[]> {
  const { links } = record.metadata;
  const { key } = record;
  if (key === null || !Array.isArray(links) || links.length === 0) return [];
  const targets = new Set<string>();
  for (const link of links) {
    if (typeof link !== 'object' || link === null || Array.isArray(link)) continue;
    if (typeof link['target'] === 'string' && link['target'] !== '') targets.add(link['target']);
  }
  const keys: string[] = [];
  for await (const entry of storedEntries(context.store.records, context.namespace, record.source))
    keys.push(entry.key);
  const index = new LinkIndex(keys);
  return [...targets].map((target) => ({ target, path: index.resolve(target, key) }));
}
