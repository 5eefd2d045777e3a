import { z } from 'zod';
import { storedTime } from '../../core/time/whole-day.ts';
import { ORIGINS, TRUST } from '../../core/types.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { isoTime } from '../../engine/fields/times.ts';
import { sourceFields, sourceFieldsOf } from '../../engine/fields/source-fields.ts';
import { get } from '../../engine/records/get.ts';

/** A path of a note, its vault and its lines. */
const MAX_CITATION_LENGTH = 5000;

const input = z.strictObject({
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

const output = z.strictObject({
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

export type GetOutput = z.infer<typeof output>;

export const getOperation: Operation<typeof input, typeof output> = {
  name: 'get',
  title: 'Read a record',
  description:
    'Reads the whole record of a citation, the lines in it (`path#L3-L9`), or the text below a heading (`path#Heading`). Only indexed records can be read, as they ' +
    'were when they were indexed.',
  input,
  output,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'read',
  tool: 'memory_get',
  examples: [
    { title: 'A whole note', input: { citation: 'Home/Kitchen remodel.md' } },
    { title: 'The lines of a search result', input: { citation: 'Home/Kitchen remodel.md#L24-L40' } },
    { title: 'A note by its name', input: { citation: 'kitchen remodel' } },
    { title: 'The text below a heading', input: { citation: 'Home/Kitchen remodel.md#Oven' } },
    { title: 'A record that `loci write` stored', input: { citation: 'record/1' } },
  ],
  run: runGet,
};

async function runGet(context: OperationContext, { citation }: z.infer<typeof input>): Promise<GetOutput> {
  const loci = await context.loci();
  const { record, text, lines, totalLines, age, from, links, backlinks } = await get(loci, citation);
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
    created_at: isoTime(storedTime(record)),
    updated_at: isoTime(record.updatedAt),
    expires_at: record.expiresAt === null ? null : isoTime(record.expiresAt),
    age,
    links: [...links],
    backlinks: [...backlinks],
    metadata: record.metadata,
  };
}
