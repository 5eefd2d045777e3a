import { createHash } from 'node:crypto';
import { LociError } from '../../../core/errors.ts';
import { assertNotAborted, type ProgressOptions } from '../../../core/progress.ts';
import type { Driver } from '../driver.ts';
import { generations } from '../generations.ts';
import { textEntriesWhere } from '../read/passages.ts';
import { KEYS, type Parameters, type Row, type Sql, type Table } from '../sql.ts';
import { updateState } from '../namespace.ts';
import { allNamespaces } from './figures.ts';

/** Rows that are copied in one transaction. */
const PAGE_SIZE = 500;

/** The tables with rows of namespaces that are copied as they are, those first to which others refer. */
const TABLES = (Object.keys(KEYS) as Table[]).filter(
  (table) => !['namespace', 'generation', 'embedding', 'lease', 'quota'].includes(table),
);

/** Columns that the target derives, or that only one of the databases has. */
const DERIVED: ReadonlySet<string> = new Set([
  ...['session', 'word_epoch', 'text_passages', 'text_terms'],
  // Of `quota`. A text may have other bytes in the other database.
  ...['records', 'bytes'],
]);

/** How many rows of a namespace were copied, by table. */
export interface CopiedNamespace {
  readonly namespace: string;
  readonly rows: Readonly<Record<string, number>>;
}

/**
 * Copies everything of a store but its leases into another one, which is empty or has a part of an earlier copy. Each page is copied
 * in one transaction, and a copy that was stopped goes on after its last page. Then all rows of both are compared.
 * @param source identifies the source among all stores
 * @throws LociError `conflict` if the target is no unfinished copy of the source and not empty, or the source was changed meanwhile
 */
export async function copyStore(
  from: Driver,
  to: Driver,
  source: string,
  options: ProgressOptions,
): Promise<CopiedNamespace[]> {
  await to.sql.transaction(() => beginCopy(to.sql, source));
  for (const { ns } of await administrative(from.sql)) await makeRoom(to.sql, ns);
  await copyPages(from.sql, to.sql, 'generation', {}, (rows) => to.sql.write('generation', rows));
  const copied: CopiedNamespace[] = [];
  for (const { ns, name } of [...(await administrative(from.sql)), ...(await allNamespaces(from.sql))]) {
    await copyNamespace(from, to, ns, name, options);
    copied.push({ namespace: name, rows: await compare(from, to, ns) });
  }
  for (const generation of await generations(to.sql))
    if (await to.vectors.needsIndex(generation)) await to.vectors.createIndex(generation);
  await to.storage.afterCopy();
  await to.sql.update('lease', [{ ...COPY, token: FINISHED }]);
  return copied;
}

/** The row of the target that says of which source it is a copy. Leases are not copied. */
const COPY = { namespace: '', name: 'copy' };
const FINISHED = 1;

/** Nothing is added to a store that is in use: its records, tokens and audit log would be those of two. */
async function beginCopy(sql: Sql, source: string): Promise<void> {
  const begun = await sql.get(
    'SELECT holder, token FROM lease WHERE namespace = :namespace AND name = :name',
    COPY,
  );
  if (begun?.['holder'] === source && begun['token'] !== FINISHED) return;
  const hint = 'Name an empty database, or a file that does not exist.';
  if (begun?.['holder'] === source)
    throw new LociError('conflict', 'the target is a finished copy of this store, made before', { hint });
  const used = await sql.get(
    `SELECT 1 AS used FROM namespace WHERE name <> '' UNION SELECT 1 FROM item UNION SELECT 1 FROM audit UNION SELECT 1 FROM generation`,
  );
  if (used !== undefined || begun !== undefined)
    throw new LociError('conflict', 'the target is not empty: another store is in it', { hint });
  await sql.write('lease', [{ ...COPY, holder: source, token: 0, until: 0 }]);
}

async function administrative(sql: Sql): Promise<{ readonly ns: number; readonly name: string }[]> {
  const rows = await sql.all("SELECT id FROM namespace WHERE name = ''");
  return rows.map((row) => ({ ns: Number(row['id']), name: '' }));
}

/** An empty store may have the administrative namespace already, with another number. */
async function makeRoom(sql: Sql, ns: number): Promise<void> {
  const other = "SELECT id FROM namespace WHERE name = '' AND id <> :ns";
  await sql.transaction(async () => {
    await sql.change(`DELETE FROM namespace_state WHERE ns IN (${other})`, { ns });
    await sql.change("DELETE FROM namespace WHERE name = '' AND id <> :ns", { ns });
  });
}

async function copyNamespace(
  from: Driver,
  to: Driver,
  ns: number,
  name: string,
  options: ProgressOptions,
): Promise<void> {
  const total = await recordsOf(from.sql, ns);
  let done = await recordsOf(to.sql, ns);
  const report = (rows: number): void => {
    assertNotAborted(options);
    done += rows;
    options.onProgress?.({ stage: 'copying', subject: name, done, total });
  };
  if ((await to.sql.get('SELECT id FROM namespace WHERE id = :ns', { ns })) === undefined)
    await to.sql.transaction(async () => {
      await to.sql.write(
        'namespace',
        (await from.sql.all('SELECT * FROM namespace WHERE id = :ns', { ns })).map(written),
      );
      await to.sql.write(
        'namespace_state',
        (await from.sql.all('SELECT * FROM namespace_state WHERE ns = :ns', { ns })).map(written),
      );
      await to.text.create(ns);
    });
  for (const table of TABLES)
    await copyPages(from.sql, to.sql, table, { ns }, async (rows) => {
      await to.sql.write(table, rows);
      report(table === 'record' ? rows.length : 0);
      if (table === 'passage')
        await indexTexts(
          from.sql,
          to,
          ns,
          rows.map(({ id }) => Number(id)),
        );
    });
  for (const { id: generation, dimensions } of await generations(from.sql))
    await copyPages(from.sql, to.sql, 'embedding', { ns, generation }, async (rows) => {
      const vectors = await from.vectors.vectors(
        ns,
        rows.map(({ id }) => Number(id)),
      );
      const hashes = rows.map(({ id, hash }) => ({
        id: Number(id),
        hash: Buffer.from(hash as Uint8Array).toString('hex'),
      }));
      const sentences = await from.vectors.sentences(
        ns,
        generation,
        dimensions,
        hashes.map(({ hash }) => hash),
      );
      await to.vectors.put(
        ns,
        generation,
        hashes.map(({ id, hash }) => ({ hash, vector: vectors.get(id)! })),
        sentences,
      );
    });
  // After the records, because their limit may be lower than what there is.
  const quota = await from.sql.all('SELECT * FROM quota WHERE ns = :ns', { ns });
  await to.sql.write('quota', quota.map(written), 'replace');
}

async function recordsOf(sql: Sql, ns: number): Promise<number> {
  return Number((await sql.get('SELECT count(*) AS n FROM record WHERE ns = :ns', { ns }))?.['n']);
}

/** Indexes passages that were copied just now. Their records are in the target. */
async function indexTexts(from: Sql, to: Driver, ns: number, passages: readonly number[]): Promise<void> {
  const condition = from.dialect.isIn('p.id', 'passages');
  const added = await textEntriesWhere(from, ns, condition, { passages }, 'is empty');
  const counts = await to.text.change(ns, { added, removed: [], erased: [], isPurge: false });
  await updateState(to.sql, ns, {}, counts);
}

/** Copies the rows after the last one that the target has. */
async function copyPages(
  from: Sql,
  to: Sql,
  table: Table,
  scope: Row,
  write: (rows: readonly Row[]) => Promise<void>,
): Promise<void> {
  let after = await lastRow(to, table, scope);
  for (;;) {
    const rows = await pageOf(from, table, scope, after);
    if (rows.length === 0) return;
    await to.transaction(() => write(rows.map(written)));
    after = rows.at(-1);
  }
}

function orderOf(table: Table, scope: Row): string[] {
  return KEYS[table].filter((column) => !(column in scope));
}

function scoped(scope: Row): string[] {
  return Object.keys(scope).map((column) => `${column} = :${column}`);
}

function lastRow(sql: Sql, table: Table, scope: Row): Promise<Row | undefined> {
  const order = orderOf(table, scope);
  const conditions = scoped(scope);
  // A table with one row for each namespace.
  if (order.length === 0) return sql.get(`SELECT * FROM ${table} WHERE ${conditions.join(' AND ')}`, scope);
  return sql.get(
    `SELECT ${order.join(', ')} FROM ${table} ${conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`}
     ORDER BY ${order.map((column) => `${column} DESC`).join(', ')} LIMIT 1`,
    scope,
  );
}

async function pageOf(sql: Sql, table: Table, scope: Row, after: Row | undefined): Promise<Row[]> {
  const order = orderOf(table, scope);
  if (order.length === 0 && after !== undefined) return [];
  const conditions = scoped(scope);
  const parameters: Record<string, Parameters[string]> = { ...scope, limit: PAGE_SIZE };
  if (after !== undefined) {
    conditions.push(`(${order.join(', ')}) > (${order.map((column) => `:after_${column}`).join(', ')})`);
    for (const column of order) parameters[`after_${column}`] = after[column]!;
  }
  return sql.all(
    `SELECT * FROM ${table} ${conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`}
     ${order.length === 0 ? '' : `ORDER BY ${order.join(', ')}`} LIMIT :limit`,
    parameters,
  );
}

/** The row with the columns that are written. */
function written(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([column]) => !DERIVED.has(column)));
}

/** Compares all rows of a namespace, and returns their numbers. */
async function compare(from: Driver, to: Driver, ns: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of [...TABLES, 'quota'] as const) {
    const [a, b] = [await digest(from.sql, table, { ns }), await digest(to.sql, table, { ns })];
    if (a.hash !== b.hash) throw different(table, a.rows, b.rows);
    counts[table] = a.rows;
  }
  let embedding = 0;
  for (const { id: generation } of await generations(from.sql))
    embedding += await compareVectors(from, to, { ns, generation });
  return { ...counts, embedding };
}

/** The largest difference of a component that was stored in half precision (IEEE 754 binary16): relative, and near 0. */
const HALF_PRECISION = 2 ** -10;
const HALF_PRECISION_NEAR_ZERO = 2 ** -24;
/** The largest difference of one that was stored in 8 bits, as a share of the largest component. */
const EIGHT_BITS = 0.5 / 127;

/** Compares the contents that have a vector, and their vectors. Returns their number. */
async function compareVectors(
  from: Driver,
  to: Driver,
  scope: { readonly ns: number; readonly generation: number },
): Promise<number> {
  const pages = [from, to].map((driver) => vectorPages(driver, scope)) as [VectorPages, VectorPages];
  let rows = 0;
  for await (const page of pages[0]) {
    const { value: copied = new Map<string, Float32Array>() } = await pages[1].next();
    const other = copied as ReadonlyMap<string, Float32Array>;
    for (const [hash, vector] of page)
      if (!isCopyOf(vector, other.get(hash), to.sql.dialect.isRemote))
        throw different('embedding', rows + page.size, rows + other.size);
    rows += page.size;
  }
  const { value: excess } = await pages[1].next();
  if (excess !== undefined) throw different('embedding', rows, rows + excess.size);
  return rows;
}

type VectorPages = AsyncGenerator<ReadonlyMap<string, Float32Array>, undefined>;

/** The vectors of a generation by the hashes of their contents, in the order of these. */
async function* vectorPages(
  { sql, vectors }: Driver,
  scope: { readonly ns: number; readonly generation: number },
): VectorPages {
  for (let after: Row | undefined; ;) {
    const rows = await pageOf(sql, 'embedding', scope, after);
    if (rows.length === 0) return;
    const found = await vectors.vectors(
      scope.ns,
      rows.map(({ id }) => Number(id)),
    );
    yield new Map(
      rows.map(({ id, hash }) => [Buffer.from(hash as Uint8Array).toString('hex'), found.get(Number(id))!]),
    );
    after = rows.at(-1);
  }
}

/** @param isHalf whether the copy has half precision; else it has 8 bits, which are shares of the largest component */
function isCopyOf(vector: Float32Array, copy: Float32Array | undefined, isHalf: boolean): boolean {
  if (copy?.length !== vector.length) return false;
  const largest = vector.reduce((most, each) => Math.max(most, Math.abs(each)), 0);
  const step = isHalf ? 0 : largest * EIGHT_BITS;
  return vector.every(
    (each, i) =>
      Math.abs(each - copy[i]!) <= step + Math.abs(each) * HALF_PRECISION + HALF_PRECISION_NEAR_ZERO,
  );
}

async function digest(
  sql: Sql,
  table: Table,
  scope: Row,
): Promise<{ readonly rows: number; readonly hash: string }> {
  const hash = createHash('sha256');
  let rows = 0;
  for (let after: Row | undefined; ;) {
    const page = await pageOf(sql, table, scope, after);
    for (const row of page) {
      // The order of columns is that of each database.
      const columns = Object.entries(written(row)).sort(([a], [b]) => (a < b ? -1 : 1));
      const values = columns.map(([name, value]) => [
        name,
        value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value,
      ]);
      hash.update(`${JSON.stringify(values)}\n`);
    }
    rows += page.length;
    if (page.length === 0 || orderOf(table, scope).length === 0) return { rows, hash: hash.digest('hex') };
    after = page.at(-1);
  }
}

function different(table: string, rows: number, copied: number): LociError {
  return new LociError(
    'conflict',
    rows === copied
      ? `the copy differs in the table ${table}: rows are not the same`
      : `the copy differs in the table ${table}: it has ${String(copied)} rows, and the store has ${String(rows)}`,
    {
      hint: 'Something wrote to one of them meanwhile. Copy again into an empty store, while nothing else uses either.',
    },
  );
}
