import { LociError } from '../../core/errors.ts';
import { sha256, uuidv7 } from '../../core/ids.ts';
import { isJsonMap, parseExact, textExceedsDepth } from '../../core/json.ts';
import type { Json, Metadata, Timestamp } from '../../core/types.ts';
import { newDraft } from '../../ingest/record-draft.ts';
import { MAX_TIME, MIN_TIME } from '../../sources/files/read-file.ts';
import { sourceStateChange, sourceStates } from '../../store/items/kinds.ts';
import { readDatabase } from '../../store/registry.ts';
import type { ForeignDatabase } from '../../store/store.ts';
import { lowerTrust } from '../access/permission.ts';
import type { EngineContext } from '../context.ts';
import {
  assertWithinLimits,
  MAX_CONTENT_BYTES,
  MAX_TAGS,
  MAX_TITLE_LENGTH,
  type WritableFields,
} from '../fields/limits.ts';
import { tagName } from '../fields/record-fields.ts';
import type { Item, ItemImport } from './item-type.ts';
import type { ExportedRecord } from './records.ts';

const ROWS_PER_READ = 100;
const MAX_ROW_DEPTH = 90;
const MAX_PRIORITY = 9;

type Row = Readonly<Record<string, Json>>;

/**
 * Imports the memories and startup entries of ShadowDB, a memory of OpenClaw's agents, and never writes to its database.
 * @param place the connection string, or the place of one
 * @param agent whose startup entries they are; empty for those of every agent
 * @throws LociError `invalid_config`, `invalid_input`, `unreadable`, `store_failed`; then nothing was imported
 */
export async function importShadowDatabase(
  job: ItemImport,
  place: string,
  table: string,
  agent: string,
): Promise<void> {
  await readDatabase(place, 'path', async (database) => {
    const { memories, startup } = await tablesOf(database, table);
    const fallback = await firstImport(job);
    const add = async (
      type: 'record' | 'startup',
      row: Row | string,
      itemOf: (row: Row, location: string) => Item,
    ): Promise<void> => {
      const name = type === 'record' ? memories : (startup ?? '');
      const location = typeof row === 'string' ? name : `${name}/${textOf(row['id'] ?? row['key'])}`;
      await job.attempt(type, location, async () => {
        if (typeof row === 'string') throw new LociError('invalid_input', row);
        await job.add(location, itemOf(row, location));
        return null;
      });
    };
    const entries: (Row | string)[] = [];
    if (startup !== null) for await (const row of rowsOf(database, startup, 'key')) entries.push(row);
    const priorityOf = priorities(entries);
    for (const row of entries)
      await add('startup', row, (given) => startupEntry(given, agent, priorityOf(given), fallback));
    let done = 0;
    for await (const row of rowsOf(database, memories, 'id')) {
      await add('record', row, (given, location) => {
        const { value, lost } = recordOf(job.context, given, `${database.name}.${memories}`, fallback);
        for (const message of lost) job.report.add('problems', { location, message });
        return { type: 'record', value };
      });
      job.options.onProgress?.({ stage: 'reading', subject: database.name, done: ++done, total: 0 });
    }
    await job.flush();
  });
}

const SOURCE = 'import:shadowdb';

/**
 * A table of memories of ShadowDB in the database of the store, as a statement names it; `null` if there is none, or if it was imported.
 * @param place the connection string of the store, or the place of one
 */
export async function shadowdbTable(
  { store, namespace }: Pick<EngineContext, 'store' | 'namespace'>,
  place: string,
): Promise<string | null> {
  if ((await sourceStates(store.records, namespace)).has(SOURCE)) return null;
  return readDatabase(place, 'store.connectionString', async (database) => {
    // The columns that the memories have had in all versions.
    const [found] = await database.query(
      `SELECT c.oid::regclass::text AS name FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
       WHERE c.relkind IN ('r', 'p') AND a.attname IN ('content', 'category', 'fts') GROUP BY c.oid, c.relname HAVING count(*) = 3
       ORDER BY c.relname <> 'memories', name LIMIT 1`,
    );
    return found?.['name'] ?? null;
  });
}

/** The tables with their schemas and in quotes: that of the memories, and beside it that of the startup entries. */
async function tablesOf(
  database: ForeignDatabase,
  table: string,
): Promise<{ memories: string; startup: string | null }> {
  const [found] = await database.query(
    `SELECT c.oid::regclass::text AS memories,
       (SELECT s.oid::regclass::text FROM pg_class AS s WHERE s.relnamespace = c.relnamespace
          AND s.relname IN ('primer', 'startup')
          AND (SELECT count(*) FROM pg_attribute AS a WHERE a.attrelid = s.oid AND a.attname IN ('key', 'content')) = 2
        ORDER BY s.relname LIMIT 1) AS startup
     FROM pg_class AS c WHERE c.oid = to_regclass($1)
       AND (SELECT count(*) FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attname IN ('id', 'content')) = 2`,
    [table],
  );
  const { memories, startup } = found ?? {};
  if (memories) return { memories, startup: startup ?? null };
  throw new LociError(
    'invalid_input',
    `${database.name} has no table ${table} with the columns id and content`,
    {
      hint: 'Name the table of the memories with --table, as in SQL: memories, agents.memories or "My memories".',
    },
  );
}

/**
 * The rows of a table without what is derived from others, or why a row cannot be read. A cursor takes as long for the last rows as
 * for the first, and holds few of them.
 */
async function* rowsOf(
  database: ForeignDatabase,
  table: string,
  order: string,
): AsyncGenerator<Row | string> {
  await database.query(
    `DECLARE loci_${order} NO SCROLL CURSOR FOR SELECT octet_length(t.content) AS bytes,
       CASE WHEN coalesce(octet_length(t.content), 0) <= ${String(MAX_CONTENT_BYTES)}
         THEN (to_jsonb(t) - '{embedding,embedding_index,fts}'::text[])::text END AS row
     FROM ${table} AS t ORDER BY t.${order}`,
  );
  for (;;) {
    const rows = await database.query(`FETCH ${String(ROWS_PER_READ)} FROM loci_${order}`);
    if (rows.length === 0) return;
    for (const { row = null, bytes } of rows) {
      if (row === null) yield `content has ${String(bytes)} bytes; the limit is ${String(MAX_CONTENT_BYTES)}`;
      else yield textExceedsDepth(MAX_ROW_DEPTH, row) ? 'it is nested too deeply' : (parseExact(row) as Row);
    }
  }
}

/** The text of a value: of a number or a column that is no text, its JSON. */
function textOf(value: Json | undefined): string {
  return typeof value === 'string'
    ? value
    : value === undefined || value === null
      ? ''
      : JSON.stringify(value);
}

/** `null` for no time, and for infinity and other times that Loci cannot store. */
function timeOf(value: Json | undefined): Timestamp | null {
  if (typeof value !== 'string') return null;
  const at = Date.parse(/[+-]\d\d(:?\d\d)?$/.test(value) ? value : `${value}Z`);
  return at >= MIN_TIME && at <= MAX_TIME ? at : null;
}

/** The record of a row of the memories, and what of the row it does not have. Other columns are under `shadowdb` in its metadata. */
function recordOf(
  context: EngineContext,
  { id, content, title, category, record_type, tags, created_at, updated_at, deleted_at, ...others }: Row,
  table: string,
  fallback: Timestamp,
): { value: ExportedRecord; lost: string[] } {
  if (!Number.isSafeInteger(id) || Number(id) < 1)
    throw new LociError('invalid_input', 'its id is no positive number');
  const lost: string[] = [];
  const created = timeOf(created_at);
  const deleted = timeOf(deleted_at);
  const createdAt = created ?? timeOf(updated_at) ?? deleted ?? fallback;
  const updatedAt = timeOf(updated_at) ?? createdAt;
  const given = (Array.isArray(tags) ? tags : []).filter((tag) => typeof tag === 'string');
  const names = [...new Set(given.map(tagName))];
  const valid = names.filter((tag) => fits({ tags: [tag] })).slice(0, MAX_TAGS);
  if (valid.length < names.length) lost.push('some of its tags, which are invalid or too many');
  const wholeTitle = textOf(title).trim();
  if (wholeTitle.length > MAX_TITLE_LENGTH)
    lost.push(`its title after ${String(MAX_TITLE_LENGTH)} characters`);
  let metadata: Metadata = { shadowdb: { id: Number(id) } };
  for (const [column, value] of Object.entries(others)) {
    if (value === null) continue;
    const own = { ...(metadata['shadowdb'] as Metadata), [column]: value };
    const isMap = column === 'metadata' && isJsonMap(value);
    const next: Metadata = isMap ? { ...value, ...metadata } : { ...metadata, shadowdb: own };
    if (fits({ metadata: next })) metadata = next;
    else lost.push(`its ${column}, which does not fit into the metadata of a record`);
  }
  const draft = newDraft(
    {
      content: textOf(content),
      // Not with half of a character at the end.
      title: wholeTitle.slice(0, MAX_TITLE_LENGTH).replace(/\p{Surrogate}$/u, ''),
      project: context.config.project,
      origin: 'memory',
      source: 'shadowdb',
      // Agents write these memories.
      trust: lowerTrust('agent', context.caller.trust),
      key: null,
      category: textOf(category).trim() || 'general',
      recordType: textOf(record_type).trim() || 'fact',
      tags: valid,
      metadata,
      createdAt,
      expiresAt: null,
    },
    context.now(),
  );
  const deletedAt = (deleted_at ?? null) === null ? null : (deleted ?? updatedAt);
  // The same at each import. Rows of two databases that have the same id hardly have the same time of creation.
  const seed = Buffer.from(sha256(JSON.stringify([table, id, created])), 'hex');
  const uuid = uuidv7(Math.max(0, created ?? 0), seed.subarray(0, 16));
  return { value: { ...draft, id: Number(id), uuid, updatedAt, deletedAt }, lost };
}

function fits(fields: WritableFields): boolean {
  try {
    assertWithinLimits(fields);
    return true;
  } catch {
    return false;
  }
}

function startupEntry(row: Row, agent: string, priority: number, fallback: Timestamp): Item {
  const at = timeOf(row['updated_at']) ?? fallback;
  const value = {
    agent,
    key: textOf(row['key']),
    content: textOf(row['content']),
    priority,
    reinforce: (row['always'] ?? row['reinforce']) === true,
    createdAt: at,
    updatedAt: at,
    deletedAt: row['enabled'] === false ? at : null,
  };
  return { type: 'startup', value };
}

/** Priorities as they are if all are from 0 to 9; else their ranks, the last of which share 9. Rows without one are last. */
function priorities(rows: readonly (Row | string)[]): (row: Row) => number {
  const given = ({ priority }: Row): number => (typeof priority === 'number' ? priority : Infinity);
  const all = rows.flatMap((row) => (typeof row === 'string' ? [] : given(row)));
  const isKept = all.every((each) => each === Infinity || (each >= 0 && each <= MAX_PRIORITY));
  const ranks = [...new Set(all)].sort((a, b) => a - b);
  return (row) => Math.min(isKept ? given(row) : ranks.indexOf(given(row)), MAX_PRIORITY);
}

/** When a ShadowDB was first imported here: the time of rows without a time, so that the next import finds them unchanged. */
async function firstImport({ context: { store, namespace, now }, options }: ItemImport): Promise<Timestamp> {
  const earlier = (await sourceStates(store.records, namespace)).get(SOURCE)?.readAt ?? null;
  const at = earlier ?? now();
  if (earlier === null && !options.dry_run)
    await store.records.commit(namespace, { items: [sourceStateChange(SOURCE, { readAt: at })] });
  return at;
}
