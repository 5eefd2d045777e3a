import { z } from 'zod';
import { LociError } from '../../core/errors.ts';
import { storedTime } from '../../core/time/whole-day.ts';
import { type LociRecord, ORIGINS, type Timestamp, TRUST } from '../../core/types.ts';
import type { HistoryRow } from '../../store/admin-model.ts';
import { runText } from '../audit/history-log.ts';
import { parseCitation, resolveCitation, type LineRange } from './citations/resolve-citation.ts';
import type { EngineContext } from '../context.ts';
import { sourceFields, sourceFieldsOf, validityField, validityOf } from '../fields/record-fields.ts';
import { isoTime } from '../fields/times.ts';
import { expire } from '../shared/retention.ts';
import { runAt, runPath } from './citations/corpus-path.ts';
import { sourceOrigins } from '../reading/configured/source-origin.ts';
import { privateSources } from '../reading/configured/source-policies.ts';
import { recordAge } from './results/record-age.ts';

/** A path of a note, its vault and its lines. */
const MAX_CITATION_LENGTH = 5000;

export const getInput = z.strictObject({
  citation: z
    .string()
    .min(1)
    .max(MAX_CITATION_LENGTH)
    .describe(
      'A citation from search results: `path#L3-L9`, `path`, `source:path`, `record/12`; `.md` may be left out. Or the name of ' +
        'a note, in any case: its title, an alias, or its file. `path#Heading` is the text below a heading, `path#^id` a block. ' +
        'A number is the name of a note if there is one, else that of a record. ' +
        'Or the path of a document of the corpus.',
    ),
});

/** What `get` and the page of a record say about it. */
export const describedFields = () => ({
  origin: z.enum(ORIGINS),
  source: z.string().describe('The vault, source or surface that the record comes from.'),
  ...sourceFields(),
  trust: z.enum(TRUST).describe('Who is responsible for the text: operator, agent or external.'),
  path: z.string().nullable().describe('Its path in the source.'),
  project: z.string(),
  category: z.string(),
  record_type: z.string(),
  tags: z.array(z.string()),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  expires_at: z.iso.datetime().nullable().describe('When a fact expires.'),
  age: z.string(),
  ...validityField(),
});

export const getOutput = z.strictObject({
  id: z
    .number()
    .int()
    .positive()
    .nullable()
    .describe('Number of the record in its namespace; null for a run of a tool.'),
  uuid: z.string().nullable(),
  citation: z.string().describe('The citation of the request.'),
  title: z.string(),
  text: z.string(),
  lines: z
    .strictObject({ from: z.number().int(), to: z.number().int(), total: z.number().int() })
    .describe('The lines of the record that `text` has, from 1, inclusive, and the number of all lines.'),
  ...describedFields(),
  links: z
    .array(z.strictObject({ target: z.string(), path: z.string().nullable() }))
    .describe(
      'The links of a note: the target as written, and the path of the note it means; `null` when there is none.',
    ),
  backlinks: z.array(z.string()).describe('The paths of notes that link to this one, at most 100.'),
  metadata: z
    .record(z.string(), z.json())
    .describe('Further properties from its source: aliases, links, front matter …'),
});

export type GetOutput = z.infer<typeof getOutput>;

/** @throws LociError `not_found`, `ambiguous`; `invalid_input` for lines that do not exist */
export async function get(
  context: EngineContext,
  { citation }: z.infer<typeof getInput>,
): Promise<GetOutput> {
  await expire(context);
  const { name, lines: requested } = parseCitation(citation);
  const run = await runAt(context, name);
  const { record, lines } =
    run === null
      ? await resolveCitation(context, citation, await privateSources(context))
      : { record: recordOfRun(run, context.config.project), lines: requested };
  const [from = null] = await sourceOrigins(context, [record]);
  return {
    id: record.id,
    uuid: record.uuid,
    citation,
    title: record.title,
    ...linesOf(record, lines, citation),
    ...descriptionOf(record, from, context.now()),
    ...(await linksOf(context, record)),
    metadata: record.metadata,
  };
}

/** @param from the source of the record, if it is a document of one */
export function descriptionOf(
  record: Omit<
    LociRecord,
    'id' | 'uuid' | 'namespace' | 'deletedAt' | 'identity' | 'revision' | 'contentHash'
  >,
  from: Parameters<typeof sourceFieldsOf>[0],
  now: Timestamp,
) {
  return {
    origin: record.origin,
    source: record.source,
    ...sourceFieldsOf(from, record.source),
    trust: record.trust,
    path: record.key,
    project: record.project,
    category: record.category,
    record_type: record.recordType,
    tags: [...record.tags],
    created_at: isoTime(storedTime(record)),
    updated_at: isoTime(record.updatedAt),
    expires_at: record.expiresAt === null ? null : isoTime(record.expiresAt),
    age: recordAge(record, now),
    ...validityOf(record),
  };
}

/** A run of a tool as a record, which has no number and no UUID. */
function recordOfRun(run: HistoryRow, project: string) {
  const { category, name, surface, at, expiresAt } = run;
  return {
    id: null,
    uuid: null,
    origin: 'audit' as const,
    source: surface,
    // What a caller passed to the tool is part of the text.
    trust: 'agent' as const,
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
): Pick<GetOutput, 'text' | 'lines'> {
  const all = content.split('\n');
  const lines = clampedLines(requested ?? { from: 1, to: all.length }, all.length, citation);
  return { text: all.slice(lines.from - 1, lines.to).join('\n'), lines: { ...lines, total: all.length } };
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

async function linksOf(
  { store, namespace }: EngineContext,
  { id, key }: { readonly id: number | null; readonly key: string | null },
): Promise<Pick<GetOutput, 'links' | 'backlinks'>> {
  if (id === null || key === null) return { links: [], backlinks: [] };
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
