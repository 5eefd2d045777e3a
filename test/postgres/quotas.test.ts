import { expect, it } from 'vitest';
import type { EngineContext } from '../../src/engine/context.ts';
import { openEngine } from '../../src/engine/open.ts';
import { RequestQuotas } from '../../src/engine/access/request-quotas.ts';
import { settings, temporaryFolder } from '../contract/engines.ts';
import { runStatements, testDatabase } from './database.ts';

const HOUR_MS = 3_600_000;

it('requests are counted for all servers together, whatever their clocks are', async () => {
  await using resources = new AsyncDisposableStack();
  const { url } = resources.use(await testDatabase());
  const folder = resources.use(await temporaryFolder());
  const store = { connectionString: url, path: `${folder.path}/loci.db` };
  const engines: EngineContext[] = [];
  for (const skew of [-HOUR_MS, 0, HOUR_MS]) {
    const engine = await openEngine(settings(folder.path, { store }), { now: () => Date.now() + skew });
    resources.defer(() => engine.close());
    engines.push(engine);
  }
  const [first] = engines as [EngineContext];
  const limits = { maxRecords: null, maxBytes: null, maxRequests: 9 };
  await first.store.records.commit('tenant', { quota: limits });
  let done = 0;
  const request = (i: number): Promise<unknown> =>
    engines[i % 3]!.shared(RequestQuotas).run('tenant', i % 2 === 0, () => Promise.resolve(done++));
  const outcomes = await Promise.allSettled(Array.from({ length: 30 }, (_, i) => request(i)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(9);
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'rate_limited' });
  // A refused write was not run, and a refused read may have been.
  expect(done).toBeLessThan(30);
  // The clock of the server was set back by a day: the limit begins anew, and lasts no day.
  await runStatements(url, 'UPDATE request_rate SET at = at + 86400000000, until = until + 86400000000');
  expect((await first.store.admin.admitRequest('tenant')).waitMs).toBe(0);
});
