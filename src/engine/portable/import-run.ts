import { LociError } from '../../core/errors.ts';
import { isDeepStrictEqual } from 'node:util';
import { sha256 } from '../../core/hash.ts';
import type { AuditEntry } from '../../store/audit.ts';
import { HISTORY_CATEGORIES, type HistoryDraft } from '../../store/history.ts';
import type { StartupEntry } from '../../store/startup.ts';
import type { EngineContext } from '../context.ts';
import { KEEP } from '../audit/history-log.ts';
import { assertNotAborted, type LongCallOptions } from '../../core/long-call.ts';
import { screened } from '../records/screen.ts';
import { startupDraft, tooLongToTell } from '../startup/startup.ts';
import { fitRun, fitStartup } from './import-fitness.ts';
import { RecordImporter, type ArrivedRecord, type RecordOptions } from './import-records.ts';
import type { ImportReport } from './import-report.ts';
import type { Portable } from './portable-line.ts';

/** A thing to import, or what is wrong with it, and where it stands. */
export type Arrival =
  { readonly where: string; readonly item: Portable } | { readonly where: string; readonly fault: string };

export interface ImportOptions extends LongCallOptions, RecordOptions {}

/** How much is put in one transaction. */
const BATCH = 100;
const BATCH_CHARACTERS = 1_000_000;

/** Takes in what arrives, batch by batch: stopped anywhere, the same import goes on where it was. */
export class ImportRun {
  readonly #context: EngineContext;
  readonly #options: ImportOptions;
  readonly #report: ImportReport;
  readonly records: RecordImporter;
  #waiting: ArrivedRecord[] = [];
  #characters = 0;
  /** Identities and places of those that wait. */
  readonly #names = new Set<string>();
  #audit: AuditEntry[] = [];
  #history: HistoryDraft[] = [];
  readonly #brokenChains = new Set<string>();
  #runs: Set<string> | null = null;

  constructor(context: EngineContext, options: ImportOptions, report: ImportReport) {
    this.#context = context;
    this.#options = options;
    this.#report = report;
    this.records = new RecordImporter(context, options, report);
  }

  async takeAll(arrivals: AsyncIterable<Arrival>, subject: string, total: number): Promise<void> {
    let done = 0;
    for await (const arrival of arrivals) {
      await this.#take(arrival);
      this.#options.onProgress?.({ stage: 'reading', subject, done: ++done, total });
    }
    await this.#flush();
  }

  async #take(arrival: Arrival): Promise<void> {
    const { where } = arrival;
    if ('fault' in arrival) {
      this.#report.records.refused++;
      this.#report.problem(where, arrival.fault);
      return;
    }
    const { item } = arrival;
    switch (item.type) {
      case 'record':
        return this.#takeRecord({ where, record: item.record });
      case 'startup':
        return this.#takeStartup(where, item.entry);
      case 'audit':
        return this.#takeAudit(where, item.entry);
      case 'history':
        return this.#takeHistory(where, item.row);
    }
  }

  async #takeRecord(arrived: ArrivedRecord): Promise<void> {
    const { uuid, origin, source, category, key, content } = arrived.record;
    const place = JSON.stringify(origin === 'fact' ? ['fact', category, key] : [source, key]);
    const names = key === null ? [uuid] : [uuid, place];
    // What is in each other's way is looked at one after the other.
    if (names.some((name) => this.#names.has(name))) await this.#flush();
    for (const name of names) this.#names.add(name);
    this.#waiting.push(arrived);
    this.#characters += content.length;
    if (this.#waiting.length >= BATCH || this.#characters >= BATCH_CHARACTERS) await this.#flush();
  }

  async #flush(): Promise<void> {
    assertNotAborted(this.#options);
    const [records, audit, history] = [this.#waiting, this.#audit, this.#history];
    this.#waiting = [];
    this.#audit = [];
    this.#history = [];
    this.#characters = 0;
    this.#names.clear();
    if (records.length > 0) await this.records.take(records);
    if (audit.length > 0) await this.#putAudit(audit);
    if (history.length > 0) await this.#putHistory(history);
  }

  async #takeStartup(where: string, given: StartupEntry): Promise<void> {
    const { startup } = this.#report;
    try {
      const { thing: entry, masked } = await fitStartup(this.#context, given);
      this.#report.mask(where, masked);
      await this.putStartup(where, entry);
    } catch (error) {
      if (!(error instanceof LociError) || !isRefusal(error)) throw error;
      this.#report.refuse(startup, where, error);
    }
  }

  /** An entry that is fit to be here. */
  async putStartup(where: string, entry: StartupEntry): Promise<void> {
    const { store, namespace } = this.#context;
    const { startup } = this.#report;
    const entries = await store.startupEntries(namespace);
    const held = entries.find(({ agent, key }) => agent === entry.agent && key === entry.key);
    const tooLong = entry.deletedAt === null ? tooLongToTell(this.#context.config.startup, entry) : null;
    if (tooLong !== null)
      this.#report.problem(where, `the startup entry ${JSON.stringify(entry.key)} is kept, but ${tooLong}`);
    if (isDeepStrictEqual(held, entry)) {
      startup.unchanged++;
      return;
    }
    if (held !== undefined && !this.#options.overwrite && entry.updatedAt <= held.updatedAt) {
      startup.kept++;
      this.#report.conflict(where, `the startup entry ${JSON.stringify(entry.key)} is not older here`);
      return;
    }
    if (!this.#options.dryRun)
      await store.putStartup(namespace, [entry], [startupDraft(this.#context, 'import', held, entry)]);
    const removed = entry.deletedAt !== null && held?.deletedAt === null;
    const change = held === undefined ? 'added' : removed ? 'removed' : 'updated';
    startup[change]++;
    if (this.#options.dryRun) this.#report.change({ where, change, title: `startup entry ${entry.key}` });
  }

  async #takeAudit(where: string, entry: AuditEntry): Promise<void> {
    if (this.#context.caller.trust !== 'operator') {
      if (this.#brokenChains.has('')) return;
      this.#brokenChains.add('');
      this.#report.problem(where, 'it is of the audit log: only the operator may import that');
      return;
    }
    this.#audit.push(entry);
    if (this.#audit.length >= BATCH) await this.#flush();
  }

  async #putAudit(entries: readonly AuditEntry[]): Promise<void> {
    const { store, namespace } = this.#context;
    const chains = Map.groupBy(entries, ({ chain }) => chain);
    for (const [chain, links] of chains) {
      if (this.#brokenChains.has(chain)) continue;
      try {
        if (this.#options.dryRun) this.#report.auxiliary.audit += await this.#newIn(chain, links);
        else {
          const screenedLinks = await Promise.all(links.map((link) => this.#withoutSecrets(link)));
          this.#report.auxiliary.audit += await store.importAudit(namespace, screenedLinks);
        }
      } catch (error) {
        if (!(error instanceof LociError) || !isRefusal(error)) throw error;
        this.#brokenChains.add(chain);
        this.#report.conflict(`audit chain ${chain}`, error.message);
      }
    }
  }

  /** The chain holds without a diff, of which it has the hash. */
  async #withoutSecrets(entry: AuditEntry): Promise<AuditEntry> {
    if (entry.diff === null) return entry;
    const content = JSON.stringify(entry.diff);
    const masked = await screened(this.#context, { content }).then(
      (screening) => screening.masked,
      (error: unknown) => {
        if (error instanceof LociError && error.code === 'secret_refused') return ['secret'];
        throw error;
      },
    );
    this.#report.mask(`audit entry ${String(entry.seq)}`, masked);
    return masked.length === 0 ? entry : { ...entry, diff: null };
  }

  async #newIn(chain: string, links: readonly AuditEntry[]): Promise<number> {
    const chains = await this.#context.store.auditChains(this.#context.namespace);
    const length = chains.find((each) => each.chain === chain)?.length ?? 0;
    return links.filter(({ seq }) => seq > length).length;
  }

  async #takeHistory(where: string, row: HistoryDraft): Promise<void> {
    if (this.#context.caller.trust !== 'operator') {
      if (!this.#brokenChains.has('runs'))
        this.#report.problem(where, 'it is a run: only the operator may import those');
      this.#brokenChains.add('runs');
      return;
    }
    if (row.expiresAt <= this.#context.now()) return;
    try {
      const { thing, masked } = await fitRun(this.#context, row);
      this.#report.mask(where, masked);
      this.#history.push(thing);
    } catch (error) {
      if (!(error instanceof LociError) || !isRefusal(error)) throw error;
      this.#report.problem(where, error.message);
    }
    if (this.#history.length >= BATCH) await this.#flush();
  }

  async #putHistory(rows: readonly HistoryDraft[]): Promise<void> {
    this.#runs ??= await this.#knownRuns();
    const known = this.#runs;
    const unknown = rows.filter((row) => !known.has(nameOfRun(row)));
    for (const row of unknown) known.add(nameOfRun(row));
    this.#report.auxiliary.history += unknown.length;
    const { store, namespace } = this.#context;
    if (unknown.length === 0 || this.#options.dryRun) return;
    await store.noteHistory(
      unknown.map((row) => ({ namespace, row })),
      KEEP,
    );
  }

  /** They have no identity but what they say. */
  async #knownRuns(): Promise<Set<string>> {
    const { store, namespace, now } = this.#context;
    const known = new Set<string>();
    for (const category of HISTORY_CATEGORIES) {
      for (let after: number | null = null; ;) {
        const rows = await store.historyFrom(namespace, category, now(), { after, limit: 500 });
        for (const row of rows) known.add(nameOfRun(row));
        const last = rows.at(-1);
        if (last === undefined) break;
        after = last.id;
      }
    }
    return known;
  }
}

function nameOfRun({ category, name, surface, actor, inputs, outcome, at, tookMs }: HistoryDraft): string {
  return sha256(JSON.stringify([category, name, surface, actor, inputs, outcome, at, tookMs]));
}

/** Said of one thing, and no reason not to go on with the next. */
function isRefusal({ code }: LociError): boolean {
  return ['invalid_input', 'secret_refused', 'forbidden', 'conflict'].includes(code);
}
