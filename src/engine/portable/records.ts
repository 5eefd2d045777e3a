import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { isForInbox } from '../../core/caller.ts';
import { LociError } from '../../core/errors.ts';
import { sha256 } from '../../core/ids.ts';
import { DAY_MS, localTime, storedTime } from '../../core/time/whole-day.ts';
import { type LociRecord, ORIGINS, TRUST } from '../../core/types.ts';
import { CONVERSATION_TYPE } from '../../sources/conversation.ts';
import { assertParseable } from '../../sources/markdown/density.ts';
import type { AuditDraft } from '../../store/admin-model.ts';
import type { ExistingRecords, RecordImport } from '../../store/model.ts';
import { lowerTrust } from '../access/permission.ts';
import { auditDraft, diffOf, newDiff } from '../audit/audit.ts';
import type { EngineContext } from '../context.ts';
import { chunkingOf } from '../embedding/models.ts';
import { conversationState } from '../reading/configured/source-policies.ts';
import { TTL_SECONDS } from '../facts/fact-fields.ts';
import { assertNotReserved, assertWithinLimits } from '../fields/limits.ts';
import { screenTexts } from '../shared/screen.ts';
import { invalidateNextExpiry, unshortened } from '../shared/retention.ts';
import type { ImportCounts, ImportReport } from './import-report.ts';
import {
  assertShort,
  type ItemImport,
  type ItemType,
  type Located,
  readPart,
  type Screened,
} from './item-type.ts';
import { jsonObject, lineFormat, time, timeOrNull, timeText, uuid } from './line-format.ts';

/**
 * A record as it is exported: without its namespace, because an import uses the namespace of its caller. The id of one that was in no
 * store is 0.
 */
export type ExportedRecord = Omit<LociRecord, 'namespace'>;

const line = lineFormat(
  z.strictObject({
    id: z.number().int().min(1),
    uuid,
    project: z.string(),
    origin: z.enum(ORIGINS),
    source: z.string(),
    trust: z.enum(TRUST),
    key: z.string().nullable(),
    identity: z.string().nullable(),
    category: z.string(),
    record_type: z.string(),
    title: z.string(),
    tags: z.array(z.string()),
    metadata: jsonObject,
    created_at: time,
    updated_at: time,
    deleted_at: timeOrNull,
    expires_at: timeOrNull,
    revision: z.string().nullable(),
    content_hash: z.string().optional(),
    content: z.string(),
  }),
);

const RECORDS_PER_READ = 100;

export const record: ItemType<ExportedRecord> = {
  fields: (value) => line.fields({ ...value, createdAt: storedTime(value) }),
  parse(fields) {
    const parsed = line.parse(fields);
    if (typeof parsed === 'string') return parsed;
    const contentHash = sha256(parsed.content);
    if (parsed.contentHash !== undefined && parsed.contentHash !== contentHash)
      return 'the content does not match content_hash: it was changed or cut. A record without content_hash is not checked';
    return { ...parsed, createdAt: localTime(parsed), contentHash };
  },
  async read({ store, namespace, now }, position) {
    if (position.part > 0) return { items: [], next: null };
    const { items, next } = await readPart(
      (page) => store.records.list(namespace, { scan: 'exportable', now: now() }, page),
      ({ id }) => id,
      position,
      RECORDS_PER_READ,
    );
    return { items: items.map(({ namespace: _, ...each }) => each), next };
  },
  screen: screenRecord,
  /** Of two states of one record, or two records with one key, the second is a conflict. An export has one. */
  async write(job, batch) {
    const { report, known } = job;
    const fresh = batch.filter(({ location, value }) => {
      const key = keyOf(value);
      const names = [value.uuid, ...(key === null ? [] : [JSON.stringify(key)])];
      const isRepeated = names.some((name) => known.records.has(name));
      if (isRepeated) keep(report, location, 'another state of it stands before it');
      else for (const name of names) known.records.add(name);
      return !isRepeated;
    });
    await writeRecords(job, fresh);
  },
};

/** What tells it apart from all others of its kind; deleted facts may have the key of another. */
function keyOf({ origin, source, category, key, deletedAt }: ExportedRecord): readonly string[] | null {
  if (key === null || (origin === 'fact' && deletedAt !== null)) return null;
  return origin === 'fact' ? ['fact', category, key] : [source, key];
}

// ── Screening ────────────────────────────────────────────────────────────────────────────────────

/** One day more than the longest life of a fact, because the clocks of two machines differ. */
const MAX_FACT_LIFE_MS = (TTL_SECONDS.max + 24 * 60 * 60) * 1000;

/**
 * Applies the rules of a write to a record: limits, secrets, and a trust no higher than the caller's. Records of vaults
 * and sources are stored as they were read, without these checks.
 * @throws LociError `invalid_input`, `secret_refused`, `unreadable`, `forbidden` for a record that only the operator may import
 */
async function screenRecord(
  context: EngineContext,
  record: ExportedRecord,
): Promise<Screened<ExportedRecord>> {
  const { caller } = context;
  const { origin, source, identity, revision, expiresAt } = record;
  const isOperator = caller.trust === 'operator';
  if (!isOperator && origin !== 'memory' && origin !== 'fact')
    throw new LociError('forbidden', `its origin is ${origin}: only the operator may import those`);
  if (record.deletedAt === null) assertParseable(record.content);
  if (origin === 'vault' || origin === 'source') return { value: record, masked: [] };
  const { content, title, category, recordType, project, tags, metadata, key } = record;
  const fields = {
    ...{ content, title, category, recordType, project, tags, metadata },
    ...(key !== null && { key }),
  };
  assertShort({ source, identity, revision });
  assertNotReserved(category);
  // The title of a fact is its key, which may be longer than other titles.
  const { title: _, ...withoutTitle } = fields;
  assertWithinLimits(origin === 'fact' && title === key ? withoutTitle : fields);
  if (origin === 'fact' && key === null) throw new LociError('invalid_input', 'it is a fact without a key');
  if (origin === 'fact' && (expiresAt ?? Infinity) > context.now() + MAX_FACT_LIFE_MS)
    throw new LociError('invalid_input', 'it is a fact that lives longer than 365 days');
  if (!isOperator && origin === 'memory' && expiresAt !== null)
    throw new LociError('forbidden', 'it expires and is not a fact: only the operator may import those');
  // An agent's import does not choose the fields by which sources recognise their documents.
  const sourceFields = isOperator
    ? { source, identity, revision }
    : { source: caller.surface, identity: null, revision: null };
  const { texts, masked } = await screenTexts(context, { ...fields, ...sourceFields });
  const contentHash = texts.content === content ? record.contentHash : sha256(texts.content);
  return {
    value: { ...record, ...texts, contentHash, trust: lowerTrust(record.trust, caller.trust) },
    masked,
  };
}

// ── Writing ──────────────────────────────────────────────────────────────────────────────────────

/** What is to be done with a record. */
interface Plan {
  readonly location: string;
  readonly change: Exclude<keyof ImportCounts, 'refused'>;
  /** Why a record is kept; empty for the others. */
  readonly reason: string;
  readonly record: ExportedRecord;
  /** The record that is replaced; `null` for a new one. */
  readonly existing: LociRecord | null;
}

/** Writes records in one transaction, except those that another process changed in the meantime. */
async function writeRecords(job: ItemImport, batch: readonly Located<ExportedRecord>[]): Promise<void> {
  const { context, options, report } = job;
  const plans = await planRecords(context, options.overwrite, batch);
  const writes = plans.filter(({ change }) => ['added', 'updated', 'removed'].includes(change));
  const ids = new Map<Plan, number>();
  try {
    const given = writes.length === 0 || options.dry_run ? [] : await commit(context, writes);
    for (const [i, id] of given.entries()) ids.set(writes[i]!, id);
  } catch (error) {
    if (!(error instanceof LociError) || !['conflict', 'not_found'].includes(error.code)) throw error;
    // Planned anew and written one by one, only the records that conflict are left out.
    if (batch.length > 1) for (const each of batch) await writeRecords(job, [each]);
    else for (const { location } of batch) keep(report, location, error.message);
    return;
  }
  for (const plan of plans) {
    const { location, change, reason, existing } = plan;
    const { id: from, uuid: name, title, content } = plan.record;
    const to = ids.get(plan) ?? from;
    if (change === 'kept') keep(report, location, reason);
    else report.counts('record')[change]++;
    if (options.dry_run && writes.includes(plan))
      report.add('changes', { location, change, title: title || content.slice(0, 80) });
    if (existing === null && from !== 0 && to !== from) report.add('renumbered', { uuid: name, from, to });
  }
}

function keep(report: ImportReport, location: string, message: string): void {
  report.counts('record').kept++;
  report.add('conflicts', { location, message });
}

async function planRecords(
  context: EngineContext,
  overwrite: boolean,
  batch: readonly Located<ExportedRecord>[],
): Promise<Plan[]> {
  const { store, namespace, caller, config, now } = context;
  const matches = await store.records.findExisting(
    namespace,
    batch.map(({ value }) => (keyOf(value) === null ? { uuid: value.uuid } : value)),
  );
  const ids = matches.flatMap(({ sameUuid, sameKey }) => sameUuid ?? sameKey ?? []);
  const found = await store.records.get(namespace, ids, 'any');
  const existingById = new Map(found.map((each) => [each.id, each]));
  const purgedBefore = now() - config.retention.purgeAfterDays * DAY_MS;
  return batch.map(({ location, value }, i): Plan => {
    const match = matches[i] ?? { sameUuid: null, sameKey: null };
    const existing = existingById.get(match.sameUuid ?? match.sameKey ?? 0) ?? null;
    const plan = { location, reason: '', record: withSafeState(context, value, existing), existing };
    const isDeleted = value.deletedAt !== null;
    if (existing === null) {
      // A purge would remove it at once.
      const isOver = isDeleted && value.deletedAt < purgedBefore && caller.trust === 'operator';
      return { ...plan, change: isOver ? 'expired' : 'added' };
    }
    const reason = reasonToKeep(context, overwrite, value, existing, match);
    if (reason !== null) return { ...plan, reason, change: reason === '' ? 'unchanged' : 'kept' };
    return { ...plan, change: isDeleted && existing.deletedAt === null ? 'removed' : 'updated' };
  });
}

/** Why the existing record is not replaced: empty when the two are equal, `null` when it is replaced. */
function reasonToKeep(
  { caller }: EngineContext,
  overwrite: boolean,
  record: ExportedRecord,
  existing: LociRecord,
  { sameUuid, sameKey }: ExistingRecords,
): string | null {
  const isOperator = caller.trust === 'operator';
  const name = `record/${String(existing.id)}`;
  if (isDeepStrictEqual(comparableState(record, isOperator), comparableState(existing, isOperator)))
    return '';
  if (sameUuid !== null && sameKey !== null) return `record/${String(sameKey)} has its key here`;
  // An undo gives a deleted record no former text, so the trash of the owner stays as it is.
  if (isForInbox(caller) && existing.deletedAt !== null && record.deletedAt !== null)
    return `${name} is deleted here, too`;
  if (!isOperator && existing.origin !== record.origin)
    return `the origin of ${name} is ${existing.origin}: only the operator may change that`;
  if (overwrite) return null;
  if (existing.uuid !== record.uuid) return `${name} has its key here`;
  const [here, imported] = [lastChange(existing), lastChange(record)];
  if (imported > here) return null;
  return imported < here ? `${name} was changed later here` : `${name} differs, and neither is newer`;
}

/** The part of a record by which two states of it are compared. */
function comparableState(record: ExportedRecord | LociRecord, isOperator: boolean): object {
  const { id: _, uuid: __, contentHash: ___, trust, source, identity, revision, ...rest } = record;
  // An agent's import sets these fields itself, so they do not count as a difference.
  const chosen = isOperator ? { trust, source, identity, revision } : {};
  return { ...rest, namespace: null, ...chosen };
}

function lastChange({ updatedAt, deletedAt }: ExportedRecord): number {
  return Math.max(updatedAt, deletedAt ?? updatedAt);
}

/**
 * The record with the identity of the one that it replaces. An agent's import can only lower the trust. Expiry and purging destroy data,
 * so it may not set times at which they are due at once (R7).
 */
function withSafeState(
  context: EngineContext,
  record: ExportedRecord,
  existing: LociRecord | null,
): ExportedRecord {
  const { caller, now } = context;
  const { deletedAt, trust } = record;
  const expiresAt = record.expiresAt === null ? null : unshortened(context, existing, record.expiresAt);
  const replacing = { ...record, uuid: existing?.uuid ?? record.uuid, expiresAt };
  if (caller.trust === 'operator') return replacing;
  return {
    ...replacing,
    trust: existing === null ? trust : lowerTrust(existing.trust, trust),
    deletedAt: deletedAt === null ? null : Math.max(deletedAt, now()),
    expiresAt: expiresAt === null ? null : Math.max(expiresAt, now() + TTL_SECONDS.min * 1000),
  };
}

/** Leaves room for the ids of later records. */
const MAX_ID = 2 ** 31 - 1;

async function commit(context: EngineContext, writes: readonly Plan[]): Promise<number[]> {
  const { store, namespace, caller } = context;
  const chunking = await chunkingOf(context);
  const imports: RecordImport[] = [];
  for (const { record: after, existing } of writes) {
    const { id, deletedAt, ...draft } = after;
    // Only the operator chooses ids: an agent could use up the highest ones.
    const mayChooseId = caller.trust === 'operator' && id !== 0 && id <= MAX_ID;
    imports.push({
      replaces: existing?.id ?? null,
      ...(existing !== null && {
        expected: { updatedAt: existing.updatedAt, deletedAt: existing.deletedAt },
      }),
      preferredId: mayChooseId ? id : null,
      draft,
      deletedAt,
      passages: deletedAt === null ? await chunking.cut(after) : [],
    });
  }
  const audit = isForInbox(caller)
    ? writes.map((write) => undoableDraft(context, write))
    : auditOf(context, writes);
  const conversations = imports.flatMap(({ draft: { origin, recordType, source } }) =>
    origin === 'source' && recordType === CONVERSATION_TYPE ? source : [],
  );
  const items = [...new Set(conversations)].map((source) => conversationState(context, source));
  const ids = await store.records.commit(namespace, { imports, chunking: chunking.signature, audit, items });
  invalidateNextExpiry(context);
  return ids;
}

/** One entry for all new records, and one with a diff for each changed record. */
function auditOf(context: EngineContext, writes: readonly Plan[]): AuditDraft[] {
  const uuids = writes.flatMap(({ existing, record: added }) => (existing === null ? added.uuid : []));
  const changes = writes.flatMap(({ record: after, existing: before }) => {
    if (before === null) return [];
    const text = (at: number | null): string | number | null => (at === null ? null : timeText(at));
    const deleted = { before: text(before.deletedAt), after: text(after.deletedAt) };
    const isSame = deleted.before === deleted.after;
    const diff = { ...diffOf(before, after), ...(!isSame && { deleted_at: deleted }) };
    return auditDraft(context, 'import', before.uuid, diff);
  });
  const added = auditDraft(context, 'import', null, { added: uuids.length, uuids });
  return uuids.length === 0 ? changes : [added, ...changes];
}

/** For the inbox: the entry of an operation that does the same to the record. */
function undoableDraft(context: EngineContext, { record: after, existing }: Plan): AuditDraft {
  const isDeleted = after.deletedAt !== null;
  if (existing === null)
    return auditDraft(context, isDeleted ? 'delete' : 'write', after.uuid, newDiff(after));
  const restored = existing.deletedAt === null ? 'update' : 'undelete';
  return auditDraft(context, isDeleted ? 'delete' : restored, existing.uuid, diffOf(existing, after));
}
