import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import type { Store } from '../../src/store/store.ts';
import { note, pendingEmbeddings, unit, write } from '../contract/store-samples.ts';
import { repetitions } from '../repetitions.ts';
import { serverDatabase } from './database.ts';
import { type Server, startServer } from './server.ts';
import { commit, NAMESPACE, open, requirePrograms, Writes } from './written-keys.ts';

let server: Server;
beforeAll(async () => {
  server = await startServer(requirePrograms());
});
afterAll(() => server.close());

const database = async (): Promise<string> => (await serverDatabase(server.url)).url;

describe('all processes of the server are killed', () => {
  it('in the middle of commits, and no answered write is lost or doubled', async () => {
    await using resources = new AsyncDisposableStack();
    const url = await database();
    const stores = await Promise.all([open(url, resources), open(url, resources)]);
    const writes = new Writes();
    for (let crash = 0; crash < repetitions(20, 200); crash++) {
      const over = new AbortController();
      // Several at a time: what one of them did not commit must not pass for what another did.
      const writing = Promise.all(
        [...stores, ...stores].map((store, i) =>
          writes.commitUntil(store, `crash ${String(crash)} writer ${String(i)} write`, over.signal),
        ),
      );
      const before = writes.answered.length;
      // Some crashes come in the middle of a commit, others between two.
      while (writes.answered.length < before + 1 + (crash % 3)) await new Promise(setImmediate);
      await server.restartAfterCrash();
      over.abort();
      await writing;
    }
    await writes.expectKept(stores[0]);
  });

  it('in the middle of migrations, and a store is made whole afterwards', async () => {
    const crashes = repetitions(8, 60);
    const started = performance.now();
    {
      await using resources = new AsyncDisposableStack();
      await open(await database(), resources);
    }
    const duration = performance.now() - started;
    for (let crash = 0; crash < crashes; crash++) {
      await using resources = new AsyncDisposableStack();
      const url = await database();
      const opening = open(url, resources).catch((error: unknown) => error);
      const killAt = performance.now() + (duration * crash) / crashes;
      while (performance.now() < killAt) await new Promise(setImmediate);
      await server.restartAfterCrash();
      await opening;
      const store = await open(url, resources);
      await commit(store, 'first');
      for (const namespace of [ADMIN_NAMESPACE, NAMESPACE])
        expect(await store.admin.verify(namespace)).toEqual([]);
    }
  });

  it('in the middle of a backfill, and every passage has one vector afterwards', async () => {
    await using resources = new AsyncDisposableStack();
    const store = await open(await database(), resources);
    const { id } = await store.vectors.setGeneration(ADMIN_NAMESPACE, {
      add: { provider: 'test', model: 'm', dimensions: 3 },
    });
    const crashes = repetitions(8, 80);
    const batch = 5;
    const notes = Array.from({ length: 2 * crashes * batch }, (_, i) => note(`text ${String(i)}`));
    await write(store, NAMESPACE, ...notes);
    for (let crash = 0; crash < crashes; crash++) {
      let batches = 0;
      const over = new AbortController();
      const filling = (async () => {
        for (; !over.signal.aborted; batches++) await embedBatch(store, id, batch).catch(() => undefined);
      })();
      while (batches <= crash % 2) await new Promise(setImmediate);
      await server.restartAfterCrash();
      over.abort();
      await filling;
    }
    while ((await embedBatch(store, id, notes.length)) > 0);
    expect(await pendingEmbeddings(store, id, NAMESPACE)).toEqual([]);
    expect(await store.admin.totals(ADMIN_NAMESPACE)).toMatchObject({ vectors: notes.length });
    expect(await store.admin.stats(NAMESPACE)).toMatchObject({ vectors: notes.length });
    expect(await store.admin.verify(NAMESPACE)).toEqual([]);
  });
});

async function embedBatch(store: Store, generation: number, limit: number): Promise<number> {
  const { passages } = await store.vectors.pending(NAMESPACE, generation, { limit });
  const vectors = passages.map(({ hash }, i) => ({ hash, vector: unit(1, i + 1, 2) }));
  await store.vectors.put(NAMESPACE, generation, vectors);
  return passages.length;
}

it('the server is restarted in an orderly way under writes, whose errors say so', async () => {
  await using resources = new AsyncDisposableStack();
  const url = await database();
  const stores = await Promise.all([open(url, resources), open(url, resources)]);
  const writes = new Writes();
  for (let restart = 0; restart < 3; restart++) {
    const over = new AbortController();
    const writing = Promise.all(
      stores.map((store, i) =>
        writes.commitUntil(store, `restart ${String(restart)} writer ${String(i)} write`, over.signal),
      ),
    );
    const { length } = writes.answered;
    while (writes.answered.length < length + 4) await new Promise(setImmediate);
    await server.stop();
    await server.start();
    over.abort();
    await writing;
  }
  for (const error of writes.errors)
    expect(String(error)).toMatch(
      /connection to PostgreSQL failed|the database system is (?:starting up|shutting down)/,
    );
  await writes.expectKept(stores[0]);
});

it('processes of Loci are killed in the middle of commits, and no answered write is lost or doubled', async () => {
  await using resources = new AsyncDisposableStack();
  const url = await database();
  const store = await open(url, resources);
  const writes = new Writes();
  // Two at a time, whose writes wait for each other.
  for (let kill = 0; kill < repetitions(8, 60); kill += 2)
    await Promise.all([kill, kill + 1].map((each) => writeUntilKilled(url, each, writes)));
  await writes.expectKept(store);
});

async function writeUntilKilled(url: string, kill: number, writes: Writes): Promise<void> {
  const path = fileURLToPath(new URL('write-until-killed.ts', import.meta.url));
  const options = [path, url, `process ${String(kill)} write`];
  const child = spawn(process.execPath, options, { stdio: ['ignore', 'pipe', 'inherit'] });
  let lines = 0;
  for await (const key of createInterface(child.stdout)) {
    // Each key is printed before the write and after the answer.
    (lines % 2 === 0 ? writes.failed : writes.answered).push(key);
    if (lines++ === 6 + (kill % 4)) child.kill('SIGKILL');
  }
  expect(lines).toBeGreaterThan(6);
}
