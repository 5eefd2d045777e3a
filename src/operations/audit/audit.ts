import { z } from 'zod';
import type { Json, Timestamp } from '../../core/types.ts';
import type { AuditCursor } from '../../store/audit.ts';
import { isoTime } from '../shared/dates.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { timeBound } from '../shared/time-bound.ts';

export interface AuditInput {
  readonly record?: number;
  readonly action?: string;
  readonly actor?: string;
  readonly surface?: string;
  readonly from?: Timestamp;
  readonly until?: Timestamp;
  readonly limit?: number;
  readonly after?: AuditCursor;
}

export interface AuditOutput {
  readonly entries: {
    readonly seq: number;
    readonly at: string;
    readonly actor: string;
    readonly surface: string;
    readonly action: string;
    readonly subject: string | null;
    readonly record: number | null;
    readonly diff: Record<string, Json> | null;
    readonly erased: boolean;
    readonly chain: string;
    readonly hash: string;
  }[];
  readonly next: string | null;
}

const USUAL = 50;

const cursor: z.ZodType<AuditCursor> = z
  .string()
  .regex(/^\d{1,16}\/[0-9a-f-]{36}\/\d{1,16}$/, 'what the page before answers as next')
  .transform((text): AuditCursor => {
    const [at = '', chain = '', seq = ''] = text.split('/');
    return { at: Number(at), chain, seq: Number(seq) };
  });

export const audit: Operation<AuditInput, AuditOutput> = {
  name: 'audit',
  title: 'Show who changed what',
  description:
    'Lists every write, newest first: who made it, when, through which surface, and what it changed. The log is only ever ' +
    'added to; `doctor` finds where it was cut or changed.',
  input: z.strictObject({
    record: z
      .number()
      .int()
      .positive()
      .max(Number.MAX_SAFE_INTEGER)
      .exactOptional()
      .describe('Only what happened to this record.'),
    action: z
      .string()
      .min(1)
      .exactOptional()
      .describe('Only this kind: write, update, delete, undelete, store, forget, purge, expire and more.'),
    actor: z.string().min(1).exactOptional().describe('Only what this user, token or client did.'),
    surface: z.string().min(1).exactOptional().describe('Only what came through cli, mcp, rest or library.'),
    from: timeBound('from').exactOptional().describe('Only from this day or time on.'),
    until: timeBound('until').exactOptional().describe('Only up to this day or time.'),
    limit: z
      .number()
      .int()
      .min(1)
      .max(1000)
      .exactOptional()
      .describe(`Entries at most; ${String(USUAL)} unless given.`),
    after: cursor.exactOptional().describe('`next` of the page before.'),
  }),
  output: z.strictObject({
    entries: z.array(
      z.strictObject({
        seq: z.number().int().positive().describe('Its place in its chain, from 1.'),
        at: z.iso.datetime(),
        actor: z.string(),
        surface: z.string(),
        action: z.string(),
        subject: z.string().nullable().describe('UUID of the record, or what else it is about.'),
        record: z.number().int().positive().nullable().describe('Number of the record, while it is held.'),
        diff: z
          .record(z.string(), z.json())
          .nullable()
          .describe('For each field what it was and is; of a text the patch.'),
        erased: z.boolean().describe('The diff went with the record, when its time was over.'),
        chain: z.string().describe('The chain it stands in: the own one, or one that was imported.'),
        hash: z.string().describe('SHA-256 over the entry and the hash of the one before it.'),
      }),
    ),
    next: z.string().nullable().describe('Where the next page begins; null at the end.'),
  }),
  readOnly: true,
  destructive: false,
  idempotent: true,
  scope: 'admin',
  examples: [
    { title: 'The latest', input: { limit: 10 } },
    { title: 'What happened to a record', input: { record: 2 } },
    { title: 'What agents did since yesterday', input: { surface: 'mcp', from: 'yesterday' } },
  ],
  run: runAudit,
};

async function runAudit(
  context: OperationContext,
  { limit = USUAL, ...input }: AuditInput,
): Promise<AuditOutput> {
  const loci = await context.loci();
  // One more tells whether there is another page.
  const found = await loci.audit({ ...input, limit: limit + 1 });
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
    next: last === undefined ? null : `${String(last.at)}/${last.chain}/${String(last.seq)}`,
  };
}
