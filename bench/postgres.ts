import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { Client, Pool, type QueryResult, type QueryResultRow } from 'pg';
import { Progress } from '../eval/progress.ts';
import { isStopWord } from '../src/core/text/stop-words.ts';
import { connectStore, openStore } from '../src/store/registry.ts';
import { ADMIN_NAMESPACE } from '../src/store/rules/admin-namespace.ts';
import { copyStore } from '../src/store/sql/admin/copy-store.ts';
import { exampleOperations, withCountedEngine } from '../test/postgres/round-trips.ts';
import { findPrograms, startServer } from '../test/postgres/server.ts';
import type { BenchQuery } from './corpus.ts';
import type { BenchStore } from './fill.ts';
import type { Measure } from './report.ts';
import { precomputedVectors, searchOnce } from './search.ts';
import { quantile, sum, timeEach } from './timing.ts';
import { DIMENSIONS } from './vector-model.ts';

const CLIENTS = 8;
const WARM_UP_QUERIES = 50;
/** The size of the namespace that is measured alone. */
const SMALL = 1000;
/** A smaller store is mostly the first page of each table and index. */
const SIZED = 100_000;
/** The indexes and what is read often are in memory, as on a server that is set up for it: docs/postgres.md. */
const SETTINGS = ['shared_buffers=1GB', 'maintenance_work_mem=512MB', 'max_parallel_maintenance_workers=0'];

interface BenchServer extends AsyncDisposable {
  readonly url: string;
  /** The processor time of all of its processes, in seconds; `null` for a server that was not started here. */
  readonly processorSeconds: () => number | null;
}

/** The server of `LOCI_TEST_POSTGRES_URL`, or one that is started; `null` if this machine has none. */
export async function benchServer(isQuick: boolean): Promise<BenchServer | null> {
  const url = process.env['LOCI_TEST_POSTGRES_URL'] ?? '';
  if (url !== '')
    return { url, processorSeconds: () => null, [Symbol.asyncDispose]: () => Promise.resolve() };
  const programs = findPrograms();
  if (programs === null) return null;
  const server = await startServer(programs, isQuick ? {} : { settings: SETTINGS });
  return {
    url: server.url,
    processorSeconds: () => processorSeconds(server.pid),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

/** Linux counts hundredths of a second: proc(5). */
const TICKS_A_SECOND = 100;

/** That of a process, of those that it has started, and of those among them that have ended. */
function processorSeconds(pid: number): number | null {
  if (!existsSync('/proc/self/stat')) return null;
  const ticks = readdirSync('/proc').map((each) => {
    // Another process may end meanwhile.
    const path = `/proc/${each}/stat`;
    const stat = /^\d+$/.test(each) && existsSync(path) ? readFileSync(path, 'utf8') : '';
    // The name of the program, which may have spaces, is the second field.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    if (Number(each) === pid) return sum(fields.slice(11, 15));
    return fields[1] === pid ? sum(fields.slice(11, 13)) : 0;
  });
  return sum(ticks) / TICKS_A_SECOND;
}

/** Compares a whole search with plain SQL on the same server, on a copy of the filled store. */
export async function measurePostgres(
  { url: server, processorSeconds: ofServer }: BenchServer,
  bench: BenchStore,
  passages: number,
): Promise<Measure[]> {
  const name = `loci_bench_${String(process.pid)}`;
  const url = new URL(`/${name}`, server).href;
  await execute(server, `CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`);
  try {
    const [client, before] = [process.cpuUsage(), ofServer()];
    await copy(bench.path, url, passages);
    const { user, system } = process.cpuUsage(client);
    const [ofClient, after] = [(user + system) / 1e6, ofServer()];
    const seconds = before === null || after === null ? null : ofClient + after - before;
    const bytes = await sizeOf(url);
    await execute(url, PLAIN);
    await execute(url, 'VACUUM ANALYZE');
    return [
      ...(await measureSearches(url, bench)),
      ...(seconds === null ? [] : [loadRow(passages / seconds, passages >= SIZED)]),
      sizeRow(bytes, statSync(bench.path).size, passages >= SIZED),
    ];
  } finally {
    await execute(server, `DROP DATABASE ${name} WITH (FORCE)`);
  }
}

/** Round trips at most, for a whole operation. */
const GOALS: Readonly<Record<string, number>> = {
  ...{ search: 4, 'search, misspelt': 5, write: 5, delete: 6 },
  ...{ 'pack with the graph': 14, 'startup-inject': 2, status: 2 },
};

/** How often whole operations on the example vault wait for the server, beside the statements that they send. */
export async function measureRoundTrips({ url: server }: BenchServer): Promise<Measure[]> {
  const name = `loci_bench_trips_${String(process.pid)}`;
  await execute(server, `CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`);
  try {
    const rows: Measure[] = [];
    await withCountedEngine(new URL(`/${name}`, server).href, async (counted) => {
      const operations = await exampleOperations(counted);
      for (const [what, operation] of Object.entries(operations)) {
        // There is one to delete for each attempt.
        if (what === 'delete') for (let i = 0; i < 6; i++) await operations['write']!();
        const limit = { roundTrips: GOALS[what]!, statements: Infinity };
        const { roundTrips, statements } = await counted.measure(operation, limit);
        rows.push({
          ...{ what, unit: 'round trips', ours: roundTrips },
          baseline: { name: 'statements', value: statements },
          target: { of: 'ours', most: limit.roundTrips, checked: false },
        });
      }
    });
    return rows;
  } finally {
    await execute(server, `DROP DATABASE ${name} WITH (FORCE)`);
  }
}

async function execute<Row extends QueryResultRow>(
  url: string,
  statements: string,
): Promise<QueryResult<Row>> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query<Row>(statements);
  } finally {
    await client.end();
  }
}

async function copy(path: string, connectionString: string, passages: number): Promise<void> {
  const progress = new Progress('Copying the store into PostgreSQL', 'passages');
  const copied = new Map<string, number>();
  const from = await connectStore({ path }, { create: false });
  const to = await connectStore({ path: '', connectionString }, { create: true });
  try {
    await copyStore(from.driver, to.driver, 'source', {
      onProgress: ({ subject, done }) => {
        copied.set(subject, done);
        progress.report(sum([...copied.values()]), passages);
      },
    });
  } finally {
    progress.end();
    await to.close();
    await from.close();
  }
}

/** The bytes of the store's tables and indexes, without the catalogues of the database. */
async function sizeOf(url: string): Promise<number> {
  const statement = `SELECT sum(pg_total_relation_size(oid))::float8 AS bytes FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`;
  return (await execute<{ bytes: number }>(url, statement)).rows[0]!.bytes;
}

/** A copy of a store has all of its vectors, their index and the text index. */
function loadRow(rate: number, isSized: boolean): Measure {
  return {
    ...{ what: 'passages copied, client and server', unit: 'a CPU second', ours: rate },
    ...(isSized && { target: { of: 'ours', least: 700, checked: false } }),
  };
}

function sizeRow(bytes: number, sqlite: number, isSized: boolean): Measure {
  return {
    ...{ what: 'size of the store', unit: 'MB', ours: bytes / 1e6 },
    baseline: { name: 'SQLite', value: sqlite / 1e6 },
    ...(isSized && { target: { of: 'ratio', most: 3, checked: true } }),
  };
}

/** The same texts and vectors as somebody would keep them who has a table, full-text search and pgvector. */
const PLAIN = `CREATE TABLE plain AS SELECT p.id, n.name AS namespace, r.title, p.text,
    to_tsvector('english', r.title || ' ' || p.text) AS terms, v.vector::halfvec(${String(DIMENSIONS)}) AS vector
  FROM passage AS p JOIN namespace AS n ON n.id = p.ns JOIN record AS r ON r.ns = p.ns AND r.id = p.record
  JOIN embedding AS v ON v.ns = p.ns AND v.hash = p.hash;
  ALTER TABLE plain ADD PRIMARY KEY (id);
  CREATE INDEX plain_namespace ON plain (namespace);
  CREATE INDEX plain_terms ON plain USING gin (terms);
  CREATE INDEX plain_vector ON plain USING hnsw (vector halfvec_cosine_ops)`;

/** The sum of both scores, each relative to its best, of the best 150 by either. */
const PLAIN_SEARCH = `
  WITH by_text AS (
    SELECT id, ts_rank(terms, query) AS score FROM plain, to_tsquery('english', $2) AS query
    WHERE namespace = $1 AND terms @@ query ORDER BY score DESC LIMIT 150),
  by_vector AS MATERIALIZED (
    SELECT id, 1 - (vector <=> $3::halfvec(${String(DIMENSIONS)})) AS score FROM plain
    WHERE namespace = $1 ORDER BY vector <=> $3::halfvec(${String(DIMENSIONS)}) LIMIT 150)
  SELECT plain.id, title, text, .45 * coalesce(t.score / (SELECT max(score) FROM by_text), 0) + .55 * coalesce(v.score, 0) AS score
  FROM by_text AS t FULL JOIN by_vector AS v USING (id) JOIN plain USING (id) ORDER BY score DESC LIMIT 10`;

async function measureSearches(url: string, bench: BenchStore): Promise<Measure[]> {
  const store = await openStore({ path: '', connectionString: url }, { create: false });
  const options = '-c hnsw.ef_search=200 -c hnsw.iterative_scan=relaxed_order -c jit=off';
  const pool = new Pool({ connectionString: url, max: CLIENTS, options });
  // The database may be removed before a connection has ended.
  pool.on('error', () => undefined);
  try {
    const generation = (await store.vectors.generations(ADMIN_NAMESPACE)).find(({ active }) => active)!.id;
    const vectors = { embedder: precomputedVectors(bench.queries), generation };
    const ours = (query: BenchQuery): unknown => searchOnce(store, vectors, query);
    const plain = ({ namespace, text, vector }: BenchQuery): unknown =>
      pool.query(PLAIN_SEARCH, [namespace, anyWord(text), `[${vector.join(',')}]`]);
    const rows: Measure[] = [];
    const measure = async (what: string, queries: readonly BenchQuery[], most: number): Promise<void> => {
      const times = [];
      for (const work of [ours, plain]) {
        await timeEach(bench.queries.slice(0, WARM_UP_QUERIES), work);
        times.push(await timeEach(queries, work));
      }
      for (const share of [0.5, 0.95])
        rows.push({
          ...{ what: `${what}, p${String(share * 100)}`, unit: 'ms', ours: quantile(times[0]!, share) },
          baseline: { name: 'plain SQL', value: quantile(times[1]!, share) },
          ...(share === 0.95 && { target: { of: 'ours', most, checked: false } }),
        });
    };
    await measure('search', bench.queries.slice(WARM_UP_QUERIES), 30);
    const small = smallNamespace(bench);
    await measure(`search of ${small.namespace}, ${String(small.passages)} passages`, small.queries, 10);
    rows.push({
      ...{
        what: `searches by ${String(CLIENTS)} clients`,
        unit: 'a second',
        ours: await rate(bench.queries, ours),
      },
      baseline: { name: 'plain SQL', value: await rate(bench.queries, plain) },
      target: { of: 'ours', least: 150, checked: false },
    });
    return rows;
  } finally {
    await pool.end();
    await store.close();
  }
}

/** The words without operators of `tsquery`. */
function anyWord(text: string): string {
  return (text.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !isStopWord(word)).join(' | ');
}

/** The namespace whose size is nearest to `SMALL`, with all queries asked there. */
function smallNamespace(bench: BenchStore): {
  readonly namespace: string;
  readonly passages: number;
  readonly queries: readonly BenchQuery[];
} {
  const sizes = [...new Set(bench.queries.map(({ namespace }) => namespace))].map((namespace) => ({
    namespace,
    passages: bench.exactVectors(namespace).length / DIMENSIONS,
  }));
  const distance = ({ passages }: { passages: number }): number => Math.abs(passages - SMALL);
  const nearest = sizes.sort((a, b) => distance(a) - distance(b))[0]!;
  const { namespace } = nearest;
  return { ...nearest, queries: bench.queries.map((query) => ({ ...query, namespace })) };
}

/** How many queries a second several clients get answered. */
async function rate(queries: readonly BenchQuery[], work: (query: BenchQuery) => unknown): Promise<number> {
  const waiting = queries.values();
  const started = performance.now();
  await Promise.all(Array.from({ length: CLIENTS }, () => timeEach(waiting, work)));
  return queries.length / ((performance.now() - started) / 1000);
}
