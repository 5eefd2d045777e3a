import { Client } from 'pg';
import { expect, it } from 'vitest';
import { settingsStatement } from '../../src/store/postgres/postgres-sql.ts';
import { connectStore } from '../../src/store/registry.ts';
import { copyStore } from '../../src/store/sql/admin/copy-store.ts';
import { temporaryFolder } from '../contract/engines.ts';
import { fillConversations, KEYED_TABLES, openConversations, readEverything } from '../contract/read-path.ts';
import { letterVectors, OPENAI, startProvider } from '../embedding/provider-server.ts';
import { runStatements, testDatabase } from './database.ts';

interface SentStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

type Query = (this: Client, ...parameters: unknown[]) => Promise<unknown> | undefined;

/** The statements with parameters that the work sends and that only read, each text once. */
async function readsOf(work: () => Promise<unknown>): Promise<SentStatement[]> {
  const prototype = Client.prototype as unknown as { query: Query };
  const { query } = prototype;
  const sent = new Map<string, SentStatement>();
  prototype.query = function (...parameters) {
    const { text, values } = parameters[0] as Partial<SentStatement>;
    if (text !== undefined && values !== undefined && /^\s*(SELECT|WITH)\b/.test(text))
      sent.set(text, { text, values });
    return query.apply(this, parameters);
  };
  try {
    await work();
  } finally {
    prototype.query = query;
  }
  return [...sent.values()];
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Order By'?: string;
  readonly 'Actual Loops': number;
  /** Of one loop, as are the removed ones. */
  readonly 'Actual Rows': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** A smaller table is read whole, which takes less than to look rows up. */
const MANY_ROWS = 2000;

/** Steps that have read many rows of a table of `KEYED_TABLES` by no more than the namespace. */
function scansOf(node: PlanNode, table = node['Relation Name'] ?? ''): string[] {
  const type = node['Node Type'];
  const condition = node['Index Cond'] ?? '';
  // What is compared: `(ns = '1'::bigint) AND (record = requested.value)`.
  const columns = [...condition.matchAll(/\(+(?:\w+\.)?(\w+) (?:=|<|>|<=|>=|@@) /g)].map(([, name]) => name!);
  const isIndexScan = /^(Bitmap )?Index (Only )?Scan$/.test(type);
  const isScan =
    type === 'Seq Scan' ||
    (isIndexScan && node['Order By'] === undefined && columns.every((column) => column === 'ns'));
  const rows = node['Actual Loops'] * (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0));
  const own =
    isScan && rows > MANY_ROWS && KEYED_TABLES.includes(table)
      ? [`${type} on ${table} ${condition}: ${String(rows)} rows`]
      : [];
  return [...own, ...(node.Plans ?? []).flatMap((each) => scansOf(each, each['Relation Name'] ?? table))];
}

/** Copies a filled store into the database, because that takes a tenth of the time of filling it. */
async function fillDatabase(folder: string, server: string, connectionString: string): Promise<void> {
  const filled = await openConversations(folder, server);
  await fillConversations(filled);
  const { store } = filled.config;
  await filled.close();
  const source = await connectStore(store, { create: false });
  const target = await connectStore({ ...store, connectionString }, { create: true });
  await copyStore(source.driver, target.driver, 'source', {});
  await source.close();
  await target.close();
  await runStatements(connectionString, 'ANALYZE');
}

it('reads use the keys of the tables in a store with many conversations', async () => {
  await using folder = await temporaryFolder();
  await using server = await startProvider({ format: OPENAI, embed: letterVectors(8) });
  await using database = await testDatabase();
  await fillDatabase(folder.path, server.origin, database.url);
  const loci = await openConversations(folder.path, server.origin, { connectionString: database.url });
  const client = new Client({ connectionString: database.url });
  try {
    // Vectors are compared whole where they are few or short, as they are here.
    const reads = (await readsOf(() => readEverything(loci))).filter(({ text }) => !text.includes('<=>'));
    expect(reads.length).toBeGreaterThan(30);
    await client.connect();
    await client.query(`BEGIN; ${settingsStatement()}`);
    const scans: string[] = [];
    for (const { text, values } of reads) {
      const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
        [...values],
      );
      scans.push(...scansOf(rows[0]!['QUERY PLAN'][0].Plan).map((scan) => `${scan}: ${text.trim()}`));
    }
    expect(scans).toEqual([]);
  } finally {
    await client.end();
    await loci.close();
  }
}, 300_000);
