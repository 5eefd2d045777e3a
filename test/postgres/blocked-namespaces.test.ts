import { randomUUID } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { matchingRecords, note, write } from '../contract/store-samples.ts';
import { block, waitingConnections } from './blocked-namespaces.ts';
import { testDatabase } from './database.ts';
import { open } from './written-keys.ts';

const WAIT = { timeout: 100_000, interval: 20 };
/** More than the connections of a process. */
const MANY = 24;
/** A quarter of the connections for writes. */
const MAX_WAITING = 2;

it('searches and writes of other namespaces are answered while more namespaces are blocked than there are connections', async () => {
  await using resources = new AsyncDisposableStack();
  const { url } = resources.use(await testDatabase());
  const store: Store = await open(url, resources);
  const namespaces = Array.from({ length: MANY }, (_, i) => `blocked ${String(i)}`);
  for (const each of ['free', ...namespaces]) await write(store, each, note('a kettle'));

  const release = await block(url, namespaces, resources);
  let settled = 0;
  const blocked = [...namespaces, ...namespaces].map((namespace) =>
    write(store, namespace, note('a blocked teapot', { uuid: randomUUID() })).finally(() => (settled += 1)),
  );
  // The others have given their connections back.
  await vi.waitFor(async () => expect(await waitingConnections(url)).toBe(MAX_WAITING), WAIT);

  const answers = Array.from({ length: MANY }, async (_, i) => {
    const own = `new ${String(i)}`;
    await write(store, own, note('an unblocked teapot'));
    await write(store, 'free', note('another teapot', { uuid: randomUUID() }));
    return [await matchingRecords(store, own, 'teapot'), await matchingRecords(store, 'free', 'kettl')];
  });
  expect(await Promise.all(answers)).toEqual(answers.map(() => [[1], [1]]));
  await vi.waitFor(async () => expect(await waitingConnections(url)).toBe(MAX_WAITING), WAIT);
  expect(settled).toBe(0);

  await release();
  await Promise.all(blocked);
  for (const namespace of namespaces)
    expect(await matchingRecords(store, namespace, 'teapot')).toEqual([2, 3]);
});

it('a namespace whose lock is free again is written while as many others are blocked as may wait for theirs', async () => {
  await using resources = new AsyncDisposableStack();
  const { url } = resources.use(await testDatabase());
  const store: Store = await open(url, resources);
  const namespaces = Array.from({ length: MAX_WAITING }, (_, i) => `blocked ${String(i)}`);
  for (const each of ['soon free', ...namespaces]) await write(store, each, note('a kettle'));
  const release = await block(url, namespaces, resources);
  const releaseSoon = await block(url, ['soon free'], resources);
  let settled = 0;
  const blocked = namespaces.map((namespace) =>
    write(store, namespace, note('a teapot')).finally(() => (settled += 1)),
  );
  await vi.waitFor(async () => expect(await waitingConnections(url)).toBe(MAX_WAITING), WAIT);
  const waiting = write(store, 'soon free', note('a teapot'));
  await vi.waitFor(() => expect(store.activity?.().lockWaits).toBe(MAX_WAITING + 1), WAIT);
  await releaseSoon();
  expect(await waiting).toEqual([2]);
  expect(settled).toBe(0);
  await release();
  await Promise.all(blocked);
});

it('a lease of a namespace is renewed while its writes are blocked', async () => {
  await using resources = new AsyncDisposableStack();
  const { url } = resources.use(await testDatabase());
  const store: Store = await open(url, resources);
  await write(store, 'blocked', note('a kettle'));
  const release = await block(url, ['blocked'], resources);
  const blocked = write(store, 'blocked', note('a teapot'));
  await vi.waitFor(async () => expect(await waitingConnections(url)).toBe(1), WAIT);
  const request = { name: 'refresh', holder: 'a', now: 1, until: 60_000 };
  expect(await store.admin.lease('blocked', request)).toEqual({ holder: 'a', token: 1 });
  await release();
  expect(await blocked).toEqual([2]);
});
