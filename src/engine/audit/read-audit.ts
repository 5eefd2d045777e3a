import { z } from 'zod';
import { count } from '../../core/number-fields.ts';
import { LociError } from '../../core/errors.ts';
import type { AuditCursor } from '../../store/admin-model.ts';
import type { EngineContext } from '../context.ts';
import { filterValue, limitField } from '../fields/record-fields.ts';
import { timeBound } from '../fields/time-bound.ts';
import { isoTime } from '../fields/times.ts';
import { expire } from '../shared/retention.ts';

const DEFAULT_LIMIT = 50;

const cursor = z
  .string()
  .max(33)
  .regex(/^\d{1,16}\/\d{1,16}$/, 'the `next` of the previous page')
  .transform((text): AuditCursor => {
    const [at = '', seq = ''] = text.split('/');
    return { at: Number(at), seq: Number(seq) };
  });

export const auditInput = z.strictObject({
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
  session: filterValue().exactOptional().describe('Only what was done in this session of an agent.'),
  from: timeBound('from').exactOptional().describe('Only from this day or time on.'),
  until: timeBound('until').exactOptional().describe('Only up to this day or time.'),
  limit: limitField(1000).describe(`The highest number of entries; ${String(DEFAULT_LIMIT)} unless given.`),
  after: cursor.exactOptional().describe('`next` of the previous page.'),
  verify: z
    .boolean()
    .exactOptional()
    .describe('Also compute every hash of the log again, to detect entries that are missing or changed.'),
});

export const auditOutput = z.strictObject({
  entries: z.array(
    z.strictObject({
      seq: z.number().int().positive().describe('Its position in the chain, from 1.'),
      at: z.iso.datetime(),
      actor: z.string(),
      surface: z.string(),
      session: z
        .string()
        .nullable()
        .describe('The session of the agent that did it, or `undo:ID` for what undid other changes.'),
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
  verified: z
    .strictObject({
      entries: count().describe('Entries of the whole log.'),
      faults: z.array(z.string()).describe('Entries that are missing or changed. Empty: the log is whole.'),
    })
    .exactOptional()
    .describe('With `verify`.'),
});
export type AuditOutput = z.infer<typeof auditOutput>;

/**
 * The log of the caller's namespace, newest first.
 * @throws LociError `not_found` for the id of no record
 */
export async function audit(
  context: EngineContext,
  { limit = DEFAULT_LIMIT, after, record, verify = false, ...rest }: z.infer<typeof auditInput> = {},
): Promise<AuditOutput> {
  await expire(context);
  const { store, namespace } = context;
  const about = record === undefined ? {} : { subject: await uuidOf(context, record) };
  // One more than the limit shows whether there is another page.
  const log = { ...rest, ...about, after: after ?? null, limit: limit + 1 };
  const { entries: found } = await store.admin.audit(namespace, { log });
  const entries = found.slice(0, limit);
  const subjects = [...new Set(entries.flatMap((entry) => entry.subject ?? []))];
  const existing = await store.records.findExisting(
    namespace,
    subjects.map((uuid) => ({ uuid })),
  );
  const ids = new Map(subjects.map((uuid, i) => [uuid, existing[i]?.sameUuid ?? null]));
  const last = found.length > limit ? entries.at(-1) : undefined;
  return {
    entries: entries.map(
      ({ seq, at, actor, surface, session = null, action, subject, diff, diffHash, chain, hash }) => ({
        seq,
        at: isoTime(at),
        actor,
        surface,
        session,
        action,
        subject,
        record: ids.get(subject ?? '') ?? null,
        diff: diff === null ? null : { ...diff },
        erased: diff === null && diffHash !== null,
        chain,
        hash,
      }),
    ),
    next: last === undefined ? null : `${String(last.at)}/${String(last.seq)}`,
    ...(verify && { verified: await verified(context) }),
  };
}

async function verified(context: EngineContext): Promise<NonNullable<AuditOutput['verified']>> {
  const { entries, faults } = await verifyLog(context, context.namespace);
  return { entries, faults: [...faults] };
}

async function uuidOf({ store, namespace }: EngineContext, id: number): Promise<string> {
  const [record] = await store.records.get(namespace, [id], 'any');
  if (record !== undefined) return record.uuid;
  throw new LociError(
    'not_found',
    `there is no record ${String(id)}, or it was purged, so its entries cannot be selected`,
    {
      hint: 'Without `record`, the log of all records is shown, purged ones included.',
    },
  );
}

interface VerifiedLog {
  /** Entries of the namespace's own log. */
  readonly entries: number;
  /** Entries of imported logs, which are only kept. */
  readonly attached: number;
  /** Messages about entries that are missing or changed. */
  readonly faults: readonly string[];
}

/** Computes every hash of the audit log of a namespace again. */
export async function verifyLog({ store, now }: EngineContext, namespace: string): Promise<VerifiedLog> {
  const { chains, faults } = await store.admin.audit(namespace, { chains: true, faults: true });
  const lengthOf = (own: boolean): number =>
    chains.reduce((sum, chain) => sum + (chain.own === own ? chain.length : 0), 0);
  const log = { entries: lengthOf(true), attached: lengthOf(false), faults };
  if (chains.some(({ own }) => own)) return log;
  // The first write of a namespace begins its log, so written records without a log mean that the log was removed.
  const written = { now: now(), origins: ['memory' as const, 'fact' as const] };
  if ((await store.records.count(namespace, written)) === 0) return log;
  return { ...log, faults: [...faults, 'there are written records but no audit log'] };
}
