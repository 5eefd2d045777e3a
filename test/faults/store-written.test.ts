import { join } from 'node:path';
import { idempotentResult } from '../../src/store/items/kinds.ts';
import { describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../src/store/admin-model.ts';
import type { Store } from '../../src/store/store.ts';
import { NOW, verifyStore } from '../contract/store-samples.ts';
import { auditChain, auditChains, idsOf, verifyAudit } from '../contract/written-samples.ts';
import { openSqlite, scratchFolder, startChild } from './store-processes.ts';
import { repetitions } from '../repetitions.ts';

const NAMESPACE = 'n';
const PROCESSES = 4;
const KEYS = 60;
const KILLS = repetitions(3, 5);
const ALL = { after: null, limit: 100_000 };

/** The complete audit chain of the namespace. */
async function ownChain(store: Store): Promise<readonly AuditEntry[]> {
  const chains = await auditChains(store, NAMESPACE);
  expect(chains.length).toBeLessThanOrEqual(1);
  expect(await verifyAudit(store, NAMESPACE)).toEqual([]);
  return auditChain(store, NAMESPACE, chains[0]?.chain ?? '', ALL);
}

describe('processes that get the same requests with the same idempotency keys', () => {
  it('execute and log each request once', async () => {
    using folder = scratchFolder();
    const path = join(folder.path, 'store.db');
    const store = await openSqlite(path);
    const children = Array.from({ length: PROCESSES }, () => startChild(path, NAMESPACE, 'idempotent'));
    const ended = await Promise.all(children.map((child) => child.ended));
    expect(ended).toEqual(children.map(() => ({ code: 0, errors: '' })));
    const written = children.flatMap(({ lines }) => lines.flatMap((line) => line.written ?? []));
    expect(written.toSorted((a, b) => a - b)).toEqual(Array.from({ length: KEYS }, (_, i) => i + 1));
    const records = await store.records.list(NAMESPACE, { scan: 'undeleted' }, ALL);
    expect(idsOf(records)).toEqual(Array.from({ length: KEYS }, (_, i) => i + 1));
    for (const { id, uuid } of records) {
      const [key = ''] = uuid.split('/');
      expect(await idempotentResult(store.records, NAMESPACE, key, NOW)).toEqual({
        fingerprint: key,
        records: [id],
      });
    }
    expect(new Set(records.map(({ uuid }) => uuid.split('/')[0])).size).toBe(KEYS);
    expect((await ownChain(store)).map(({ subject }) => subject)).toEqual(records.map(({ uuid }) => uuid));
    expect(await verifyStore(store)).toEqual([]);
    await store.close();
  });
});

describe('a process that is killed while it writes, deletes and purges', () => {
  it('leaves every confirmed change with its audit entry, and no entry without its change', async () => {
    using folder = scratchFolder();
    const path = join(folder.path, 'store.db');
    const confirmed = new Set<string>();
    for (let kill = 0; kill < KILLS; kill++) {
      const after = 5 + Math.floor(Math.random() * 12);
      const child = startChild(path, NAMESPACE, 'lifecycle', (lines) => {
        if (lines === after) setTimeout(() => child.process.kill('SIGKILL'), Math.random() * 30);
      });
      expect(await child.ended).toEqual({ code: null, errors: '' });
      for (const { audited = [] } of child.lines) for (const entry of audited) confirmed.add(entry);

      const store = await openSqlite(path);
      const entries = await ownChain(store);
      const logged = new Set(entries.map(({ action, subject }) => `${action} ${String(subject)}`));
      expect(logged.size).toBe(entries.length);
      expect([...confirmed].filter((entry) => !logged.has(entry))).toEqual([]);
      const ids = Array.from({ length: (await store.records.bounds(NAMESPACE)).highestId }, (_, i) => i + 1);
      const records = new Map(
        (await store.records.get(NAMESPACE, ids, 'any')).map((record) => [record.uuid, record]),
      );
      for (const { action, subject, diff } of entries) {
        const record = records.get(subject ?? '');
        const purged = logged.has(`purge ${String(subject)}`);
        expect(record === undefined, `${action} ${String(subject)}`).toBe(purged);
        expect(diff === null).toBe(purged);
        if (action === 'delete' && record !== undefined) expect(record.deletedAt).toBe(NOW);
      }
      for (const { uuid, deletedAt } of records.values()) {
        expect(logged.has(`write ${uuid}`)).toBe(true);
        expect(logged.has(`delete ${uuid}`)).toBe(deletedAt !== null);
      }
      expect(await verifyStore(store)).toEqual([]);
      await store.close();
    }
    expect(confirmed.size).toBeGreaterThan(KILLS);
  });
});
