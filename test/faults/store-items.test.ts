import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { HistoryDraft, SourceState, StartupEntry, StoredToken } from '../../src/store/admin-model.ts';
import type { ConceptChange } from '../../src/store/concept-model.ts';
import type { StoredReceipt } from '../../src/store/item-model.ts';
import type { IdempotentResult } from '../../src/store/model.ts';
import {
  conceptChanges,
  historyRuns,
  idempotentResult,
  startupDigest,
  startupEntries,
  storedReceipts,
  storedTokens,
} from '../../src/store/items/kinds.ts';
import { sourceStates } from '../../src/store/items/source-state.ts';
import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import { loadMigrations } from '../../src/store/rules/migrations.ts';
import { Database } from '../../src/store/sqlite/database/database.ts';
import { migrate } from '../../src/store/sqlite/admin/migrate.ts';
import { createTextTable } from '../../src/store/sqlite/database/namespaces.ts';
import type { Store } from '../../src/store/store.ts';
import { ALL_STATE_FIELDS } from '../contract/store-source-states.ts';
import { receipt } from '../contract/store-receipts.ts';
import { NOW, verifyStore } from '../contract/store-samples.ts';
import { ALL, historyRun, startupEntry, UNUSUAL_TEXTS } from '../contract/written-samples.ts';
import { openSqlite, scratchFolder } from './store-processes.ts';

const MIGRATIONS = loadMigrations(new URL('../../src/store/sqlite/migrations/', import.meta.url));
const CHILD = fileURLToPath(new URL('./migration-child.ts', import.meta.url));

/** Items of every kind, of which each text occurs in each field that may have any text. */
interface Items {
  readonly startup: readonly StartupEntry[];
  readonly digests: readonly { readonly agent: string; readonly session: string; readonly digest: string }[];
  readonly runs: readonly HistoryDraft[];
  readonly receipts: readonly StoredReceipt[];
  readonly changes: readonly ConceptChange[];
  readonly states: ReadonlyMap<string, SourceState>;
  readonly tokens: readonly StoredToken[];
  readonly done: ReadonlyMap<string, IdempotentResult>;
}

function itemsOf(namespace: string): Items {
  const texts = [...UNUSUAL_TEXTS.slice(1), 'a}', '{"a": [1]}', `of ${namespace}`];
  const each = <Value>(make: (text: string, i: number) => Value): Value[] => texts.map(make);
  return {
    startup: each((text, i) =>
      startupEntry({
        ...{ agent: text, key: text, content: text, priority: i, reinforce: i % 2 === 0 },
        deletedAt: i % 3 === 0 ? NOW + i : null,
      }),
    ),
    digests: each((text) => ({ agent: text, session: text, digest: text })),
    runs: each((text, i) =>
      historyRun({
        category: i % 2 === 0 ? 'pack_history' : 'pipeline_history',
        ...{ name: text, surface: text, actor: text, outcome: text, tookMs: i },
        inputs: { [text]: [text, { n: 0.5 }, null], deep: JSON.parse('['.repeat(20) + ']'.repeat(20)) as [] },
      }),
    ),
    receipts: each((text, i) => receipt(i + 1, { hash: text, body: { [text]: text } })).reverse(),
    changes: each((text, i) => ({
      ...{ id: `${text}${String(i)}`, at: NOW + i, actor: text, surface: text, project: text },
      ...{ kind: 'rename', concept: text, label: text },
    })),
    states: new Map(
      each((text) => [
        text,
        { ...ALL_STATE_FIELDS, settings: null, recentRuns: [], root: text, problems: [text], error: text },
      ]),
    ),
    done: new Map(each((text, i) => [text, { fingerprint: text, records: [i, 9] }])),
    tokens: each((text, i) => ({
      ...{ kind: 'token', csrfHash: null, usedAt: null },
      ...{ id: `${namespace}${String(i)}`, hash: `${namespace} ${text}`, subject: text, name: text },
      scopes: ['read', 'write'].slice(i % 3),
      ...{ createdAt: NOW + i, expiresAt: i % 2 === 0 ? null : NOW, revokedAt: i % 3 === 0 ? null : NOW + 5 },
    })),
  };
}

/** Writes the rows as the versions of Loci with the schemas 23 to 36 did. */
function insertOldRows(db: Database, ns: number, items: Items): void {
  const insert = (table: string, row: Readonly<Record<string, string | number | null>>): void => {
    const columns = Object.keys(row);
    const values = columns.map((column) => `:${column}`).join(', ');
    db.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values})`).run(row);
  };
  for (const { createdAt, updatedAt, deletedAt, reinforce, ...rest } of items.startup)
    insert('startup', {
      ...{ ns, ...rest, reinforce: Number(reinforce) },
      ...{ created_at: createdAt, updated_at: updatedAt, deleted_at: deletedAt },
    });
  for (const digest of items.digests) insert('startup_seen', { ns, ...digest, at: NOW });
  for (const [i, { inputs, tookMs, expiresAt, ...rest }] of items.runs.entries())
    insert('history', {
      ...{ ns, id: i + 1, ...rest, inputs: JSON.stringify(inputs), took_ms: tookMs, expires_at: expiresAt },
    });
  for (const { body, ...rest } of items.receipts)
    insert('receipt', { ns, ...rest, body: JSON.stringify(body) });
  for (const { id, at, actor, surface, project, ...detail } of items.changes)
    insert('concept_change', { ns, id, at, actor, surface, project, detail: JSON.stringify(detail) });
  for (const [source, state] of items.states)
    insert('source_state', {
      ...{
        ns,
        source,
        root: state.root,
        read_at: state.readAt,
        tried_at: state.triedAt,
        took_ms: state.tookMs,
      },
      ...{ next_at: state.nextAt, refreshes: state.refreshes, failures: state.consecutiveFailures },
      ...{ failed: state.totalFailures, error: state.error, problems: JSON.stringify(state.problems) },
      ...{ empties: state.consecutiveEmpty, paused: Number(state.paused), approval: state.approval },
      ...{
        approved_at: state.approvedAt,
        approved_by: state.approvedBy,
        hits: state.hits,
        hit_at: state.hitAt,
      },
    });
  for (const [key, { fingerprint, records }] of items.done)
    insert('idempotency', { ns, key, fingerprint, records: JSON.stringify(records), expires_at: NOW + 1 });
  for (const {
    kind: _k,
    csrfHash: _c,
    usedAt: _u,
    scopes,
    createdAt,
    expiresAt,
    revokedAt,
    ...rest
  } of items.tokens)
    insert('token', {
      ...{ ...rest, scopes: scopes.join(' '), created_at: createdAt, expires_at: expiresAt },
      revoked_at: revokedAt,
    });
}

async function readItems({ records }: Store, namespace: string, items: Items): Promise<unknown> {
  const runs = ['pack_history', 'pipeline_history'] as const;
  const history = await Promise.all(
    runs.map((category) => historyRuns(records, namespace, { category, now: NOW, order: 'oldest' }, ALL)),
  );
  const digests = items.digests.map(async ({ agent, session }) => {
    return { agent, session, digest: await startupDigest(records, namespace, { agent, session }) };
  });
  const done = [...items.done.keys()].map(async (key) => {
    return [key, await idempotentResult(records, namespace, key, NOW)] as const;
  });
  return {
    done: new Map(await Promise.all(done)),
    startup: await startupEntries(records, namespace),
    digests: await Promise.all(digests),
    runs: history.flat().sort((a, b) => a.id - b.id),
    receipts: await storedReceipts(records, namespace, { since: 0 }, ALL),
    changes: await conceptChanges(records, namespace),
    states: await sourceStates(records, namespace),
    tokens: (await storedTokens(records, ADMIN_NAMESPACE)).filter(({ id }) => id.startsWith(namespace)),
  };
}

function expected(items: Items): unknown {
  return {
    ...items,
    runs: items.runs.map((run, i) => ({ id: i + 1, ...run })),
  };
}

const NAMESPACES = ['one', 'two'] as const;

/** Creates a store of an earlier schema with items in two namespaces. */
async function oldStore(path: string, schema: number): Promise<Database> {
  closeSync(openSync(path, 'w'));
  const db = new Database(path, { busyTimeoutMs: 0 });
  await migrate(
    db,
    MIGRATIONS.filter(({ version }) => version <= schema),
  );
  for (const [i, name] of NAMESPACES.entries()) {
    db.exec(`INSERT INTO namespace (id, name) VALUES (${String(i + 1)}, '${name}')`);
    createTextTable(db, i + 1);
    insertOldRows(db, i + 1, itemsOf(name));
  }
  return db;
}

async function expectItems(store: Store): Promise<void> {
  for (const name of NAMESPACES)
    expect(await readItems(store, name, itemsOf(name))).toEqual(expected(itemsOf(name)));
}

describe('the items of a store', () => {
  it.each([26, 28, 36])('of schema %i are as they were, and in no other namespace', async (schema) => {
    using folder = scratchFolder();
    const path = join(folder.path, 'loci.db');
    (await oldStore(path, schema)).close();
    const store = await openSqlite(path);
    await expectItems(store);
    expect(await verifyStore(store)).toEqual([]);
    await store.close();
  });

  it('of schema 36 that a fault of the disk has changed are found by a check, and the others are read', async () => {
    using folder = scratchFolder();
    const path = join(folder.path, 'loci.db');
    const old = await oldStore(path, 36);
    old.exec(`UPDATE history SET inputs = '{x' WHERE ns = 1 AND id = 1; UPDATE source_state SET problems = '[1' WHERE ns = 1 AND source = 'a}';
      UPDATE concept_change SET detail = '' WHERE ns = 1 AND at = ${String(NOW)};
      UPDATE receipt SET body = '{x' WHERE ns = 1; UPDATE idempotency SET records = '[1' WHERE ns = 1 AND key = 'a}';`);
    old.close();
    const store = await openSqlite(path);
    const names = [
      `the change ${itemsOf('one').changes[0]!.id} of a concept`,
      'the answer for an idempotency key',
      'the inputs of run 1',
      'the list of problems of source a}',
    ];
    expect(await store.admin.verify('one')).toEqual(names.map((name) => `${name} cannot be read`));
    await expect(conceptChanges(store.records, 'one')).rejects.toMatchObject({
      code: 'store_corrupt',
      message: `${names[0]!} cannot be read: the store is damaged`,
    });
    expect((await storedReceipts(store.records, 'one', { since: 0 }, ALL)).map(({ body }) => body)).toEqual(
      itemsOf('one').receipts.map(() => null),
    );
    expect(await readItems(store, 'two', itemsOf('two'))).toEqual(expected(itemsOf('two')));
    await store.close();
  });
});

const PASSAGES = 100_000;

function insertPassages(db: Database): void {
  db.exec(
    `
    INSERT INTO record (ns, id, uuid, project, origin, source, trust, category, record_type, title, tags, metadata, created_at,
      updated_at, content_hash, content)
      SELECT 1, value, 'u' || value, '', 'memory', 'cli', 'operator', '', 'note', 't', '[]', '{}', value, value, 'h', 'text'
      FROM generate_series(1, ${String(PASSAGES / 100)});
    INSERT INTO passage (ns, record, ordinal, headings, text, start_line, end_line, hash)
      SELECT 1, value / 100 + 1, value % 100, '[]', 'passage ' || value, 1, 1, randomblob(32)
      FROM generate_series(0, ${String(PASSAGES - 1)});`.replaceAll(
      /generate_series\((\d+), (\d+)\)/g,
      '(WITH RECURSIVE n (value) AS (SELECT $1 UNION ALL SELECT value + 1 FROM n WHERE value < $2) SELECT value FROM n)',
    ),
  );
}

/** What shows that nothing has changed: the schema, and the rows of each table. */
function stateOf(path: string): unknown {
  using db = new DatabaseSync(path);
  const tables = db.prepare(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name",
  );
  const rows = tables
    .all()
    .map(({ name }) => [name, db.prepare(`SELECT count(*) AS n FROM ${String(name)}`).get()?.['n']]);
  return [db.prepare('PRAGMA user_version').get(), rows];
}

function versionOf(path: string): unknown {
  using db = new DatabaseSync(path);
  return db.prepare('PRAGMA user_version').get()?.['user_version'];
}

it('an upgrade that is killed before any of its statements changes nothing, and the next one does all of it', async () => {
  using folder = scratchFolder();
  const path = join(folder.path, 'loci.db');
  const old = await oldStore(path, 36);
  insertPassages(old);
  old.close();
  const before = stateOf(path);
  let step = 1;
  for (; ; step++) {
    const { signal, status, stderr } = spawnSync(process.execPath, [CHILD, path, String(step)], {
      encoding: 'utf8',
    });
    for (const name of readdirSync(folder.path))
      if (name.includes('.backup')) rmSync(join(folder.path, name));
    if (signal === null) {
      expect([status, stderr]).toEqual([0, '']);
      break;
    }
    expect(signal).toBe('SIGKILL');
    const isUpgraded = versionOf(path) === 37;
    // The statement after the transaction.
    if (isUpgraded) continue;
    expect(stateOf(path), String(step)).toEqual(before);
  }
  expect(step).toBeGreaterThan(30);
  const store = await openSqlite(path);
  await expectItems(store);
  const { namespaces } = await store.admin.stats(ADMIN_NAMESPACE);
  expect(namespaces.map(({ passages }) => passages)).toEqual([PASSAGES, 0]);
  await store.close();
});
