import { z } from 'zod';
import type { AuditCursor } from '../../store/admin-model.ts';
import type { Operation } from '../operation.ts';
import { isoTime } from '../../engine/fields/times.ts';
import { timeBound } from '../../engine/fields/time-bound.ts';
import { filterValue } from '../../engine/fields/record-fields.ts';
import { audit } from '../../engine/audit/audit.ts';

const DEFAULT_LIMIT = 50;

const cursor = z
  .string()
  .max(33)
  .regex(/^\d{1,16}\/\d{1,16}$/, 'the `next` of the previous page')
  .transform((text): AuditCursor => {
    const [at = '', seq = ''] = text.split('/');
    return { at: Number(at), seq: Number(seq) };
  });

const input = z.strictObject({
  record: z
    .number()
    .int()
    .positive()
    .max(Number.MAX_SAFE_INTEGER)
    .exactOptional()
    .describe('Only entries about this record.'),
  action: filterValue()
    .exactOptional()
    .describe('Only this action: write, update, delete, undelete, store, forget, purge, expire and others.'),
  actor: filterValue().exactOptional().describe('Only what this user, token or client did.'),
  surface: filterValue().exactOptional().describe('Only what came through cli, mcp, rest or library.'),
  from: timeBound('from').exactOptional().describe('Only from this day or time on.'),
  until: timeBound('until').exactOptional().describe('Only up to this day or time.'),
  limit: z
    .number()
    .int()
    .min(1)
    .max(1000)
    .exactOptional()
    .describe(`The highest number of entries; ${String(DEFAULT_LIMIT)} unless given.`),
  after: cursor.exactOptional().describe('`next` of the previous page.'),
});

const output = z.strictObject({
  entries: z.array(
    z.strictObject({
      seq: z.number().int().positive().describe('Its position in the chain, from 1.'),
      at: z.iso.datetime(),
      actor: z.string(),
      surface: z.string(),
      action: z.string(),
      subject: z.string().nullable().describe('UUID of the record, or the name of what else was changed.'),
      record: z
        .number()
        .int()
        .positive()
        .nullable()
        .describe('Number of the record; null after it was purged.'),
      diff: z
        .record(z.string(), z.json())
        .nullable()
        .describe('The value of each changed field before and after; for texts, a patch.'),
      erased: z.boolean().describe('The diff was erased when the record was purged.'),
      chain: z.string().describe('The name of the chain.'),
      hash: z.string().describe('SHA-256 of the entry and of the hash before it.'),
    }),
  ),
  next: z.string().nullable().describe('Where the next page begins; null on the last page.'),
});
export type AuditOutput = z.infer<typeof output>;

export const auditOperation: Operation<typeof input, typeof output> = {
  name: 'audit',
  title: 'Show the audit log',
  description:
    'Lists every write, newest first: who made it, when, through which surface, and what it changed. The log is ' +
    'append-only; `doctor` detects where it was truncated or changed.',
  input,
  output,
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  examples: [
    { title: 'The latest entries', input: { limit: 10 } },
    { title: 'The history of a record', input: { record: 2 } },
    { title: 'What agents have done since yesterday', input: { surface: 'mcp', from: 'yesterday' } },
  ],
  run: async (context, { limit = DEFAULT_LIMIT, ...filter }) => {
    const loci = await context.loci();
    // One more than the limit shows whether there is another page.
    const found = await audit(loci, { ...filter, limit: limit + 1 });
    const entries = found.slice(0, limit);
    const last = found.length > limit ? entries.at(-1) : undefined;
    return {
      entries: entries.map(
        ({ seq, at, actor, surface, action, subject, record, diff, diffHash, chain, hash }) => ({
          seq,
          at: isoTime(at),
          actor,
          surface,
          action,
          subject,
          record,
          diff: diff === null ? null : { ...diff },
          erased: diff === null && diffHash !== null,
          chain,
          hash,
        }),
      ),
      next: last === undefined ? null : `${String(last.at)}/${String(last.seq)}`,
    };
  },
};
