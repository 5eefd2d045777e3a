import { z } from 'zod';
import type { LociRecord } from '../../core/types.ts';
import type { LinkCursor, RecordLink } from '../../store/model.ts';
import type { EngineContext } from '../context.ts';
import { sourcesHiddenFrom } from '../reading/configured/source-policies.ts';
import { wholeCitations } from '../shared/citations.ts';
import { expire } from '../shared/retention.ts';
import { visibleRecord } from './record-page.ts';
import { citationField } from './record-selection.ts';

const DEFAULT_LIMIT = 20;

const cursor = z
  .string()
  .max(33)
  .regex(/^\d{1,15}\/\d{1,15}$/, 'the `next` of the previous page')
  .transform((text): LinkCursor => {
    const [record = 0, position = 0] = text.split('/').map(Number);
    return { record, position };
  });

export const recordLinksInput = z.strictObject({
  citation: citationField(),
  limit: z
    .number()
    .int()
    .min(1)
    .max(100)
    .exactOptional()
    .describe(`Maximum number of links; ${String(DEFAULT_LIMIT)} unless given.`),
  after: cursor.exactOptional().describe('`next` of the previous page.'),
});

export const recordLinksOutput = z.strictObject({
  links: z.array(
    z.strictObject({
      id: z.number().int().positive().describe('Number of the note that has the link.'),
      citation: z.string().describe('What `get` reads.'),
      title: z.string(),
      embed: z.boolean().describe('Whether the note shows the record: `![[…]]`.'),
      line: z
        .number()
        .int()
        .nullable()
        .describe('The line of the link; null if it is not found in the text.'),
      context: z.string().describe('The text around the link.'),
    }),
  ),
  next: z.string().nullable().describe('Where the next page begins; null on the last page.'),
});
export type RecordLinksOutput = z.infer<typeof recordLinksOutput>;

/** The links of other notes to a note, with what they say around it. @throws LociError `not_found`, `ambiguous` */
export async function recordLinks(
  context: EngineContext,
  { citation, limit = DEFAULT_LIMIT, after }: z.infer<typeof recordLinksInput>,
): Promise<RecordLinksOutput> {
  await expire(context);
  const { store, namespace, now } = context;
  const {
    record: { id },
  } = await visibleRecord(context, citation);
  const page = { after: after ?? null, limit: limit + 1 };
  const found = await store.records.links(namespace, { to: [id] }, page);
  const links = found.slice(0, limit);
  const last = found.length > limit ? links.at(-1) : undefined;
  const hidden = await sourcesHiddenFrom(context);
  const ids = [...new Set(links.map(({ record }) => record))].filter((record) => record !== id);
  const records = (await store.records.get(namespace, ids, { liveAt: now() })).filter(
    ({ source }) => !hidden.includes(source),
  );
  const citations = await wholeCitations(context, records);
  const byId = new Map(records.map((record, i) => [record.id, { record, citation: citations[i]! }]));
  return {
    links: links.flatMap((link) => {
      const from = byId.get(link.record);
      if (from === undefined) return [];
      const { record, citation: cited } = from;
      const { title } = record;
      return [
        { id: record.id, citation: cited, title, embed: link.type === 'embed', ...around(record, link) },
      ];
    }),
    next: last === undefined ? null : `${String(last.record)}/${String(last.position)}`,
  };
}

/** UTF-16 code units before and after a link. */
const CONTEXT_LENGTH = 160;

function around(
  { content }: LociRecord,
  { target, type }: RecordLink,
): Pick<RecordLinksOutput['links'][number], 'line' | 'context'> {
  const mark = type === 'embed' ? '!' : '';
  const written = [`${mark}[[${target}`, `](${target}`, `](${encodeURI(target)}`, `](<${target}`, target];
  const at = written.map((each) => content.indexOf(each)).find((each) => each !== -1);
  if (at === undefined) return { line: null, context: '' };
  const start = content.lastIndexOf('\n', at) + 1;
  const end = content.indexOf('\n', at);
  const lineEnd = end === -1 ? content.length : end;
  const from = Math.max(start, at - CONTEXT_LENGTH);
  const until = Math.min(lineEnd, at + target.length + CONTEXT_LENGTH);
  const text = content.slice(from, until).toWellFormed().trim();
  const line = content.slice(0, start).split('\n').length;
  return { line, context: `${from > start ? '…' : ''}${text}${until < lineEnd ? '…' : ''}` };
}
