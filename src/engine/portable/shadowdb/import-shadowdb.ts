import { DAY_MS } from '../../../core/time/whole-day.ts';
import { assertNotAborted } from '../../../core/progress.ts';
import type { Timestamp } from '../../../core/types.ts';
import { sourceStateChange, sourceStates } from '../../../store/items/source-state.ts';
import { readDatabase } from '../../../store/registry.ts';
import type { ForeignDatabase, ForeignRow } from '../../../store/store.ts';
import { ItemImport } from '../import/item-import.ts';
import { isRefusal, type ExportedRecord, type ImportJob } from '../items/item-type.ts';
import { Memories } from './memories.ts';
import { readStartup, STARTUP_TABLES } from './startup-rows.ts';
import { findMemories, findTables, type ForeignTable } from './tables.ts';

/** Tables of ShadowDB for which Loci has nothing. */
const OTHER_TABLES: readonly string[] = ['documents', 'memory_edges', 'pattern_events', 'ingestion_runs'];

export interface ShadowDatabase {
  /** The connection string, or the place of one. */
  readonly place: string;
  readonly table: string;
  /** Whose startup entries they are; empty for those of every agent. */
  readonly agent: string;
}

/**
 * Imports the memories and startup entries of ShadowDB, a memory of OpenClaw's agents, and never writes to its database.
 * @throws LociError `invalid_config`, `invalid_input`, `unreadable`, `store_failed`; then nothing was imported
 */
export async function importShadowDatabase(
  job: ImportJob,
  { place, table, agent }: ShadowDatabase,
): Promise<void> {
  await readDatabase(place, 'path', async (database) => {
    const found = await findMemories(database, table);
    const memories = new Memories(database, found);
    const { rows, remarks } = await memories.describe();
    for (const remark of remarks) job.report.addProblem(found.label, remark);
    const fallback = await firstImport(job);
    const startup = await tablesOf(database, found, STARTUP_TABLES);
    const items = new ItemImport(job);
    for (const { location, value } of await readStartup(job, database, startup, agent, fallback))
      await items.add(location, { type: 'startup', value }, value.content.length);
    let done = 0;
    for await (const page of memories.pages()) {
      for (const [location, record] of await recordsOf(job, memories, found, page, fallback))
        await items.add(location, { type: 'record', value: record }, record.content.length);
      done += page.length;
      job.options.onProgress?.({ stage: 'reading', subject: database.name, done, total: rows });
    }
    await items.flush();
    for (const other of await tablesOf(database, found, OTHER_TABLES))
      await reportTable(job, database, other);
  });
}

/** The tables beside that of the memories, or where the program would find them. Of two with one name, the first counts. */
async function tablesOf(
  database: ForeignDatabase,
  { schema }: ForeignTable,
  names: readonly string[],
): Promise<ForeignTable[]> {
  const found = [
    ...(await findTables(database, names, [schema])),
    ...(await findTables(database, names, null)),
  ];
  return names.flatMap((name) => found.find(({ label }) => label === name) ?? []);
}

async function reportTable(
  { report }: ImportJob,
  database: ForeignDatabase,
  table: ForeignTable,
): Promise<void> {
  const [row] =
    table.columns.size === 0 ? [] : await database.query(`SELECT count(*) AS rows FROM ${table.name}`);
  const rows = row?.['rows'] ?? 'all';
  if (rows !== '0')
    report.addProblem(table.label, `${rows} of its rows: Loci has nothing that corresponds to them`);
}

/** The records of a page, without those that a purge would remove at once. */
async function recordsOf(
  { context, report, options }: ImportJob,
  memories: Memories,
  { label }: ForeignTable,
  page: readonly ForeignRow[],
  fallback: Timestamp,
): Promise<[location: string, record: ExportedRecord][]> {
  const purgedBefore = context.now() - context.config.retention.purgeAfterDays * DAY_MS;
  const records: [string, ExportedRecord][] = [];
  for (const row of page) {
    assertNotAborted(options);
    const location = `${label}/${row['id'] ?? 'null'}`;
    try {
      const { record, lost } = memories.record(context, row, fallback);
      for (const each of lost) report.addProblem(location, each);
      records.push([location, record]);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      report.addRefused(report.records, location, error);
    }
  }
  const isOver = ({ deletedAt }: ExportedRecord): boolean => deletedAt !== null && deletedAt < purgedBefore;
  const over = records.map(([, record]) => record).filter(isOver);
  const existing = await context.store.records.findExisting(context.namespace, over);
  // One that is still here has to be deleted.
  const expired = new Set(over.filter((_, i) => existing[i]?.sameUuid === null));
  report.records.expired += expired.size;
  return records.filter(([, record]) => !expired.has(record));
}

/** When a ShadowDB was first imported here: the time of rows without a time, so that the next import finds them unchanged. */
async function firstImport({ context: { store, namespace, now }, options }: ImportJob): Promise<Timestamp> {
  const source = 'import:shadowdb';
  const earlier = (await sourceStates(store.records, namespace)).get(source)?.readAt ?? null;
  const at = earlier ?? now();
  if (earlier === null && !options.dry_run)
    await store.records.commit(namespace, { items: [sourceStateChange(source, { readAt: at })] });
  return at;
}
