import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { temporaryFolder } from './contract/engines.ts';
import { fillConversations, KEYED_TABLES, openConversations, readEverything } from './contract/read-path.ts';
import { letterVectors, OPENAI, startProvider } from './embedding/provider-server.ts';

/** The statements that the work runs and that only read. */
async function readsOf(work: () => Promise<unknown>): Promise<string[]> {
  const texts = new Set<string>();
  const onStatement = (text: unknown): void => {
    texts.add(String(text));
  };
  subscribe('loci.store.statement', onStatement);
  try {
    await work();
  } finally {
    unsubscribe('loci.store.statement', onStatement);
  }
  // The tables in `temp` are views of the text index, which each connection makes for itself.
  return [...texts].filter((text) => /^\s*(SELECT|WITH)\b/.test(text) && !text.includes('temp.'));
}

/** What reads the records that pass a filter, up to a limit, because no index has the filter. */
const FILTERED = /^SEARCH r USING .*\(ns=\?\): SELECT v\.id FROM record AS r[^]* LIMIT 50001$/;

/** Steps of the plan that read a table of `KEYED_TABLES` whole, or all of its rows of a namespace. */
function scansOf(db: DatabaseSync, statement: string): string[] {
  const [tables, others] = [new Set<string>(), new Set<string>()];
  for (const [, table = '', alias = table] of statement.matchAll(/(?:FROM|JOIN) (\w+|(?=\())(?: AS (\w+))?/g))
    (KEYED_TABLES.includes(table) ? tables : others).add(alias);
  for (const [, alias] of statement.matchAll(/\) AS (\w+)/g)) others.add(alias!);
  return db
    .prepare(`EXPLAIN QUERY PLAN ${statement}`)
    .all(...Array.from(statement.matchAll(/\?/g), () => null))
    .map((row) => String(row['detail']))
    .filter((step) => {
      const [, how, name = '', by = ''] = /^(SCAN|SEARCH) (\w+)(.*)$/.exec(step) ?? [];
      if (!tables.has(name)) return false;
      // The result of a subquery or of WITH may have the name of a table. It has no index.
      return how === 'SCAN' ? by !== '' || !others.has(name) : by.endsWith('(ns=?)');
    })
    .map((step) => `${step}: ${statement.trim()}`);
}

it('reads use the keys of the tables in a store with many conversations', async () => {
  await using folder = await temporaryFolder();
  await using server = await startProvider({ format: OPENAI, embed: letterVectors(8) });
  const loci = await openConversations(folder.path, server.origin);
  try {
    // A plan of SQLite does not depend on the number of rows.
    await fillConversations(loci, 200);
    const reads = await readsOf(() => readEverything(loci));
    expect(reads.length).toBeGreaterThan(50);
    const db = new DatabaseSync(join(folder.path, 'loci.db'), { readOnly: true });
    db.function('fold_tag', (tag) => tag);
    db.function('is_object', () => 1);
    db.function('matches_glob', () => 1);
    db.function('in_time', () => 1);
    const scans = reads.flatMap((read) => scansOf(db, read)).filter((scan) => !FILTERED.test(scan));
    db.close();
    expect(scans).toEqual([]);
  } finally {
    await loci.close();
  }
}, 300_000);
