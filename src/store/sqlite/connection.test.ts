import { searchVectors } from '../../../test/contract/queries.ts';
import { ADMIN_NAMESPACE } from '../rules/admin-namespace.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '../store.ts';
import { openSqliteStore } from './open.ts';

describe('concurrent calls', () => {
  const folder = mkdtempSync(join(tmpdir(), 'loci-'));
  let store: Store;
  beforeAll(async () => {
    store = await openSqliteStore({
      path: join(folder, 'loci.db'),
      busyTimeoutMs: 1000,
      create: true,
      threads: true,
    });
  });
  afterAll(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const lookUp = (word: unknown): Promise<unknown> => store.search.terms('nobody', [word as string]);
  const expectedTerms = (word: string): unknown => [{ word, passages: 0, near: [] }];

  it('each return their own result', async () => {
    const words = Array.from({ length: 50 }, (_, i) => `word${String(i)}`);
    expect(await Promise.all(words.map(lookUp))).toEqual(words.map(expectedTerms));
  });

  it('succeed although another call fails', async () => {
    const [first, failed, last] = await Promise.allSettled([
      lookUp('first'),
      store.vectors
        .activateGeneration(ADMIN_NAMESPACE, 12)
        .then(() => searchVectors(store, 'nobody', 12, new Float32Array(3), { now: 0 }, 1)),
      lookUp('last'),
    ]);
    expect(first).toEqual({ status: 'fulfilled', value: expectedTerms('first') });
    expect(failed).toMatchObject({ status: 'rejected', reason: { code: 'not_found' } });
    expect(last).toEqual({ status: 'fulfilled', value: expectedTerms('last') });
  });

  it('succeed although the parameters of another call cannot be cloned', async () => {
    const [first, failed, last] = await Promise.allSettled([
      lookUp('first'),
      lookUp(() => 'no text'),
      lookUp('last'),
    ]);
    expect(first).toEqual({ status: 'fulfilled', value: expectedTerms('first') });
    expect(failed).toMatchObject({ status: 'rejected', reason: { code: 'internal' } });
    expect(last).toEqual({ status: 'fulfilled', value: expectedTerms('last') });
  });

  it('complete before a concurrent close', async () => {
    const path = join(folder, 'other.db');
    const other = await openSqliteStore({ path, busyTimeoutMs: 1000, create: true, threads: true });
    const pending = other.search.terms('nobody', ['late']);
    await Promise.all([pending, other.close()]);
    expect(await pending).toEqual(expectedTerms('late'));
  });
});
