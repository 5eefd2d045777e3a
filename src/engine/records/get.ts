import { formatAge } from '../../core/time/age.ts';
import { LociError } from '../../core/errors.ts';
import type { LociRecord } from '../../core/types.ts';
import type { HistoryRow } from '../../store/admin-model.ts';
import { runText } from '../audit/run-text.ts';
import { parseCitation, resolveCitation, type LineRange } from './citations/resolve-citation.ts';
import type { EngineContext } from '../context.ts';
import { expire } from '../shared/retention.ts';
import { runAt, runPath } from './citations/corpus-path.ts';
import { sourceOrigins, type SourceOrigin } from '../reading/configured/source-origin.ts';
import { recordAge } from './record-age.ts';

/** A link or an embed in a note. */
interface NoteLink {
  /** As written, without heading, block and alias. */
  readonly target: string;
  /** The note that Obsidian would open; `null` when there is none. */
  readonly path: string | null;
}

interface NoteLinks {
  /** Each target once, in the order of the text. */
  readonly links: readonly NoteLink[];
  /** The paths of the notes that link to this one. */
  readonly backlinks: readonly string[];
}

/** A record, or a run of a tool, which has no number and no UUID. */
type ReadRecord = Pick<
  LociRecord,
  | 'origin'
  | 'source'
  | 'trust'
  | 'key'
  | 'project'
  | 'category'
  | 'recordType'
  | 'title'
  | 'tags'
  | 'content'
  | 'metadata'
  | 'createdAt'
  | 'updatedAt'
  | 'expiresAt'
> & { readonly id: number | null; readonly uuid: string | null };

export interface GetResponse extends NoteLinks {
  readonly record: ReadRecord;
  /** The content, or the lines of the citation. */
  readonly text: string;
  /** The lines in `text`, from 1, inclusive. */
  readonly lines: LineRange;
  readonly totalLines: number;
  readonly age: string;
  /** Details of the source; `null` unless the origin is `source`. */
  readonly from: SourceOrigin | null;
}

/** @throws LociError `not_found`, `ambiguous`; `invalid_input` for lines that do not exist */
export async function get(context: EngineContext, citation: string): Promise<GetResponse> {
  await expire(context);
  const { name, lines: runLines } = parseCitation(citation);
  const run = await runAt(context, name);
  if (run !== null) {
    const record = runRecord(run, context.config.project);
    const text = linesOf(record, runLines, citation);
    return { record, from: null, ...text, age: formatAge(run.at, context.now()), links: [], backlinks: [] };
  }
  const { record, lines } = await resolveCitation(context, citation);
  const text = linesOf(record, lines, citation);
  const [from = null] = await sourceOrigins(context, [record]);
  const age = recordAge(record, context.now());
  return { record, from, ...text, age, ...(await linksOf(context, record)) };
}

function runRecord(run: HistoryRow, project: string): ReadRecord {
  const { category, name, surface, at, expiresAt } = run;
  return {
    id: null,
    uuid: null,
    origin: 'audit',
    source: surface,
    // What a caller passed to the tool is part of the text.
    trust: 'agent',
    key: runPath(run),
    project,
    category,
    recordType: 'run',
    title: name,
    tags: [],
    content: runText(run),
    metadata: {},
    createdAt: at,
    updatedAt: at,
    expiresAt,
  };
}

function linesOf(
  { content }: Pick<LociRecord, 'content'>,
  requested: LineRange | null,
  citation: string,
): Pick<GetResponse, 'text' | 'lines' | 'totalLines'> {
  const all = content.split('\n');
  const lines = clampedLines(requested ?? { from: 1, to: all.length }, all.length, citation);
  return { text: all.slice(lines.from - 1, lines.to).join('\n'), lines, totalLines: all.length };
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

/** A vault stores fewer links of one note. */
const MAX_LINKS = 5000;
/** A note that everything links to would otherwise fill the answer. */
const MAX_BACKLINKS = 100;

async function linksOf({ store, namespace }: EngineContext, { id, key }: LociRecord): Promise<NoteLinks> {
  if (key === null) return { links: [], backlinks: [] };
  const [from, to] = await Promise.all([
    store.records.links(namespace, { from: [id] }, { after: null, limit: MAX_LINKS }),
    store.records.links(namespace, { to: [id] }, { after: null, limit: MAX_BACKLINKS }),
  ]);
  const targets = new Map(from.map(({ target, targetKey }) => [target, targetKey]));
  return {
    links: [...targets].map(([target, path]) => ({ target, path })),
    backlinks: [...new Set(to.filter(({ record }) => record !== id).map((link) => link.key))],
  };
}
