import { isDeepStrictEqual } from 'node:util';
import { LociError } from '../../../core/errors.ts';
import { sha256 } from '../../../core/ids.ts';
import { assertNotAborted, type ProgressOptions } from '../../../core/progress.ts';
import type { AuditEntry, HistoryDraft, StartupEntry } from '../../../store/admin-model.ts';
import type { ConceptChange } from '../../../store/concept-model.ts';
import { HISTORY_CATEGORIES } from '../../../store/admin-model.ts';
import { auditDraft } from '../../audit/audit.ts';
import { MAX_RUNS_PER_CATEGORY } from '../../audit/history-log.ts';
import type { EngineContext } from '../../context.ts';
import { screenTexts } from '../../records/screen.ts';
import { whyTooLong } from '../../startup/budget.ts';
import type { GoldenQuery, Label } from '../../../store/item-model.ts';
import {
  conceptChangePut,
  conceptChanges,
  goldenQueryPut,
  historyChanges,
  historyRuns,
  labelPut,
  startupEntries,
  startupPut,
  storedLabels,
} from '../../../store/items/kinds.ts';
import { allGoldenQueries, goldenAuditDraft } from '../../golden/golden-queries.ts';
import { labelAuditDraft } from '../../packs/labels.ts';
import { startupAuditDraft } from '../../startup/startup.ts';
import type { ParsedLine } from './export-lines.ts';
import type { ImportReport } from './import-report.ts';
import { RecordImporter, type LocatedRecord, type RecordOptions } from './record-importer.ts';
import {
  screenConceptChange,
  screenGoldenQuery,
  screenLabel,
  screenRun,
  screenStartup,
} from './screening.ts';

export interface ImportOptions extends ProgressOptions, RecordOptions {}

/** The maximum number of items in one transaction, and the approximate number of characters of its records. */
const MAX_BATCH_ITEMS = 100;
const MAX_BATCH_CHARACTERS = 1_000_000;

/** More than any receipt has. */
const EVERY_LABEL = { after: null, limit: 10_000 } as const;

/** Imports items in batches. An import that was interrupted continues when it is run again. */
export class ImportRun {
  readonly #context: EngineContext;
  readonly #options: ImportOptions;
  readonly #report: ImportReport;
  readonly records: RecordImporter;
  #pendingRecords: LocatedRecord[] = [];
  #pendingCharacters = 0;
  /** UUIDs and keys of the pending records. */
  readonly #pendingNames = new Set<string>();
  #pendingConceptChanges: ConceptChange[] = [];
  #pendingAudit: AuditEntry[] = [];
  #pendingHistory: HistoryDraft[] = [];
  readonly #rejectedChains = new Set<string>();
  /** Types that the report already names as reserved for the operator. */
  readonly #forbiddenTypes = new Set<string>();
  #existingRuns: Set<string> | null = null;
  #existingChanges: Set<string> | null = null;
  #existingGoldenQueries: Map<string, GoldenQuery> | null = null;

  constructor(context: EngineContext, options: ImportOptions, report: ImportReport) {
    this.#context = context;
    this.#options = options;
    this.#report = report;
    this.records = new RecordImporter(context, options, report);
  }

  async importLines(lines: AsyncIterable<ParsedLine>, subject: string, total: number): Promise<void> {
    let done = 0;
    for await (const line of lines) {
      await this.#importLine(line);
      this.#options.onProgress?.({ stage: 'reading', subject, done: ++done, total });
    }
    await this.#flush();
  }

  async #importLine(line: ParsedLine): Promise<void> {
    const { location } = line;
    if ('invalid' in line) {
      this.#report.records.refused++;
      this.#report.addProblem(location, line.invalid);
      return;
    }
    const { item } = line;
    switch (item.type) {
      case 'record':
        return this.#importRecord({ location, record: item.record });
      case 'startup':
        return this.#importStartup(location, item.entry);
      case 'concept_change':
        return this.#importConceptChange(location, item.change);
      case 'label':
        return this.#importLabel(location, item.label);
      case 'golden_query':
        return this.#importGoldenQuery(location, item.query);
      case 'audit':
        return this.#importAudit(location, item.entry);
      case 'history':
        return this.#importHistory(location, item.row);
    }
  }

  async #importRecord(located: LocatedRecord): Promise<void> {
    const { uuid, origin, source, category, key, content } = located.record;
    const keyName = JSON.stringify(origin === 'fact' ? ['fact', category, key] : [source, key]);
    const names = key === null ? [uuid] : [uuid, keyName];
    // A batch is compared with the store as a whole, so it must not have two states of one record.
    if (names.some((name) => this.#pendingNames.has(name))) await this.#flush();
    for (const name of names) this.#pendingNames.add(name);
    this.#pendingRecords.push(located);
    this.#pendingCharacters += content.length;
    if (this.#pendingRecords.length >= MAX_BATCH_ITEMS || this.#pendingCharacters >= MAX_BATCH_CHARACTERS)
      await this.#flush();
  }

  async #flush(): Promise<void> {
    assertNotAborted(this.#options);
    const [records, audit, history] = [this.#pendingRecords, this.#pendingAudit, this.#pendingHistory];
    const conceptChanges = this.#pendingConceptChanges;
    this.#pendingConceptChanges = [];
    this.#pendingRecords = [];
    this.#pendingAudit = [];
    this.#pendingHistory = [];
    this.#pendingCharacters = 0;
    this.#pendingNames.clear();
    if (records.length > 0) await this.records.importBatch(records);
    if (conceptChanges.length > 0) await this.#putConceptChanges(conceptChanges);
    if (audit.length > 0) await this.#putAudit(audit);
    if (history.length > 0) await this.#putHistory(history);
  }

  async #importStartup(location: string, imported: StartupEntry): Promise<void> {
    try {
      const { value, masked } = await screenStartup(this.#context, imported);
      this.#report.addMasked(location, masked);
      await this.putStartup(location, value);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.#report.addRefused(this.#report.startup, location, error);
    }
  }

  /** @param entry an entry that was screened */
  async putStartup(location: string, entry: StartupEntry): Promise<void> {
    const { store, namespace, config } = this.#context;
    const { startup } = this.#report;
    const name = `the startup entry ${JSON.stringify(entry.key)}`;
    const entries = await startupEntries(store.records, namespace);
    const existing = entries.find(({ agent, key }) => agent === entry.agent && key === entry.key);
    const tooLong = entry.deletedAt === null ? whyTooLong(config.startup, entry) : null;
    if (tooLong !== null) this.#report.addProblem(location, `${name} is stored, but ${tooLong}`);
    if (isDeepStrictEqual(existing, entry)) {
      startup.unchanged++;
      return;
    }
    if (existing !== undefined && !this.#options.overwrite && entry.updatedAt <= existing.updatedAt) {
      startup.kept++;
      this.#report.addConflict(location, `${name} is not older here`);
      return;
    }
    if (!this.#options.dryRun)
      await store.records.commit(namespace, {
        items: [startupPut(entry)],
        audit: [startupAuditDraft(this.#context, 'import', existing, entry)],
      });
    const removed = entry.deletedAt !== null && existing?.deletedAt === null;
    const change = existing === undefined ? 'added' : removed ? 'removed' : 'updated';
    startup[change]++;
    if (this.#options.dryRun)
      this.#report.addChange({ location, change, title: `startup entry ${entry.key}` });
  }

  async #importConceptChange(location: string, imported: ConceptChange): Promise<void> {
    if (this.#isForbidden('concept_change', location, 'it is a change of concepts')) return;
    const { store, namespace } = this.#context;
    this.#existingChanges ??= new Set((await conceptChanges(store.records, namespace)).map(({ id }) => id));
    if (this.#existingChanges.has(imported.id)) return;
    try {
      const { value, masked } = await screenConceptChange(this.#context, imported);
      this.#report.addMasked(location, masked);
      this.#existingChanges.add(imported.id);
      this.#pendingConceptChanges.push(value);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.#report.addProblem(location, error.message);
    }
    if (this.#pendingConceptChanges.length >= MAX_BATCH_ITEMS) await this.#flush();
  }

  async #putConceptChanges(conceptChanges: readonly ConceptChange[]): Promise<void> {
    this.#report.auxiliary.concept_change += conceptChanges.length;
    if (this.#options.dryRun) return;
    const diff = { concept_changes: { added: conceptChanges.map(({ id }) => id) } };
    await this.#context.store.records.commit(this.#context.namespace, {
      items: conceptChanges.map(conceptChangePut),
      audit: [auditDraft(this.#context, 'import', 'concept-changes', diff)],
    });
  }

  /** The label that was given later wins. */
  async #importLabel(location: string, imported: Label): Promise<void> {
    if (this.#isForbidden('label', location, 'it is a label of the operator')) return;
    const { store, namespace } = this.#context;
    try {
      const { value: label, masked } = await screenLabel(this.#context, imported);
      this.#report.addMasked(location, masked);
      const existing = (await storedLabels(store.records, namespace, label.receipt, EVERY_LABEL)).find(
        ({ record }) => record === label.record,
      );
      if (existing !== undefined && !this.#options.overwrite && existing.at >= label.at) return;
      if (existing !== undefined && isDeepStrictEqual({ ...label, sequence: existing.sequence }, existing))
        return;
      this.#report.auxiliary.labels++;
      if (this.#options.dryRun) return;
      await store.records.commit(namespace, {
        items: [labelPut(label)],
        audit: [labelAuditDraft(this.#context, 'import', existing, label)],
      });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.#report.addProblem(location, error.message);
    }
  }

  /** The one that was recorded later wins. */
  async #importGoldenQuery(location: string, imported: GoldenQuery): Promise<void> {
    if (this.#isForbidden('golden_query', location, 'it is a golden query')) return;
    const { store, namespace } = this.#context;
    try {
      const { value: golden, masked } = await screenGoldenQuery(this.#context, imported);
      this.#report.addMasked(location, masked);
      this.#existingGoldenQueries ??= new Map(
        (await allGoldenQueries(this.#context)).map(({ sequence: _, ...each }) => [each.id, each]),
      );
      const existing = this.#existingGoldenQueries.get(golden.id);
      if (existing !== undefined && !this.#options.overwrite && existing.at >= golden.at) return;
      if (isDeepStrictEqual(golden, existing)) return;
      this.#existingGoldenQueries.set(golden.id, golden);
      this.#report.auxiliary.golden_queries++;
      if (this.#options.dryRun) return;
      await store.records.commit(namespace, {
        items: [goldenQueryPut(golden)],
        audit: [goldenAuditDraft(this.#context, 'import', existing, golden)],
      });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.#report.addProblem(location, error.message);
    }
  }

  async #importAudit(location: string, entry: AuditEntry): Promise<void> {
    if (this.#isForbidden('audit', location, 'it belongs to the audit log')) return;
    this.#pendingAudit.push(entry);
    if (this.#pendingAudit.length >= MAX_BATCH_ITEMS) await this.#flush();
  }

  /** Reports the first line of a type that only the operator may import. */
  #isForbidden(
    type: 'concept_change' | 'label' | 'golden_query' | 'audit' | 'history',
    location: string,
    reason: string,
  ): boolean {
    if (this.#context.caller.trust === 'operator') return false;
    if (!this.#forbiddenTypes.has(type))
      this.#report.addProblem(location, `${reason}: only the operator may import that`);
    this.#forbiddenTypes.add(type);
    return true;
  }

  async #putAudit(entries: readonly AuditEntry[]): Promise<void> {
    const { store, namespace } = this.#context;
    const chains = Map.groupBy(entries, ({ chain }) => chain);
    for (const [chain, links] of chains) {
      if (this.#rejectedChains.has(chain)) continue;
      try {
        const added = await this.#countNew(chain, links);
        if (!this.#options.dryRun) {
          const attachedAudit = await Promise.all(links.map((link) => this.#withoutSecrets(link)));
          await store.records.commit(namespace, { attachedAudit });
        }
        this.#report.auxiliary.audit += added;
      } catch (error) {
        if (!isRefusal(error)) throw error;
        this.#rejectedChains.add(chain);
        this.#report.addConflict(`audit chain ${chain}`, error.message);
      }
    }
  }

  /** Removes a diff that has a secret. The chain stays valid, because its hashes cover the hash of the diff. */
  async #withoutSecrets(entry: AuditEntry): Promise<AuditEntry> {
    if (entry.diff === null) return entry;
    const content = JSON.stringify(entry.diff);
    const masked = await screenTexts(this.#context, { content }).then(
      (screening) => screening.masked,
      (error: unknown) => {
        if (error instanceof LociError && error.code === 'secret_refused') return ['secret'];
        throw error;
      },
    );
    this.#report.addMasked(`audit entry ${String(entry.seq)}`, masked);
    return masked.length === 0 ? entry : { ...entry, diff: null };
  }

  async #countNew(chain: string, links: readonly AuditEntry[]): Promise<number> {
    const { chains } = await this.#context.store.admin.audit(this.#context.namespace, { chains: true });
    const length = chains.find((each) => each.chain === chain)?.length ?? 0;
    return links.filter(({ seq }) => seq > length).length;
  }

  async #importHistory(location: string, row: HistoryDraft): Promise<void> {
    if (this.#isForbidden('history', location, 'it is a run')) return;
    if (row.expiresAt <= this.#context.now()) return;
    try {
      const { value, masked } = await screenRun(this.#context, row);
      this.#report.addMasked(location, masked);
      this.#pendingHistory.push(value);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.#report.addProblem(location, error.message);
    }
    if (this.#pendingHistory.length >= MAX_BATCH_ITEMS) await this.#flush();
  }

  async #putHistory(rows: readonly HistoryDraft[]): Promise<void> {
    this.#existingRuns ??= await this.#readExistingRuns();
    const existing = this.#existingRuns;
    const added = rows.filter((row) => !existing.has(runDigest(row)));
    for (const row of added) existing.add(runDigest(row));
    this.#report.auxiliary.history += added.length;
    const { store, namespace } = this.#context;
    if (added.length === 0 || this.#options.dryRun) return;
    await store.records.commit(namespace, { items: historyChanges(added, MAX_RUNS_PER_CATEGORY) });
  }

  async #readExistingRuns(): Promise<Set<string>> {
    const { store, namespace, now } = this.#context;
    const digests = new Set<string>();
    for (const category of HISTORY_CATEGORIES) {
      for (let after: number | null = null; ;) {
        const rows = await historyRuns(
          store.records,
          namespace,
          { category, now: now(), order: 'oldest' },
          { after, limit: 500 },
        );
        for (const row of rows) digests.add(runDigest(row));
        const last = rows.at(-1);
        if (last === undefined) break;
        after = last.id;
      }
    }
    return digests;
  }
}

/** Identifies a run by its content, because runs have no id that survives export. */
function runDigest({ category, name, surface, actor, inputs, outcome, at, tookMs }: HistoryDraft): string {
  return sha256(JSON.stringify([category, name, surface, actor, inputs, outcome, at, tookMs]));
}

/** Whether the error concerns one item, so that the import continues with the next. */
function isRefusal(error: unknown): error is LociError {
  const codes = ['invalid_input', 'secret_refused', 'forbidden', 'conflict'];
  return error instanceof LociError && codes.includes(error.code);
}
