import { sha256 } from '../../../core/ids.ts';
import { assertNotAborted } from '../../../core/progress.ts';
import type { Timestamp } from '../../../core/types.ts';
import type { AuditEntry } from '../../../store/admin-model.ts';
import { auditDraft } from '../../audit/audit.ts';
import { LociError } from '../../../core/errors.ts';
import { screenTexts } from '../../records/screen.ts';
import {
  isRefusal,
  type ExportedRecord,
  type ImportJob,
  type Located,
  type StoredType,
} from './item-type.ts';
import { formatLine, itemType, readAll, type ExportItem } from './items.ts';
import { RecordImporter } from './record-importer.ts';
import type { ItemTypeName } from './import-report.ts';

/** How many items are written at a time, and about how many characters they have. */
const MAX_BATCH_ITEMS = 100;
const MAX_BATCH_CHARACTERS = 1_000_000;

type Value = ExportItem['value'];

/** An item of the store, without its content. */
interface Existing {
  readonly at: Timestamp;
  readonly digest: string;
}

/** Imports items in their order. Items of one type that follow each other are written in batches. */
export class ItemImport {
  readonly #job: ImportJob;
  readonly #records: RecordImporter;
  /** Audit chains that cannot be attached. */
  readonly #rejected = new Set<string>();
  /** By key. */
  readonly #existing = new Map<ItemTypeName, Map<string, Existing>>();
  #type: ItemTypeName = 'startup';
  #pending: Located<Value>[] = [];
  #characters = 0;

  constructor(job: ImportJob) {
    this.#job = job;
    this.#records = new RecordImporter(job);
  }

  async add(location: string, { type, value }: ExportItem): Promise<void> {
    const { context, report } = this.#job;
    if (type !== this.#type) await this.flush();
    this.#type = type;
    const counts = report.counts[type];
    if (type !== 'record' && context.caller.trust !== 'operator') {
      // The report names the first one only.
      if (counts.refused++ === 0) report.addProblem(location, `${type}: only the operator may import that`);
      return;
    }
    const expiresAt = 'expiresAt' in value ? value.expiresAt : null;
    if (expiresAt !== null && expiresAt <= context.now()) {
      counts.expired++;
      return;
    }
    try {
      const screened = await itemType(type).screen(context, value);
      report.addMasked(location, screened.masked);
      this.#pending.push({ location, value: screened.value });
      this.#characters += 'content' in value ? value.content.length : 0;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      report.addRefused(type, location, error);
    }
    if (this.#pending.length >= MAX_BATCH_ITEMS || this.#characters >= MAX_BATCH_CHARACTERS)
      await this.flush();
  }

  /** Writes what was added and is not written yet. */
  async flush(): Promise<void> {
    assertNotAborted(this.#job.options);
    const batch = this.#pending;
    this.#pending = [];
    this.#characters = 0;
    const type = itemType(this.#type);
    if (batch.length === 0) return;
    if ('puts' in type) await this.#putStored(type, batch);
    else if (this.#type === 'record') await this.#records.put(batch as readonly Located<ExportedRecord>[]);
    else await this.#attachAudit(batch as readonly Located<AuditEntry>[]);
  }

  /** Of two items with one key, the one that was written later wins. */
  async #putStored(type: StoredType<Value>, batch: readonly Located<Value>[]): Promise<void> {
    const { context, options, report } = this.#job;
    const existing = await this.#existingOf(type);
    const counts = report.counts[this.#type];
    const written = new Map<string, Value>();
    for (const { location, value } of batch) {
      const remark = type.remark?.(context, value) ?? null;
      if (remark !== null) report.addProblem(location, `${type.title(value)} is stored, but ${remark}`);
      const key = type.key(value);
      const after = { at: type.at(value), digest: this.#digestOf(value) };
      const before = existing.get(key);
      if (before?.digest === after.digest) counts.unchanged++;
      else if (before !== undefined && !options.overwrite && after.at <= before.at) {
        counts.kept++;
        report.addConflict(location, `${type.title(value)} is not older here`);
      } else {
        const isRemoved = 'deletedAt' in value && value.deletedAt !== null && before !== undefined;
        const change = before === undefined ? 'added' : isRemoved ? 'removed' : 'updated';
        counts[change]++;
        if (options.dry_run && this.#type === 'startup')
          report.addChange({ location, change, title: type.title(value) });
        existing.set(key, after);
        written.set(key, value);
      }
    }
    if (options.dry_run || written.size === 0) return;
    const values = [...written.values()];
    const drafts =
      type.audit === undefined
        ? [auditDraft(context, 'import', null, { [this.#type]: values.length })]
        : await type.audit(context, values);
    await context.store.records.commit(context.namespace, { items: type.puts(values), audit: drafts });
  }

  /** Read once for each type: the import of many items takes linear time. */
  async #existingOf(type: StoredType<Value>): Promise<Map<string, Existing>> {
    const found = this.#existing.get(this.#type);
    if (found !== undefined) return found;
    const existing = new Map<string, Existing>();
    for await (const value of readAll(this.#job.context, type.existing ?? type))
      existing.set(type.key(value), { at: type.at(value), digest: this.#digestOf(value) });
    this.#existing.set(this.#type, existing);
    return existing;
  }

  /** Attaches the entries of each chain to it, in their order. */
  async #attachAudit(batch: readonly Located<AuditEntry>[]): Promise<void> {
    const { context, options, report } = this.#job;
    const { store, namespace } = context;
    const links = batch.map(({ value }) => value);
    for (const [chain, entries] of Map.groupBy(links, (entry) => entry.chain)) {
      if (this.#rejected.has(chain)) continue;
      try {
        const { chains } = await store.admin.audit(namespace, { chains: true });
        const length = chains.find((each) => each.chain === chain)?.length ?? 0;
        if (!options.dry_run) {
          const attachedAudit = await Promise.all(entries.map((entry) => withoutSecrets(this.#job, entry)));
          await store.records.commit(namespace, { attachedAudit });
        }
        const added = entries.filter(({ seq }) => seq > length).length;
        report.counts.audit.added += added;
        report.counts.audit.unchanged += entries.length - added;
      } catch (error) {
        if (!isRefusal(error)) throw error;
        this.#rejected.add(chain);
        report.addConflict(`audit chain ${chain}`, error.message);
      }
    }
  }

  #digestOf(value: Value): string {
    return sha256(formatLine({ type: this.#type, value } as ExportItem));
  }
}

/** Removes a diff that has a secret. The chain stays valid, because its hashes cover the hash of the diff. */
async function withoutSecrets({ context, report }: ImportJob, entry: AuditEntry): Promise<AuditEntry> {
  if (entry.diff === null) return entry;
  const content = JSON.stringify(entry.diff);
  const masked = await screenTexts(context, { content }).then(
    (screening) => screening.masked,
    (error: unknown) => {
      if (error instanceof LociError && error.code === 'secret_refused') return ['secret'];
      throw error;
    },
  );
  report.addMasked(`audit entry ${String(entry.seq)}`, masked);
  return masked.length === 0 ? entry : { ...entry, diff: null };
}
