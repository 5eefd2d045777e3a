import { z } from 'zod';
import { isSubject } from '../../core/caller.ts';
import { count } from '../../core/number-fields.ts';
import type { Quota, QuotaLimits } from '../../store/admin-model.ts';
import { auditDraft } from '../audit/audit.ts';
import type { EngineContext } from '../context.ts';

const limit = () => count().nullable().describe('Null: no limit.');

export const quotaOutput = z.strictObject({
  records: z.strictObject({ used: count(), limit: limit() }).describe('Records that are not deleted.'),
  bytes: z
    .strictObject({ used: count(), limit: limit() })
    .describe('UTF-8 of the contents of all records. Deleted ones count until they are purged.'),
  requests_per_minute: limit(),
});
type QuotaOutput = z.infer<typeof quotaOutput>;

const newLimit = (what: string): z.ZodExactOptional<z.ZodNumber> =>
  z
    .number()
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .exactOptional()
    .describe(`${what}. 0 is no limit. Unchanged unless given.`);

export const setQuotaInput = z.strictObject({
  namespace: z
    .string()
    .max(128)
    .refine(isSubject, 'the name of a namespace')
    .describe('The namespace: the memory of one subject.'),
  records: newLimit('How many records it may have that are not deleted'),
  bytes: newLimit('How many bytes of UTF-8 the contents of its records may have'),
  requests_per_minute: newLimit(
    'How many requests its tokens may send a minute, to all servers of the store together',
  ),
});

export const setQuotaOutput = quotaOutput.extend({ namespace: z.string() });
export type SetQuotaOutput = z.infer<typeof setQuotaOutput>;

/** Limits what a namespace may keep and how often it may be asked. @throws LociError `gone` for one that was deleted */
export async function setQuota(
  context: EngineContext,
  { namespace, ...given }: z.infer<typeof setQuotaInput>,
): Promise<SetQuotaOutput> {
  const { store } = context;
  const before = await store.admin.quota(namespace);
  const changed = (value: number | undefined, old: number | null): number | null =>
    value === undefined ? old : value === 0 ? null : value;
  const limits: QuotaLimits = {
    maxRecords: changed(given.records, before.maxRecords),
    maxBytes: changed(given.bytes, before.maxBytes),
    maxRequests: changed(given.requests_per_minute, before.maxRequests),
  };
  const diff = {
    records: limits.maxRecords,
    bytes: limits.maxBytes,
    requests_per_minute: limits.maxRequests,
  };
  const audit = [auditDraft(context, 'quota-set', 'quota', diff)];
  await store.records.commit(namespace, { quota: limits, audit });
  return { namespace, ...formatQuota({ ...before, ...limits }) };
}

export function formatQuota({ records, bytes, maxRecords, maxBytes, maxRequests }: Quota): QuotaOutput {
  return {
    records: { used: records, limit: maxRecords },
    bytes: { used: bytes, limit: maxBytes },
    requests_per_minute: maxRequests,
  };
}
