import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import type { Cases } from './host.ts';

/** What an adapter does over time: calls at once, restarts, the end. */
export const lifecycleCases: Cases = {
  'answers while pools change': async (host) => {
    await host.write({ 'a/x.md': 'A heron.\n', 'b/x.md': 'A heron.\n', 'c/x.md': 'A heron.\n' });
    await host.register({ id: 'a' });
    const changes = Array.from({ length: 6 }, (_, i) =>
      host.register({ id: i % 2 === 0 ? 'b' : 'a' }, { id: 'c', agents: ['other'] }),
    );
    const recalls = Array.from({ length: 20 }, () => host.found());
    await Promise.all([...changes, host.index('a', 'b'), host.register({ id: 'b' })]);
    for (const found of await Promise.all(recalls))
      assert.deepEqual(
        found.filter((file) => file !== 'a/x.md' && file !== 'b/x.md'),
        [],
      );
    assert.deepEqual(await host.found(), ['b/x.md'], 'the last list holds');
  },

  'answers many recalls at once, each for its own agent': async (host) => {
    const agents = Array.from({ length: 20 }, (_, i) => `agent${String(i)}`);
    await host.write(
      Object.fromEntries(agents.map((agent) => [`${agent}/x.md`, `The heron of ${agent}.\n`])),
    );
    await host.register(...agents.map((id) => ({ id, agents: [id] })));
    const found = await Promise.all(agents.map((agentId) => host.found({ agentId })));
    assert.deepEqual(
      found,
      agents.map((agent) => [`${agent}/x.md`]),
    );
  },

  'finds the same after a restart, and what has changed meanwhile': async (host) => {
    await host.write({ 'a/x.md': 'A heron.\n', 'b/x.md': 'A heron.\n' });
    await host.register({ id: 'a' }, { id: 'b' });
    assert.deepEqual(await host.found(), ['a/x.md', 'b/x.md']);
    await host.reopen();
    await host.register({ id: 'a' }, { id: 'b' });
    assert.deepEqual(await host.found(), ['a/x.md', 'b/x.md']);
    await host.reopen();
    await rm(host.path('a/x.md'));
    await host.write({ 'a/new.md': 'A new heron.\n' });
    await host.register({ id: 'a', agents: ['other'] });
    await host.index('a');
    assert.deepEqual(await host.found(), []);
    assert.deepEqual(await host.found({ agentId: 'other' }), ['a/new.md']);
  },

  'reports a pool that it cannot answer from': async (host, context) => {
    if (host.adapter.status === undefined) {
      context.skip('the adapter has no status');
      return;
    }
    await host.write({ 'a/x.md': 'A heron.\n' });
    await host.register({ id: 'a' });
    await host.found();
    const well = await host.adapter.status();
    assert.equal(well.ok, true, well.message);
    await host.register({ id: 'a' }, { id: 'the missing one' });
    await host.found();
    const { ok, message = '' } = await host.adapter.status();
    assert.equal(ok, false);
    assert.match(message, /the missing one/);
    await host.register({ id: 'a' });
    assert.equal((await host.adapter.status()).ok, true, 'without the pool');
  },

  'may be closed at any time and more than once, and a recall does not reject then': async (
    host,
    context,
  ) => {
    const { adapter } = host;
    if (adapter.close === undefined) {
      context.skip('the adapter has no close');
      return;
    }
    await host.write({ 'a/x.md': 'A heron.\n' });
    await host.register({ id: 'a' });
    const query = { agentId: 'main', query: 'heron' };
    const running = Array.from({ length: 5 }, () => adapter.recall(query));
    await Promise.all([adapter.close(), ...running]);
    await adapter.close();
    assert.equal(Array.isArray(await adapter.recall(query)), true);
    const status = await adapter.status?.();
    if (status !== undefined) assert.equal(status.ok, false, 'the status of a closed adapter');
    await adapter.resolveReference?.('a/x.md', 'main');
  },

  'may be closed before it is used': async (host, context) => {
    if (host.adapter.close === undefined) context.skip('the adapter has no close');
    else await host.adapter.close();
  },
};
