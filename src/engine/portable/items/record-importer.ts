import { isDeepStrictEqual } from 'node:util';
import { isForInbox } from '../../../core/caller.ts';
import { LociError } from '../../../core/errors.ts';
import { DAY_MS } from '../../../core/time/whole-day.ts';
import type { LociRecord, Passage } from '../../../core/types.ts';
import type { AuditDraft } from '../../../store/admin-model.ts';
import type { ExistingRecords, RecordImport } from '../../../store/model.ts';
import { lowerTrust } from '../../access/permission.ts';
import { auditDraft, diffOf, newDiff } from '../../audit/audit.ts';
import type { EngineContext } from '../../context.ts';
import { TTL_SECONDS } from '../../facts/fact-fields.ts';
import { invalidateNextExpiry, unshortened } from '../../shared/retention.ts';
import { chunkingOf } from '../../embedding/models.ts';
import { type ExportedRecord, type ImportJob, type Located, timeText } from './item-type.ts';

export interface PlannedWrite {
  readonly location: string;
  readonly record: ExportedRecord;
  /** The record that is replaced; `null` for a new one. */
  readonly existing: LociRecord | null;
  /** The id that the record had in the export. */
  readonly exportedId: number | null;
  readonly passages: readonly Passage[];
}

/** Leaves room for the ids of later records. */
const MAX_ID = 2 ** 31 - 1;

/** The part of a record by which two states of it are compared. */
function comparableState(record: ExportedRecord, isOperator: boolean): object {
  const { id: _, uuid: __, contentHash: ___, trust, source, identity, revision, ...rest } = record;
  // An agent's import sets these fields itself, so they do not count as a difference.
  return isOperator ? { ...rest, trust, source, identity, revision } : rest;
}

/** Writes records in batches, each in one transaction. */
export class RecordImporter {
  readonly #context: EngineContext;
  readonly #options: ImportJob['options'];
  readonly #report: ImportJob['report'];

  constructor({ context, options, report }: ImportJob) {
    this.#context = context;
    this.#options = options;
    this.#report = report;
  }

  /** Of two states of one record in a batch, the second is a conflict. An export has one. */
  async put(batch: readonly Located<ExportedRecord>[]): Promise<void> {
    const { store, namespace } = this.#context;
    const matches = await store.records.findExisting(
      namespace,
      batch.map(({ value }) => value),
    );
    const ids = matches.flatMap(({ sameUuid, sameKey }) => sameUuid ?? sameKey ?? []);
    const existing = new Map(
      (await store.records.get(namespace, ids, 'any')).map((record) => [record.id, record]),
    );
    const planned: PlannedWrite[] = [];
    for (const [i, located] of batch.entries()) {
      const plan = await this.#plan(located, matches[i] ?? { sameUuid: null, sameKey: null }, existing);
      if (plan !== null) planned.push(plan);
    }
    await this.write(planned);
  }

  /** `null` when there is nothing to write; the report says why. */
  async #plan(
    { location, value: record }: Located<ExportedRecord>,
    { sameUuid, sameKey }: ExistingRecords,
    existingById: ReadonlyMap<number, LociRecord>,
  ): Promise<PlannedWrite | null> {
    const records = this.#report.counts.record;
    const existing = existingById.get(sameUuid ?? sameKey ?? 0) ?? null;
    if (existing !== null) {
      const otherWithKey = sameUuid !== null && sameKey !== null ? sameKey : null;
      const reason = this.#reasonToKeep(record, existing, otherWithKey);
      if (reason === 'unchanged') records.unchanged++;
      else if (reason !== null) {
        records.kept++;
        this.#report.addConflict(location, reason);
      }
      if (reason !== null) return null;
    } else if (this.#isOver(record)) {
      records.expired++;
      return null;
    }
    try {
      const chunking = await chunkingOf(this.#context);
      const passages = record.deletedAt === null ? await chunking.cut(record) : [];
      const replacing = existing === null ? record : this.#replacing(record, existing);
      const written = this.#withSafeTimes(replacing, existing);
      return { location, record: written, existing, exportedId: record.id, passages };
    } catch (error) {
      if (!(error instanceof LociError) || error.code !== 'unreadable') throw error;
      this.#report.addRefused('record', location, error);
      return null;
    }
  }

  /** Whether a purge would remove the new record at once. */
  #isOver({ deletedAt }: ExportedRecord): boolean {
    const { caller, config, now } = this.#context;
    if (deletedAt === null || caller.trust !== 'operator') return false;
    return deletedAt < now() - config.retention.purgeAfterDays * DAY_MS;
  }

  /** Why the existing record is not replaced; `null` when it is. */
  #reasonToKeep(record: ExportedRecord, existing: LociRecord, otherWithKey: number | null): string | null {
    const isOperator = this.#context.caller.trust === 'operator';
    const name = `record/${String(existing.id)}`;
    const { namespace: _, ...state } = existing;
    if (isDeepStrictEqual(comparableState(record, isOperator), comparableState(state, isOperator)))
      return 'unchanged';
    if (otherWithKey !== null) return `record/${String(otherWithKey)} has its key here`;
    // An undo gives a deleted record no former text, so the trash of the owner stays as it is.
    if (isForInbox(this.#context.caller) && existing.deletedAt !== null && record.deletedAt !== null)
      return `${name} is deleted here, too`;
    if (!isOperator && existing.origin !== record.origin)
      return `the origin of ${name} is ${existing.origin}: only the operator may change that`;
    if (this.#options.overwrite) return null;
    if (existing.uuid !== record.uuid) return `${name} has its key here`;
    const [existingChange, importedChange] = [lastChange(state), lastChange(record)];
    if (importedChange > existingChange) return null;
    return importedChange < existingChange
      ? `${name} was changed later here`
      : `${name} differs, and neither is newer`;
  }

  /** The record with the identity of the one that it replaces. An agent's import can only lower the trust. */
  #replacing(record: ExportedRecord, existing: LociRecord): ExportedRecord {
    const isOperator = this.#context.caller.trust === 'operator';
    const trust = isOperator ? record.trust : lowerTrust(existing.trust, record.trust);
    return { ...record, uuid: existing.uuid, trust };
  }

  /** Expiry and purging destroy data, so an agent's import may not set times at which they are due at once (R7). */
  #withSafeTimes(record: ExportedRecord, existing: LociRecord | null): ExportedRecord {
    const { caller, now } = this.#context;
    const { deletedAt } = record;
    const expiresAt =
      record.expiresAt === null ? null : unshortened(this.#context, existing, record.expiresAt);
    if (caller.trust === 'operator') return { ...record, expiresAt };
    return {
      ...record,
      deletedAt: deletedAt === null ? null : Math.max(deletedAt, now()),
      expiresAt: expiresAt === null ? null : Math.max(expiresAt, now() + TTL_SECONDS.min * 1000),
    };
  }

  /** Writes all of them, except those that another process changed in the meantime. */
  async write(planned: readonly PlannedWrite[]): Promise<void> {
    if (planned.length === 0) return;
    try {
      await this.#writeBatch(planned);
    } catch (error) {
      if (!isConflict(error)) throw error;
      // Written one by one, only the records that conflict are left out.
      for (const plan of planned) {
        await this.#writeBatch([plan]).catch((cause: unknown) => {
          if (!isConflict(cause)) throw cause;
          this.#report.counts.record.kept++;
          this.#report.addConflict(plan.location, cause.message);
        });
      }
    }
  }

  async #writeBatch(planned: readonly PlannedWrite[]): Promise<void> {
    const { dry_run } = this.#options;
    const ids = dry_run ? [] : await this.#commit(planned);
    const records = this.#report.counts.record;
    for (const [i, { location, record, existing, exportedId }] of planned.entries()) {
      const removed = record.deletedAt !== null && existing?.deletedAt === null;
      const change = existing === null ? 'added' : removed ? 'removed' : 'updated';
      records[change]++;
      const title = record.title === '' ? record.content.slice(0, 80) : record.title;
      if (dry_run) this.#report.addChange({ location, change, title });
      const to = ids[i] ?? record.id;
      if (existing === null && exportedId !== null && to !== exportedId)
        this.#report.addRenumbered({ uuid: record.uuid, from: exportedId, to });
    }
  }

  async #commit(planned: readonly PlannedWrite[]): Promise<number[]> {
    const context = this.#context;
    const chunking = await chunkingOf(context);
    const ids = await context.store.records.commit(context.namespace, {
      imports: planned.map((plan) => this.#recordImport(plan)),
      chunking: chunking.signature,
      audit: auditOf(context, planned),
    });
    invalidateNextExpiry(context);
    return ids;
  }

  #recordImport({ record, existing, exportedId, passages }: PlannedWrite): RecordImport {
    const { id: _, deletedAt, ...draft } = record;
    // Only the operator chooses ids: an agent could use up the highest ones.
    const mayChooseId = this.#context.caller.trust === 'operator' && (exportedId ?? 0) <= MAX_ID;
    return {
      replaces: existing?.id ?? null,
      ...(existing !== null && {
        expected: { updatedAt: existing.updatedAt, deletedAt: existing.deletedAt },
      }),
      preferredId: mayChooseId ? exportedId : null,
      draft,
      deletedAt,
      passages,
    };
  }
}

function lastChange({ updatedAt, deletedAt }: ExportedRecord): number {
  return Math.max(updatedAt, deletedAt ?? updatedAt);
}

function isConflict(error: unknown): error is LociError {
  return error instanceof LociError && (error.code === 'conflict' || error.code === 'not_found');
}

/** One entry for all new records, and one with a diff for each changed record; for the inbox, one for each record, which can be undone. */
function auditOf(context: EngineContext, planned: readonly PlannedWrite[]): AuditDraft[] {
  if (isForInbox(context.caller)) return planned.map((plan) => undoableDraft(context, plan));
  const added = planned.filter(({ existing }) => existing === null).map(({ record }) => record.uuid);
  const changes = planned.flatMap(({ record, existing }) => {
    if (existing === null) return [];
    const time = (at: number | null): string | number | null => (at === null ? null : timeText(at));
    const deleted =
      existing.deletedAt === record.deletedAt
        ? {}
        : { deleted_at: { before: time(existing.deletedAt), after: time(record.deletedAt) } };
    return auditDraft(context, 'import', existing.uuid, { ...diffOf(existing, record), ...deleted });
  });
  if (added.length === 0) return changes;
  return [auditDraft(context, 'import', null, { added: added.length, uuids: added }), ...changes];
}

/** The entry of an operation that does the same to the record. */
function undoableDraft(context: EngineContext, { record, existing }: PlannedWrite): AuditDraft {
  if (existing === null)
    return auditDraft(context, record.deletedAt === null ? 'write' : 'delete', record.uuid, newDiff(record));
  const restored = existing.deletedAt === null ? 'update' : 'undelete';
  return auditDraft(
    context,
    record.deletedAt === null ? restored : 'delete',
    existing.uuid,
    diffOf(existing, record),
  );
}
