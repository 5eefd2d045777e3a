import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { TRUST } from '../../src/core/types.ts';
import { loadMigrations } from '../../src/store/rules/migrations.ts';
import { Database } from '../../src/store/sqlite/database/database.ts';
import { migrate } from '../../src/store/sqlite/admin/migrate.ts';
import type { Store } from '../../src/store/store.ts';
import { sourceStates } from '../../src/store/items/source-state.ts';
import { nearestInTime, neighboursOf, passagesOf, searchText, searchVectors } from '../contract/queries.ts';
import {
  addVectors,
  ALL_LIVE,
  anyOf,
  CHUNKING,
  embed,
  matchingRecords,
  note,
  NOW,
  unit,
  verifyStore,
  write,
} from '../contract/store-samples.ts';
import {
  ALL,
  UNUSUAL_TEXTS,
  attachAudit,
  auditChain,
  auditChains,
  auditDraft,
  auditEntries,
  commit,
  fact,
  idsOf,
  ownAuditLog,
  purgeRequest,
  verifyAudit,
  purge,
} from '../contract/written-samples.ts';
import { openSqlite, scratchFolder } from './store-processes.ts';

const MIGRATIONS = loadMigrations(new URL('../../src/store/sqlite/migrations/', import.meta.url));
const OLD_SCHEMA = 6;
const NAMESPACES = ['one', 'two'];

/** Creates a store of schema 6 with the content of another store, as the version of Loci at that time would have written it. */
async function copyToOldSchema(from: string, to: string): Promise<void> {
  closeSync(openSync(to, 'w'));
  const empty = new Database(to, { busyTimeoutMs: 0 });
  await migrate(empty, MIGRATIONS.slice(0, OLD_SCHEMA));
  empty.close();
  // FTS5's own tables are copied as they are.
  using db = new DatabaseSync(to, { defensive: false, enableForeignKeyConstraints: false });
  db.prepare('ATTACH ? AS source').run(from);
  const tablesWhere = (where: string): { name: string; sql: string }[] =>
    db
      .prepare(`SELECT name, sql FROM source.sqlite_schema WHERE type = 'table' AND ${where}`)
      .all()
      .map(({ name, sql }) => ({ name: String(name), sql: String(sql) }));
  for (const { sql } of tablesWhere("sql LIKE '%USING fts5%'")) db.exec(sql);
  for (const { name: newName } of tablesWhere("rootpage > 0 AND name NOT LIKE 'sqlite%'")) {
    const name = newName === 'embedding' ? 'vector' : newName;
    // A table of a later schema has no columns here.
    const columns = db.prepare(`SELECT name FROM pragma_table_info(?, 'main')`).all(name);
    if (columns.length === 0) continue;
    const list = columns.map((column) => String(column['name'])).join(', ');
    const selected = name === 'term' ? list.replace(/\bid\b/, 'row_number() OVER ()') : list;
    db.exec(
      `DELETE FROM main.${name}; INSERT INTO main.${name} (${list}) SELECT ${selected} FROM source.${newName}`,
    );
  }
  for (const { id } of db.prepare('SELECT id FROM main.namespace').all()) {
    const table = `main.word_${String(id)}`;
    const options = "word, content = '', detail = none, tokenize = 'trigram case_sensitive 1'";
    db.exec(`CREATE VIRTUAL TABLE ${table} USING fts5(${options});
      INSERT INTO ${table} (rowid, word) SELECT id, '^' || word || '$' FROM main.term WHERE ns = ${String(id)}`);
  }
}

/** Adds source states in the form of schema 6. */
function insertSourceReads(path: string): void {
  using db = new DatabaseSync(path);
  const insert = db.prepare("INSERT INTO source_read SELECT id, ?, ?, ? FROM namespace WHERE name = 'one'");
  insert.run('notes', NOW, '/home/ada/notes');
  insert.run('work', NOW + 1, null);
}

function tablesOf(path: string): string[] {
  using db = new DatabaseSync(path, { readOnly: true });
  const rows = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all();
  return rows.map(({ name }) => String(name));
}

/** The results of searches and reads. */
async function searchResults(store: Store, vectors: number): Promise<unknown> {
  return Promise.all(
    NAMESPACES.map(async (namespace) => ({
      records: await store.records.list(namespace, { scan: 'undeleted' }, ALL),
      byWord: await searchText(store, namespace, anyOf('common', 'word3', 'heading'), ALL_LIVE, 100),
      afterExpiry: await searchText(store, namespace, anyOf('common'), { now: NOW + 10 }, 100),
      near: await searchVectors(store, namespace, vectors, unit(1, 2, 3), ALL_LIVE, 100),
      terms: (await store.search.terms(namespace, ['common', 'comon', 'word3'])).terms,
      neighbours: await neighboursOf(store, namespace, [1, 5, 9], { before: 2, after: 2 }),
      entries: await store.records.sourceEntries(namespace, 'notes', ALL),
      links: await store.records.links(namespace, { from: [1, 2, 3] }, ALL),
      changes: (await store.records.changes(namespace, ALL)).changes,
      passages: await passagesOf(store, namespace, [1, 2, 3, 50], ALL_LIVE),
      newest: await nearestInTime(store, namespace, ALL_LIVE, 5),
      pending: (await store.vectors.pending(namespace, vectors, { totals: true })).texts,
    })),
  );
}

describe('a store of schema 6', () => {
  it('returns the same results after its migration, and accepts writes of agents', async () => {
    using folder = scratchFolder();
    const [current, old] = [join(folder.path, 'now.db'), join(folder.path, 'before.db')];
    const original = await openSqlite(current);
    const vectors = await addVectors(original);
    for (const namespace of NAMESPACES) {
      const notes = Array.from({ length: 40 }, (_, i) =>
        note([`common word${String(i)}`, `${namespace} ${'pad '.repeat(i)}`], {
          title: i % 3 === 0 ? 'Heading' : '',
          key: `${String(i)}.md`,
          metadata:
            i % 2 === 0 ? { session: 's', speaker: 'Ada' } : { links: [{ target: '2' }, { target: 'x' }] },
          expiresAt: i % 5 === 0 ? NOW + i - 10 : null,
          origin: i % 7 === 0 ? 'memory' : 'vault',
          tags: ['a/b'],
        }),
      );
      await write(original, namespace, ...notes);
    }
    await embed(original, vectors, 'one', (text) => unit(1, text.length, 2));
    await original.vectors.setGeneration(ADMIN_NAMESPACE, { activate: vectors });
    const expected = await searchResults(original, vectors);
    await original.close();
    await copyToOldSchema(current, old);
    insertSourceReads(old);

    const migrated = await openSqlite(old, { create: false });
    expect((await migrated.admin.stats(ADMIN_NAMESPACE)).schemaVersion).toBe(MIGRATIONS.at(-1)!.version);
    // The tables of the spelling indexes are gone too.
    expect(tablesOf(old).filter((name) => name.startsWith('word_'))).toEqual(['word_change']);
    expect(await searchResults(migrated, vectors)).toEqual(expected);
    expect(Object.fromEntries(await sourceStates(migrated.records, 'one'))).toMatchObject({
      notes: { root: '/home/ada/notes', readAt: NOW, refreshes: 0, problems: [], paused: false },
      work: { root: null, readAt: NOW + 1 },
    });
    expect(await sourceStates(migrated.records, 'two')).toEqual(new Map());
    expect(await verifyStore(migrated)).toEqual([]);
    for (const { trust } of await migrated.records.list('one', { scan: 'undeleted' }, ALL))
      expect(trust).toBe(TRUST[0]);
    expect((await migrated.records.bounds('one')).nextExpiry).toBe(NOW - 10);
    const audit = [auditDraft({ subject: 'u', diff: { a: 1 } })];
    expect(await commit(migrated, 'one', { writes: [fact('k', 'c', 'fresh')], audit })).toEqual([41]);
    await commit(migrated, 'one', { deletions: [{ id: 2, at: NOW }] });
    expect(await purge(migrated.records, 'one', purgeRequest())).toBe(4);
    expect(
      idsOf(await migrated.records.list('one', { filter: { ...ALL_LIVE, origins: ['fact'] } }, ALL)),
    ).toEqual([41]);
    expect(await matchingRecords(migrated, 'one', 'fresh')).toEqual([41]);
    expect(await verifyAudit(migrated, 'one')).toEqual([]);
    expect(await verifyStore(migrated)).toEqual([]);
    await migrated.close();
  });
});

describe('a store of schema 6 with documents of sources', () => {
  it('has stale passages where the documents have a project', async () => {
    using folder = scratchFolder();
    const [current, old] = [join(folder.path, 'now.db'), join(folder.path, 'before.db')];
    const original = await openSqlite(current);
    const [project, source] = ['home', { origin: 'source' as const }];
    await write(
      original,
      'one',
      note('a', { ...source, project }),
      note('b', source),
      note('c', { project }),
    );
    await original.close();
    await copyToOldSchema(current, old);
    const migrated = await openSqlite(old, { create: false });
    const stale = { scan: 'stale', chunking: CHUNKING } as const;
    expect(idsOf(await migrated.records.list('one', stale, ALL))).toEqual([1]);
    expect((await migrated.records.passagesOf('one', [1])).get(1)).toMatchObject([{ context: null }]);
    await migrated.close();
  });
});

describe('a store of schema 16', () => {
  it('finds its notes by their names and in the timeline, and has no differences', async () => {
    using folder = scratchFolder();
    const path = join(folder.path, 'store.db');
    const original = await openSqlite(path);
    await write(original, 'one', note('a', { key: 'Home/Oven.md', title: 'Kitchen' }), note('todo'));
    const edges = new Map([[2, [{ note: 1, share: 1, confidence: 0.9 }]]]);
    const progress = { upTo: 2, excludedSources: [], pass: null };
    await original.records.commit('one', { belongsTo: { edges, progress } });
    await original.close();
    {
      using db = new DatabaseSync(path);
      undoItems(db, 16);
      db.exec(`${DROP_GRAPH} DROP TABLE name; DROP TABLE sentence_vector; PRAGMA user_version = 16`);
    }
    const migrated = await openSqlite(path, { create: false });
    for (const noteName of ['oven', 'KITCHEN'])
      expect(await migrated.records.count('one', { now: NOW, noteName })).toBe(1);
    expect(
      await migrated.records.timeline('one', {
        filter: ALL_LIVE,
        around: { time: NOW },
        before: 9,
        after: 9,
      }),
    ).toMatchObject({ anchor: null, before: [{ record: { id: 2 } }, { record: { id: 1 } }], after: [] });
    expect(await verifyStore(migrated)).toEqual([]);
    // The edges of documents are derived by other rules now.
    expect((await migrated.records.bounds('one')).belongsTo.upTo).toBe(0);
    expect(await migrated.records.belongsTo('one', { documents: [2] })).toEqual([]);
    expect((await migrated.search.named('one', ['kitchen'])).map(({ record }) => record)).toEqual([1]);
    await migrated.close();
  });
});

describe('a store of schema 13 with an imported audit log', () => {
  it('keeps the log as an attachment, and its own log as it was', async () => {
    using folder = scratchFolder();
    const path = join(folder.path, 'store.db');
    const original = await openSqlite(path);
    const imported = Array.from({ length: 250 }, (_, i) =>
      auditDraft({
        at: NOW + i,
        actor: UNUSUAL_TEXTS[i % UNUSUAL_TEXTS.length]!,
        subject: null,
        diff: i % 3 === 0 ? null : { 9: i, a: [...UNUSUAL_TEXTS] },
      }),
    );
    await commit(original, 'other', { audit: imported });
    await commit(original, 'one', { audit: [auditDraft({ diff: { own: true } })] });
    const [importedChain, ownChain] = [
      await ownAuditLog(original, 'other'),
      await ownAuditLog(original, 'one'),
    ];
    await original.close();
    undoAttachments(path);

    const migrated = await openSqlite(path, { create: false });
    const { chain } = importedChain[0]!;
    expect(await auditChains(migrated, 'one')).toEqual([
      { chain: ownChain[0]!.chain, own: true, length: 1 },
      { chain, own: false, length: 250 },
    ]);
    expect(await auditChain(migrated, 'one', chain, ALL)).toEqual(importedChain);
    expect(await auditEntries(migrated, 'one', {}, ALL)).toEqual(ownChain);
    expect(await attachAudit(migrated, 'one', importedChain)).toBe(0);
    await commit(migrated, 'one', { audit: [auditDraft()] });
    for (const namespace of ['one', 'other']) expect(await verifyAudit(migrated, namespace)).toEqual([]);
    await migrated.close();
  });
});

describe('a store of schema 26', () => {
  it('loses the stored edges and nodes of concepts, but no tag', async () => {
    using folder = scratchFolder();
    const path = join(folder.path, 'loci.db');
    closeSync(openSync(path, 'w'));
    const old = new Database(path, { busyTimeoutMs: 0 });
    await migrate(old, MIGRATIONS.slice(0, 26));
    const node = (key: string): string =>
      `INSERT INTO graph_node (ns, key, id, type, title, project, tags, shares_identity) VALUES (1, '${key}', '${key}', 'concept', 'T', 'p', '[]', 0);`;
    const edge = (type: string, dst: string, lane: string): string =>
      `INSERT INTO graph_edge (ns, src, type, dst, lane, weight, reason, record, hash) VALUES (1, 'r1', '${type}', '${dst}', '${lane}', 1, '', 1, '');`;
    old.exec(`INSERT INTO namespace (id, name) VALUES (1, 'one');
      ${node('c_1')} ${node('c_2')} ${edge('mentions', 'c_1', 'concepts')} ${edge('tagged', 'c_2', 'text')}
      INSERT INTO concept_stale VALUES (1, 1);
      INSERT INTO concept_change (ns, id, at, actor, surface, project, detail, applied)
        VALUES (1, 'a', 5, 'ada', 'cli', 'p', '{"kind":"merge","into":"oven","from":["stove"]}', 1);`);
    old.close();
    const store = await openSqlite(path);
    const nodes = await store.graph.nodes('one', { ids: ['c_1', 'c_2'] });
    expect(nodes.map(({ id }) => id)).toEqual(['c_2']);
    const edges = await store.graph.contributions('one', 'text', [1]);
    expect(edges.get(1)!.edges).toHaveLength(1);
    await store.close();
    expect(tablesOf(path)).not.toContain('concept_stale');
    using db = new DatabaseSync(path, { readOnly: true });
    expect(db.prepare('SELECT type FROM graph_edge').all()).toEqual([{ type: 'tagged' }]);
  });
});

describe('a store of schema 28', () => {
  it('has the terms of texts, the vocabulary and the names that are derived now', async () => {
    using folder = scratchFolder();
    const path = join(folder.path, 'loci.db');
    const store = await openSqlite(path);
    for (const namespace of NAMESPACES)
      await write(
        store,
        namespace,
        note('ข้าวผัด C++ 🍕', { title: 'ชาเย็น' }),
        note('oven', { title: 'of\u00adten' }),
      );
    await store.close();
    const old = new DatabaseSync(path, { defensive: false });
    undoItems(old, 28);
    for (const ns of [1, 2]) {
      old.exec(`INSERT INTO text_${String(ns)} (text_${String(ns)}) VALUES ('delete-all');
        INSERT INTO text_${String(ns)} (rowid, title, body) VALUES (1, 'ชาเย็น', 'ข้าวผัด c');`);
    }
    old.exec(`DELETE FROM term; DELETE FROM word_change; DROP TABLE name;
      INSERT INTO term (ns, word, stem, passages) VALUES (1, 'ชาเย็น', 'ชาเย็น', 1); PRAGMA user_version = 28`);
    old.close();
    const migrated = await openSqlite(path);
    expect(await verifyStore(migrated)).toEqual([]);
    const byName = { ...anyOf(), any: [{ terms: ['c＋＋'], prefix: false }] };
    for (const namespace of NAMESPACES)
      expect(await searchText(migrated, namespace, byName, ALL_LIVE, 9)).toHaveLength(1);
    await migrated.close();
  });
});

/** The tables whose rows are items since schemas 37 and 40. */
const ITEM_TABLES =
  /^CREATE TABLE (startup|startup_seen|history|token|source_state|receipt|label|golden_query|concept_change|idempotency) \(.*?^\) STRICT.*?;/gms;

/** Undoes migrations 37 and 40 to 42 in a store without items: those of these tables that a schema has are there, and empty. */
function undoItems(db: DatabaseSync, schema: number): void {
  db.exec('DROP TABLE item; ALTER TABLE embedding RENAME TO vector');
  db.exec(
    'DROP TRIGGER audit_is_not_rewritten; DROP INDEX audit_session; ALTER TABLE audit DROP COLUMN session',
  );
  db.exec(
    /CREATE TRIGGER audit_is_not_rewritten.*?END;/s.exec(MIGRATIONS.map(({ sql }) => sql).join(''))![0],
  );
  for (const { sql } of MIGRATIONS.slice(0, schema))
    for (const [statement] of sql.matchAll(ITEM_TABLES)) db.exec(statement);
}

/** Undoes migrations 18 and 19. */
const DROP_GRAPH = `DROP TABLE concept_record; DROP TABLE concept_name; DROP TABLE concept_mention;
  DROP TABLE concept_changed; DROP TABLE concept_progress;
  DROP TABLE graph_node; DROP TABLE graph_edge; DROP TABLE graph_stale; DROP TABLE graph_progress;
  DROP INDEX record_identity;`;

/** Turns the store into one of schema 13 whose namespace `one` has imported the log of `other`. */
function undoAttachments(path: string): void {
  using db = new DatabaseSync(path, { defensive: false, enableForeignKeyConstraints: false });
  undoItems(db, 13);
  const triggers = db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name GLOB 'audit_[al]*_*'")
    .all();
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${String(name)}`);
  const oldSql = MIGRATIONS.find(({ version }) => version === 7)!.sql;
  for (const [statement] of oldSql.matchAll(
    /CREATE TABLE audit_chain .*?;|CREATE TRIGGER audit_chain.*?END;/gs,
  ))
    db.exec(statement);
  db.exec(`INSERT INTO audit_chain SELECT ns, chain, 1, length, head FROM audit_log;
    INSERT INTO audit_chain SELECT one.id, chain, 0, length, head FROM audit_log AS log
      JOIN namespace AS other ON other.id = log.ns AND other.name = 'other', namespace AS one WHERE one.name = 'one';
    INSERT INTO audit SELECT one.id, chain, seq, at, actor, surface, action, subject, diff, diff_hash, previous, hash
      FROM audit JOIN namespace AS other ON other.id = audit.ns AND other.name = 'other', namespace AS one
      WHERE one.name = 'one';
    DROP TABLE audit_log; DROP TABLE audit_attachment; DROP TABLE belongs_to; DROP TABLE name;
    DROP TABLE sentence_vector;
    ${DROP_GRAPH}
    ALTER TABLE namespace DROP COLUMN belongs_to_change;
    ALTER TABLE namespace DROP COLUMN belongs_to_excluded; ALTER TABLE namespace DROP COLUMN belongs_to_pass; PRAGMA user_version = 13`);
}
