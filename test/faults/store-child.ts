/**
 * The child process of the store's fault tests: `node store-child.ts STORE NAMESPACE JOB`. It prints a line of JSON for
 * each call after the store has confirmed it.
 */
import { idempotentResult } from '../../src/store/items/kinds.ts';
import { LociError } from '../../src/core/errors.ts';
import type { Store } from '../../src/store/store.ts';
import { raceForLease, refreshUntilKilled } from './refresh-jobs.ts';
import { openSqlite, type Line } from './store-processes.ts';
import { searchText, searchVectors } from '../contract/queries.ts';
import {
  addVectors,
  ALL_LIVE,
  anyOf,
  embed,
  evict,
  note,
  NOW,
  unit,
  write,
} from '../contract/store-samples.ts';
import { commit, purgeRequest, auditDraft, purge } from '../contract/written-samples.ts';

const [, , path = '', namespace = '', job = ''] = process.argv;

function print(line: Line): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** A word that no other round and no other process writes. */
function wordOf(serial: number): string {
  return `w${String(process.pid)}x${String(serial)}`;
}

/** Writes, replaces, evicts and embeds until it is killed. Prints each call before it begins and after it is confirmed. */
async function writeUntilKilled(store: Store, vectors: number): Promise<void> {
  let before: number[] = [];
  for (let serial = 0; ; serial++) {
    const [replaced, evicted] = before;
    const affected = replaced === undefined || evicted === undefined ? {} : { replaced, evicted };
    print({ begin: affected, batch: `${String(process.pid)}/${String(serial)}/` });
    const notes = [0, 1, 2].map((i) =>
      note(`${wordOf(serial)} part${String(i)} ${'text '.repeat(200)}`, identityOf(serial, i)),
    );
    const replacing = { ...note(`${wordOf(serial)} again`, identityOf(serial, 3)), id: replaced ?? null };
    const ids = await write(store, namespace, ...notes, replacing);
    print({ written: ids, word: wordOf(serial) });
    if (evicted !== undefined) {
      await evict(store, namespace, evicted);
      print({ evicted });
    }
    await embed(store, vectors, namespace, (text) => unit(1, text.length, serial));
    before = ids.slice(0, 2);
  }
}

function identityOf(serial: number, part: number): { uuid: string; key: string } {
  const name = `${String(process.pid)}/${String(serial)}/${String(part)}`;
  return { uuid: name, key: name };
}

/** Writes records one by one, and checks after each that it is found by its word and by its vector. */
async function writeAndSearch(store: Store, vectors: number): Promise<void> {
  for (let serial = 0; serial < 30; serial++) {
    const [id = 0] = await write(store, namespace, note(`shared ${wordOf(serial)}`, identityOf(serial, 0)));
    const direction = unit(serial + 1, process.pid, 1);
    await embed(store, vectors, namespace, () => direction);
    const byWord = await searchText(store, namespace, anyOf(wordOf(serial)), ALL_LIVE, 5);
    const byVector = await searchVectors(store, namespace, vectors, direction, ALL_LIVE, 10_000);
    if (byWord.length !== 1 || byWord[0]?.record !== id)
      throw new Error(`record ${String(id)} was not found by its word`);
    if (byVector.every(({ record }) => record !== id))
      throw new Error(`record ${String(id)} was not found by its vector`);
    print({ written: [id] });
  }
}

/** Repeatedly removes all records, sweeps and writes new ones, so that the caches of readers become stale. */
async function churn(store: Store, vectors: number): Promise<void> {
  let ids: number[] = [];
  for (let round = 0; round < 15; round++) {
    const notes = Array.from({ length: 20 }, (_, i) =>
      note(`${wordOf(round)} ${String(i)}`, identityOf(round, i)),
    );
    const next = await write(store, namespace, ...notes);
    await embed(store, vectors, namespace, (text) => unit(1, text.length, round));
    await evict(store, namespace, ...ids);
    await store.admin.compact(namespace);
    ids = next;
  }
  print({ remaining: ids });
}

const KEYS = 60;

/** Sends the same requests with the same idempotency keys as the other processes, in a different order. */
async function writeIdempotently(store: Store): Promise<void> {
  for (let i = 0; i < KEYS; i++) {
    const key = `key${String((i * 7 + process.pid) % KEYS)}`;
    if ((await idempotentResult(store.records, namespace, key, NOW)) !== null) continue;
    const writing = note(`content of ${key}`, {
      origin: 'memory',
      key: null,
      uuid: `${key}/${String(process.pid)}`,
    });
    const audit = [auditDraft({ subject: writing.draft.uuid, diff: { key } })];
    const idempotencyKey = { key, fingerprint: key, at: NOW, expiresAt: NOW + 1 };
    try {
      print({ written: await commit(store, namespace, { writes: [writing], audit, idempotencyKey }) });
    } catch (error) {
      // Another process was faster.
      if (!(error instanceof LociError) || error.code !== 'conflict') throw error;
    }
  }
}

/** Writes, deletes and purges until it is killed, each with its audit entry. Prints what was confirmed. */
async function writeDeletePurge(store: Store): Promise<void> {
  for (let serial = 0; ; serial++) {
    const writes = [0, 1, 2].map((i) =>
      note(`${wordOf(serial)} ${'text '.repeat(100)}`, { ...identityOf(serial, i), origin: 'memory' }),
    );
    const uuids = writes.map(({ draft: { uuid } }) => uuid);
    const entries = (action: string): ReturnType<typeof auditDraft>[] =>
      uuids.map((subject) => auditDraft({ action, subject, diff: { serial } }));
    const ids = await commit(store, namespace, { writes, audit: entries('write') });
    print({ audited: uuids.map((uuid) => `write ${uuid}`) });
    const deletions = ids.slice(0, 2).map((id) => ({ id, at: NOW }));
    await commit(store, namespace, { deletions, audit: entries('delete').slice(0, 2) });
    print({ audited: uuids.slice(0, 2).map((uuid) => `delete ${uuid}`) });
    if (serial % 3 === 2) await purge(store.records, namespace, purgeRequest({ limit: 4 }));
  }
}

const store = await openSqlite(path);
const vectors = await addVectors(store);
print({ ready: true });
if (job === 'write') await writeUntilKilled(store, vectors);
if (job === 'search') await writeAndSearch(store, vectors);
if (job === 'churn') await churn(store, vectors);
if (job === 'idempotent') await writeIdempotently(store);
if (job === 'lifecycle') await writeDeletePurge(store);
if (job === 'refresh') await refreshUntilKilled(store, namespace, print);
if (job === 'race') await raceForLease(store, namespace, print);
if (job !== 'leave open') await store.close();
