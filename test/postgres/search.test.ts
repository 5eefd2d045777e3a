import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Deadline } from '../../src/core/time/deadline.ts';
import type { Embedder } from '../../src/embed/embedder.ts';
import { DEFAULT_RANKING } from '../../src/search/rank/ranking.ts';
import { runSearch, type SearchOutcome } from '../../src/search/search.ts';
import { shownPassages } from '../../src/search/shown-passages.ts';
import { connectPostgres } from '../../src/store/postgres/open.ts';
import { PostgresVectorIndex } from '../../src/store/postgres/vector-index.ts';
import { openStore } from '../../src/store/registry.ts';
import type { SearchFilter } from '../../src/store/search-model.ts';
import { passageFilter } from '../../src/store/sql/filter.ts';
import { embed, note, NOW, unit, write } from '../contract/store-samples.ts';
import { testDatabase, type TestDatabase } from './database.ts';

const VECTOR = unit(1, 0, 0);

/** An embedder that returns the same vector for all texts. */
const EMBEDDER: Embedder = {
  ...{ provider: 'test', model: 'm', dimensions: 3, maxTokens: 512 },
  embed: (texts) => Promise.resolve(texts.map(() => VECTOR)),
  countTokens: (text) => text.length,
  close: () => Promise.resolve(),
};

let database: TestDatabase;

beforeAll(async () => {
  database = await testDatabase();
});

afterAll(() => database[Symbol.asyncDispose]());

/** Notes with a search for them. */
async function searchable(namespace: string): Promise<(deadlineMs?: number) => Promise<SearchOutcome>> {
  const store = await openStore({ path: '', connectionString: database.url }, { create: true });
  onTestFinished(() => store.close());
  const { provider, model, dimensions } = EMBEDDER;
  const { id: generation } = await store.vectors.setGeneration('', { add: { provider, model, dimensions } });
  await write(
    store,
    namespace,
    note('marble worktop of the kitchen', { title: 'Kitchen' }),
    note(['a granite floor', 'marble for the bathroom']),
    note('bees'),
  );
  await embed(store, generation, namespace, () => VECTOR);
  return (deadlineMs) =>
    runSearch({
      ...{
        store,
        namespace,
        query: 'marble worktop',
        filter: { now: NOW },
        limit: 10,
        ranking: DEFAULT_RANKING,
      },
      vectors: { embedder: EMBEDDER, generation },
      deadlineMs,
    });
}

describe('the deadline of a search', () => {
  it.each([
    ['passage_text', ['text']],
    ['embedding', ['vector']],
    ['term', ['spelling', 'text']],
    // The best sentence only raises a cosine that is there.
    ['sentence_vector', []],
  ])(
    'ends each statement that waits for the table %s, and the answer names what is missing',
    async (table, missing) => {
      const searchNotes = await searchable(`deadline ${table}`);
      const other = new Client({ connectionString: database.url });
      await other.connect();
      onTestFinished(() => other.end());
      await other.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
      const started = performance.now();
      const outcome = await searchNotes(400);
      const { hits, retrieved } = outcome;
      expect((await shownPassages(outcome, hits)).size).toBe(table === 'embedding' ? 0 : hits.length);
      // Each call of the store has the deadline.
      expect(performance.now() - started).toBeLessThan(3000);
      expect(hits.length).toBeGreaterThan(0);
      const why = 'the deadline of 400 ms (`search.deadline`) was reached before all was compared';
      expect(retrieved.missing).toEqual(missing.map((signal) => ({ signal, why })));
      await other.query('ROLLBACK');
      expect((await searchNotes(10_000)).retrieved.missing).toEqual([]);
    },
  );
});

describe('a filter with the index of vectors', async () => {
  const FEW = 20;
  const MANY = 20_000;
  /** The records of the first namespace, and those with the tag in the second, are farthest from the query. */
  const FILL = `
    INSERT INTO namespace (id, name) VALUES (1001, 'few'), (1002, 'many');
    INSERT INTO namespace_state (ns, text_passages) VALUES (1001, ${String(FEW)}), (1002, ${String(MANY)});
    CREATE TEMPORARY TABLE made AS
      SELECT 1001 AS ns, n, '[]' AS tags, 3 AS angle FROM generate_series(1, ${String(FEW)}) AS n
      UNION ALL SELECT 1002, n, CASE WHEN n % 10000 = 0 THEN '["rare"]' ELSE '[]' END,
        CASE WHEN n % 10000 = 0 THEN 3 ELSE n::float8 / ${String(MANY)} END FROM generate_series(1, ${String(MANY)}) AS n;
    INSERT INTO record (ns, id, uuid, project, origin, source, trust, category, record_type, title, tags, metadata, created_at,
        updated_at, timeline_at, content_hash, content)
      SELECT ns, n, n, '', 'memory', '', 'agent', 'note', 'note', '', tags, '{}', 0, 0, 0, '', '' FROM made;
    INSERT INTO passage (id, ns, record, ordinal, headings, text, start_line, end_line, hash)
      SELECT ns * 100000 + n, ns, n, 0, '[]', '', 1, 1, sha256(n::text::bytea) FROM made;
    INSERT INTO generation (id, provider, model, dimensions) VALUES (1001, 'filters', 'm', 3);
    INSERT INTO embedding (ns, generation, hash, vector)
      SELECT ns, 1001, sha256(n::text::bytea), ARRAY[cos(angle + n * 1e-6), sin(angle + n * 1e-6), 0]::float4[]::vector::halfvec FROM made;`;

  it.each<[string, number, Omit<SearchFilter, 'now'>, number, number]>([
    // Without the index: the server knows from its statistics how small the namespace is.
    ['one tenant in a thousand', 1001, {}, FEW, 0],
    ['a tag that one record in ten thousand has', 1002, { tags: ['rare'] }, MANY / 10_000, 1],
  ])('finds all of %s', async (_, ns, filter, expected, scans) => {
    await using other = await testDatabase();
    const connected = await connectPostgres({ connectionString: other.url }, { create: true }, 'all rows');
    const { sql, vectors } = connected.driver;
    try {
      await sql.transaction(async () => {
        for (const statement of FILL.split(';').filter((each) => each.trim() !== ''))
          await sql.run(statement);
      });
      await vectors.createIndex({ id: 1001, dimensions: 3 });
      // As autovacuum does.
      await sql.run('ANALYZE');
      const index = new PostgresVectorIndex(sql, sql, 10);
      const condition = passageFilter(sql.dialect, { now: NOW, ...filter }, true);
      const query = { generation: 1001, vector: VECTOR };
      const found = await sql.snapshot(async () => {
        await sql.run('SELECT pg_stat_force_next_flush()');
        return index.search(ns, query, condition, 50, new Deadline());
      });
      expect(found).toHaveLength(expected);
      const statement =
        "SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'embedding_near_1001'";
      // A flush of the statistics is put off where another process writes its own.
      const flushed = async (): Promise<unknown> => {
        await sql.run('SELECT pg_stat_force_next_flush()');
        return sql.all(statement);
      };
      await expect.poll(flushed).toEqual([{ idx_scan: scans }]);
    } finally {
      await connected.close();
    }
  });
});
