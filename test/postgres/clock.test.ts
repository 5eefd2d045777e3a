import { describe, expect, it } from 'vitest';
import type { EngineContext } from '../../src/engine/context.ts';
import { search } from '../../src/engine/records/search.ts';
import { withLease } from '../../src/engine/shared/lease.ts';
import { openInline, settings, temporaryFolder } from '../contract/engines.ts';
import { CHUNKING, note, write } from '../contract/store-samples.ts';
import { testDatabase } from './database.ts';

const HOUR_MS = 3_600_000;

/** Two machines with one store, the clock of the second one wrong by that much. */
async function machines(resources: AsyncDisposableStack, offsetMs: number): Promise<EngineContext[]> {
  const { url } = resources.use(await testDatabase());
  const { path } = resources.use(await temporaryFolder());
  const config = settings(path, { store: { connectionString: url } });
  const contexts = [await openInline(config), await openInline(config, { now: () => Date.now() + offsetMs })];
  for (const context of contexts) resources.defer(() => context.close());
  return contexts;
}

const found = async (context: EngineContext): Promise<string[]> =>
  (await search(context, { query: 'kettle' })).results.map(({ title }) => title);

describe('the clock of one of two machines', () => {
  it('is a day ahead, and purges nothing that has not expired', async () => {
    await using resources = new AsyncDisposableStack();
    const [right, ahead] = (await machines(resources, 24 * HOUR_MS)) as [EngineContext, EngineContext];
    const expiresAt = Date.now() + HOUR_MS;
    await write(right.store, right.namespace, note('the kettle is lent', { title: 'Kettle', expiresAt }));
    expect(await found(right)).toEqual(['Kettle']);
    expect(await found(ahead)).toEqual([]);
    expect(await found(right)).toEqual(['Kettle']);
  });

  it.each([
    ['ahead', HOUR_MS],
    ['behind', -HOUR_MS],
  ])(
    'is an hour %s, and a lease that it takes from the other refuses the writes of that one',
    async (_, offset) => {
      await using resources = new AsyncDisposableStack();
      const [right, wrong] = (await machines(resources, offset)) as [EngineContext, EngineContext];
      const lease = { namespace: right.namespace, name: 'source/a' };
      const writeAs = (context: EngineContext, key: string) =>
        withLease(context, lease, (fence) => commitFenced(context, key, fence), { wait: true });
      await withLease(right, lease, async (fence) => {
        await commitFenced(right, 'first', fence);
        await writeAs(wrong, 'second');
        await expect(commitFenced(right, 'third', fence)).rejects.toMatchObject({ code: 'conflict' });
      });
      await writeAs(right, 'fourth');
      const filter = { now: Date.now() };
      const records = await right.store.records.list(right.namespace, { filter }, { after: null, limit: 10 });
      expect(records.map(({ key }) => key).sort()).toEqual(['first', 'fourth', 'second']);
    },
  );
});

function commitFenced(
  { store, namespace }: EngineContext,
  key: string,
  fence: { lease: string; token: number },
): Promise<number[]> {
  const writes = [note(`text of ${key}`, { key, source: 'a', origin: 'source' })];
  return store.records.commit(namespace, { writes, chunking: CHUNKING, fence });
}
