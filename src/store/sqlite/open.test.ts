import { searchVectors } from '../../../test/contract/queries.ts';
import { note, write } from '../../../test/contract/store-samples.ts';
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
    });
  });
  afterAll(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const lookUp = (word: unknown): Promise<unknown> => store.search.terms('nobody', [word as string]);
  const expectedTerms = (word: string): unknown => ({
    terms: [{ word, passages: 0, near: [] }],
    ...{ languages: [], hasSessions: false },
  });

  it('each return their own result', async () => {
    const words = Array.from({ length: 50 }, (_, i) => `word${String(i)}`);
    expect(await Promise.all(words.map(lookUp))).toEqual(words.map(expectedTerms));
  });

  it('succeed although another call fails', async () => {
    const [first, failed, last] = await Promise.allSettled([
      lookUp('first'),
      store.vectors
        .setGeneration(ADMIN_NAMESPACE, { activate: 12 })
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

  it('have their turn by namespace, also when a call comes while those of another namespace wait', async () => {
    const finished: string[] = [];
    const call = async (namespace: string, words: readonly string[]): Promise<void> => {
      await store.search.terms(namespace, words);
      finished.push(namespace);
    };
    await write(store, 'many', note('oven'));
    await write(store, 'one', note('oven'));
    const words = Array.from({ length: 20_000 }, (_, i) => `word${String(i)}`);
    const many = Array.from({ length: 12 }, () => call('many', words));
    await many[0];
    await call('one', ['oven']);
    // One call of the other namespace was running, and one may have ended before this call arrived.
    expect(finished.indexOf('one')).toBeLessThan(4);
    await Promise.all(many);
    expect(finished).toHaveLength(13);
  });

  it('complete before a concurrent close, whatever their namespaces', async () => {
    const path = join(folder, 'close.db');
    const other = await openSqliteStore({ path, busyTimeoutMs: 1000, create: true });
    const words = Array.from({ length: 50 }, (_, i) => `word${String(i)}`);
    const calls = words.map((word, i) => other.search.terms(i % 2 === 0 ? 'a' : 'b', [word]));
    await Promise.all([...calls, other.close()]);
    expect((await Promise.all(calls)).map(({ terms }) => terms[0]?.word)).toEqual(words);
  });
});
