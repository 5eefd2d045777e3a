import { searchVectors } from '../../../test/contract/queries.ts';
import { ADMIN_NAMESPACE } from '../rules/admin-namespace.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '../store.ts';
import { openSqliteStore } from './open.ts';

describe('calls made together', () => {
  const folder = mkdtempSync(join(tmpdir(), 'loci-'));
  let store: Store;
  beforeAll(async () => {
    store = await openSqliteStore({ path: join(folder, 'loci.db'), busyTimeoutMs: 1000, create: true });
  });
  afterAll(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const ask = (word: unknown): Promise<unknown> => store.search.terms('nobody', [word as string]);
  const answerTo = (word: string): unknown => [{ word, passages: 0, near: [] }];

  it('are each answered with what it asked for', async () => {
    const words = Array.from({ length: 50 }, (_, i) => `word${String(i)}`);
    expect(await Promise.all(words.map(ask))).toEqual(words.map(answerTo));
  });

  it('do not fail with one among them that fails', async () => {
    const [first, failed, last] = await Promise.allSettled([
      ask('first'),
      store.vectors
        .activateGeneration(ADMIN_NAMESPACE, 12)
        .then(() => searchVectors(store, 'nobody', 12, new Float32Array(3), { now: 0 }, 1)),
      ask('last'),
    ]);
    expect(first).toEqual({ status: 'fulfilled', value: answerTo('first') });
    expect(failed).toMatchObject({ status: 'rejected', reason: { code: 'not_found' } });
    expect(last).toEqual({ status: 'fulfilled', value: answerTo('last') });
  });

  it('reach the thread without the one that cannot be sent there', async () => {
    const [first, failed, last] = await Promise.allSettled([ask('first'), ask(() => 'no text'), ask('last')]);
    expect(first).toEqual({ status: 'fulfilled', value: answerTo('first') });
    expect(failed).toMatchObject({ status: 'rejected', reason: { code: 'internal' } });
    expect(last).toEqual({ status: 'fulfilled', value: answerTo('last') });
  });

  it('are answered before a close that comes with them', async () => {
    const path = join(folder, 'other.db');
    const other = await openSqliteStore({ path, busyTimeoutMs: 1000, create: true });
    const asked = other.search.terms('nobody', ['late']);
    await Promise.all([asked, other.close()]);
    expect(await asked).toEqual(answerTo('late'));
  });
});
