import { isDeepStrictEqual } from 'node:util';
import { LociError } from '../../core/errors.ts';
import type { LociRecord, Passage } from '../../core/types.ts';
import type { AuditDraft } from '../../store/audit.ts';
import type { RecordImport, ExistingRecords } from '../../store/portability.ts';
import { auditDraft, diffOf } from '../audit/audit.ts';
import type { EngineContext } from '../context.ts';
import { TTL } from '../facts/facts.ts';
import { lowerTrust } from '../access/permission.ts';
import { fitRecord } from './import-fitness.ts';
import type { ImportReport } from './import-report.ts';
import { timeText, type PortableRecord } from './portable-record.ts';

export interface ArrivedRecord {
  readonly where: string;
  readonly record: PortableRecord;
}

export interface RecordOptions {
  readonly dryRun: boolean;
  /** What differs here gives way, whatever is newer. */
  readonly overwrite: boolean;
}

/** A record that is to be put here. */
export interface Planned {
  readonly where: string;
  readonly record: PortableRecord;
  readonly held: LociRecord | null;
  /** The number that it had elsewhere. */
  readonly from: number | null;
  readonly passages: readonly Passage[];
}

/** Numbers that can still be counted on from. */
const MAX_ID = 2 ** 31 - 1;

/** What of a record may differ between two states of it. */
function stateOf(record: PortableRecord, isOperator: boolean): object {
  const { id: _, uuid: __, contentHash: ___, trust, source, identity, revision, ...rest } = record;
  // What an agent imports is trusted less than what was exported, and it is the same all the same.
  return isOperator ? { ...rest, trust, source, identity, revision } : rest;
}

/** Takes in records by the batch, each batch whole or not at all. */
export class RecordImporter {
  readonly #context: EngineContext;
  readonly #options: RecordOptions;
  readonly #report: ImportReport;
  /** The number that the next new record would get, where nothing is written. */
  #nextId: number | null = null;

  constructor(context: EngineContext, options: RecordOptions, report: ImportReport) {
    this.#context = context;
    this.#options = options;
    this.#report = report;
  }

  /** Records of different identities and places. @throws what the store throws */
  async take(batch: readonly ArrivedRecord[]): Promise<void> {
    const fit = await this.#fitOf(batch);
    const { store, namespace } = this.#context;
    const standIns = await store.standIns(
      namespace,
      fit.map(({ record }) => record),
    );
    const ids = standIns.flatMap(({ same, inPlace }) => same ?? inPlace ?? []);
    const held = new Map((await store.heldRecords(namespace, ids)).map((record) => [record.id, record]));
    const planned: Planned[] = [];
    for (const [i, arrived] of fit.entries()) {
      const plan = await this.#plan(arrived, standIns[i] ?? { same: null, inPlace: null }, held);
      if (plan !== null) planned.push(plan);
    }
    await this.put(planned);
  }

  /** Those that may be here at all. */
  async #fitOf(batch: readonly ArrivedRecord[]): Promise<ArrivedRecord[]> {
    const { records } = this.#report;
    const fit: ArrivedRecord[] = [];
    for (const { where, record } of batch) {
      if (record.expiresAt !== null && record.expiresAt <= this.#context.now()) {
        records.expired++;
        continue;
      }
      try {
        const { thing, masked } = await fitRecord(this.#context, record);
        this.#report.mask(where, masked);
        fit.push({ where, record: thing });
      } catch (error) {
        if (!(error instanceof LociError)) throw error;
        this.#report.refuse(records, where, error);
      }
    }
    return fit;
  }

  /** `null` where nothing is to be done, which the report then says. */
  async #plan(
    { where, record }: ArrivedRecord,
    { same, inPlace }: ExistingRecords,
    heldById: ReadonlyMap<number, LociRecord>,
  ): Promise<Planned | null> {
    const { records } = this.#report;
    const held = heldById.get(same ?? inPlace ?? 0) ?? null;
    if (held !== null) {
      const why = this.#whyKept(record, held, same !== null && inPlace !== null ? inPlace : null);
      if (why === 'unchanged') records.unchanged++;
      else if (why !== null) {
        records.kept++;
        this.#report.conflict(where, why);
      }
      if (why !== null) return null;
    }
    try {
      const chunking = await this.#context.chunking();
      const passages = record.deletedAt === null ? await chunking.cut(record) : [];
      const put = this.#inTime(held === null ? record : this.#besides(record, held));
      return { where, record: put, held, from: record.id, passages };
    } catch (error) {
      if (!(error instanceof LociError) || error.code !== 'unreadable') throw error;
      this.#report.refuse(records, where, error);
      return null;
    }
  }

  /** Why what is held stays as it is; `null` where it gives way. */
  #whyKept(record: PortableRecord, held: LociRecord, other: number | null): string | null {
    const { trust } = this.#context.caller;
    const name = `record/${String(held.id)}`;
    const { namespace: _, ...own } = held;
    if (isDeepStrictEqual(stateOf(record, trust === 'operator'), stateOf(own, trust === 'operator')))
      return 'unchanged';
    if (other !== null) return `its key is that of record/${String(other)} here`;
    if (trust !== 'operator' && held.origin !== record.origin)
      return `${name} is of the origin ${held.origin}: only the operator may change that`;
    if (this.#options.overwrite) return null;
    if (held.uuid !== record.uuid) return `${name} stands in its place here`;
    const [here, there] = [lastChange(own), lastChange(record)];
    if (there > here) return null;
    return there < here ? `${name} was changed later here` : `${name} differs, and neither is newer`;
  }

  /** As it takes the place of what is held: what is trusted less makes both so. */
  #besides(record: PortableRecord, held: LociRecord): PortableRecord {
    const isOperator = this.#context.caller.trust === 'operator';
    const trust = isOperator ? record.trust : lowerTrust(held.trust, record.trust);
    return { ...record, uuid: held.uuid, trust };
  }

  /** Only time can destroy: an agent may not say that it has passed already, nor that it soon will have (R7). */
  #inTime(record: PortableRecord): PortableRecord {
    const { caller, now } = this.#context;
    if (caller.trust === 'operator') return record;
    const { deletedAt, expiresAt } = record;
    return {
      ...record,
      deletedAt: deletedAt === null ? null : Math.max(deletedAt, now()),
      expiresAt: expiresAt === null ? null : Math.max(expiresAt, now() + TTL.least * 1000),
    };
  }

  /** All of them, but those that somebody else was quicker with. */
  async put(planned: readonly Planned[]): Promise<void> {
    if (planned.length === 0) return;
    try {
      await this.#put(planned);
    } catch (error) {
      if (!isConflict(error)) throw error;
      // Somebody else came between, or two of them are in each other's way: each for itself.
      for (const each of planned) {
        await this.#put([each]).catch((cause: unknown) => {
          if (!isConflict(cause)) throw cause;
          this.#report.records.kept++;
          this.#report.conflict(each.where, (cause as LociError).message);
        });
      }
    }
  }

  async #put(planned: readonly Planned[]): Promise<void> {
    const ids = this.#options.dryRun ? await this.#foreseen(planned) : await this.#commit(planned);
    const { records } = this.#report;
    for (const [i, { where, record, held, from }] of planned.entries()) {
      const removed = record.deletedAt !== null && held?.deletedAt === null;
      const change = held === null ? 'added' : removed ? 'removed' : 'updated';
      records[change]++;
      const title = record.title === '' ? record.content.slice(0, 80) : record.title;
      if (this.#options.dryRun) this.#report.change({ where, change, title });
      const to = ids[i] ?? record.id;
      if (held === null && from !== null && to !== from) this.#report.number({ uuid: record.uuid, from, to });
    }
  }

  async #commit(planned: readonly Planned[]): Promise<number[]> {
    const context = this.#context;
    const chunking = await context.chunking();
    const ids = await context.store.commit(context.namespace, {
      writes: [],
      evictions: [],
      imports: planned.map((plan) => this.#importOf(plan)),
      chunking: chunking.signature,
      audit: auditOf(context, planned),
    });
    context.lookAgain();
    return ids;
  }

  #importOf({ record, held, from, passages }: Planned): RecordImport {
    const { id: _, deletedAt, ...draft } = record;
    return {
      replaces: held?.id ?? null,
      ...(held !== null && { expected: { updatedAt: held.updatedAt, deletedAt: held.deletedAt } }),
      // Whoever may not be trusted may not use up numbers.
      wanted: this.#context.caller.trust === 'operator' && (from ?? 0) <= MAX_ID ? from : null,
      draft,
      deletedAt,
      passages,
    };
  }

  /** The numbers that a commit would give. */
  async #foreseen(planned: readonly Planned[]): Promise<number[]> {
    const { store, namespace } = this.#context;
    let next = this.#nextId ?? (await store.highestId(namespace)) + 1;
    const ids = planned.map((plan) => {
      const { replaces, wanted } = this.#importOf(plan);
      if (replaces !== null) return replaces;
      next = Math.max(next, wanted ?? 0) + 1;
      return next - 1;
    });
    this.#nextId = next;
    return ids;
  }
}

function lastChange({ updatedAt, deletedAt }: PortableRecord): number {
  return Math.max(updatedAt, deletedAt ?? updatedAt);
}

function isConflict(error: unknown): boolean {
  return error instanceof LociError && (error.code === 'conflict' || error.code === 'not_found');
}

/** One entry for all that are new, and one with a diff for each that was changed. */
function auditOf(context: EngineContext, planned: readonly Planned[]): AuditDraft[] {
  const added = planned.filter(({ held }) => held === null).map(({ record }) => record.uuid);
  const changes = planned.flatMap(({ record, held }) => {
    if (held === null) return [];
    const time = (at: number | null): string | number | null => (at === null ? null : timeText(at));
    const deleted =
      held.deletedAt === record.deletedAt
        ? {}
        : { deleted_at: { before: time(held.deletedAt), after: time(record.deletedAt) } };
    return auditDraft(context, 'import', held.uuid, { ...diffOf(held, record), ...deleted });
  });
  if (added.length === 0) return changes;
  return [auditDraft(context, 'import', null, { added: added.length, uuids: added }), ...changes];
}
