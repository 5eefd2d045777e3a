import { z } from 'zod';
import { ORIGINS, TRUST, type Metadata, type Origin, type Trust } from '../../core/types.ts';
import { isoTime } from '../shared/dates.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { sourceFields, sourceFieldsOf, type SourceFields } from '../shared/source-fields.ts';

export interface GetInput {
  readonly citation: string;
}

export interface GetOutput extends SourceFields {
  readonly id: number;
  readonly uuid: string;
  readonly citation: string;
  readonly title: string;
  readonly text: string;
  readonly lines: { readonly from: number; readonly to: number; readonly total: number };
  readonly origin: Origin;
  readonly source: string;
  readonly trust: Trust;
  readonly path: string | null;
  readonly project: string;
  readonly category: string;
  readonly record_type: string;
  readonly tags: string[];
  readonly created_at: string;
  readonly updated_at: string;
  readonly expires_at: string | null;
  readonly age: string;
  readonly links: { readonly target: string; readonly path: string | null }[];
  readonly metadata: Metadata;
}

export const get: Operation<GetInput, GetOutput> = {
  name: 'get',
  title: 'Read a record',
  description:
    'Reads what a citation names: a whole record, or the lines that it gives (`path#L3-L9`). Only what is indexed can ' +
    'be read, as it was when it was indexed.',
  input: z.strictObject({
    citation: z
      .string()
      .min(1)
      .describe(
        'As search gives it: `path#L3-L9`, `path`, `source:path`, `record/12`; `.md` may be left out.',
      ),
  }),
  output: z.strictObject({
    id: z.number().int().positive().describe('Number of the record in its namespace.'),
    uuid: z.string(),
    citation: z.string().describe('As it was asked.'),
    title: z.string(),
    text: z.string(),
    lines: z
      .strictObject({ from: z.number().int(), to: z.number().int(), total: z.number().int() })
      .describe('Which lines `text` is, from 1, inclusive, and how many there are.'),
    origin: z.enum(ORIGINS),
    source: z.string().describe('The vault, source or surface that brought it.'),
    ...sourceFields(),
    trust: z.enum(TRUST).describe('Whose word it is: operator, agent or external.'),
    path: z.string().nullable().describe('Where it stands in its source.'),
    project: z.string(),
    category: z.string(),
    record_type: z.string(),
    tags: z.array(z.string()),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    expires_at: z.iso.datetime().nullable().describe('Of a fact: from then on it is gone.'),
    age: z.string(),
    links: z
      .array(z.strictObject({ target: z.string(), path: z.string().nullable() }))
      .describe('What a note links to, as written, and the note that is meant; `null` when there is none.'),
    metadata: z
      .record(z.string(), z.json())
      .describe('What its source says of it: aliases, links, front matter …'),
  }),
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  tool: 'memory_get',
  examples: [
    { title: 'A whole note', input: { citation: 'Home/Kitchen remodel.md' } },
    { title: 'The lines of a search result', input: { citation: 'Home/Kitchen remodel.md#L24-L40' } },
    { title: 'Something that was written with `loci write`', input: { citation: 'record/1' } },
  ],
  run: runGet,
};

async function runGet(context: OperationContext, { citation }: GetInput): Promise<GetOutput> {
  const loci = await context.loci();
  const { record, text, lines, totalLines, age, from, links } = await loci.get(citation);
  return {
    id: record.id,
    uuid: record.uuid,
    citation,
    title: record.title,
    text,
    lines: { ...lines, total: totalLines },
    origin: record.origin,
    source: record.source,
    ...sourceFieldsOf(from, record.source),
    trust: record.trust,
    path: record.key,
    project: record.project,
    category: record.category,
    record_type: record.recordType,
    tags: [...record.tags],
    created_at: isoTime(record.createdAt),
    updated_at: isoTime(record.updatedAt),
    expires_at: record.expiresAt === null ? null : isoTime(record.expiresAt),
    age,
    links: [...links],
    metadata: record.metadata,
  };
}
