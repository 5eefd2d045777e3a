import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import path from 'node:path';
import { type Case, type Cases, type Host, fileOf } from './host.ts';

type Resolve = (reference: string, agentId?: string) => Promise<string | null>;

const NOTE = '---\ntitle: The oven\n---\n\nIt is blue.\nThe heron sits on it.\n';

/** A case that is skipped where the adapter has no `resolveReference`. */
function withResolve(run: (host: Host, resolve: Resolve) => Promise<void>): Case {
  return async (host, context) => {
    if (host.adapter.resolveReference === undefined) {
      context.skip('the adapter has no resolveReference');
      return;
    }
    await run(host, async (reference, agentId = 'main') => {
      const result = await host.adapter.resolveReference!(reference, agentId);
      return result === null ? null : (result.content ?? '');
    });
  };
}

/** What explicit references of an agent lead to. */
export const referenceCases: Cases = {
  'resolves an absolute path, one below the vault, and the uri of a result': withResolve(
    async (host, resolve) => {
      await host.write({ 'a/Oven.md': NOTE, 'cold/x.md': 'Cold.\n' });
      await host.register({ id: 'a' }, { id: 'cold', tier: 'cold' });
      for (const reference of [host.path('a/Oven.md'), 'a/Oven.md', './a/../a/Oven.md'])
        assert.equal(await resolve(reference), NOTE, reference);
      assert.equal(await resolve('cold/x.md'), 'Cold.\n', 'in a cold pool');
      const [found] = await host.recall('heron');
      const result = await host.adapter.resolveReference!(found!.uri, 'main');
      assert.match(result?.content ?? '', /heron/);
      assert.equal(fileOf(result?.uri ?? ''), host.path('a/Oven.md'));
      if (result?.metadata === undefined) return;
      const { pool, tier, path: below, title } = result.metadata;
      assert.deepEqual(
        { pool, tier, below, title },
        { pool: 'a', tier: 'hot', below: 'Oven.md', title: 'The oven' },
      );
    },
  ),

  'resolves lines': withResolve(async (host, resolve) => {
    await host.write({
      'a/x.md': 'one\ntwo\nthree\nfour\n',
      'a/y.md#L2': 'no note',
      'a/z#L1.md': 'five\nsix\n',
      'a/end.md': 'one\ntwo',
    });
    await host.register({ id: 'a' });
    for (const [reference, content] of [
      ['a/x.md#L2', 'two'],
      ['a/x.md#L2-L3', 'two\nthree'],
      ['a/x.md#L4-L99', 'four'],
      ['a/z#L1.md', 'five\nsix'],
      ['a/z#L1.md#L2', 'six'],
    ] as const)
      assert.equal((await resolve(reference))?.replace(/\n$/, ''), content, reference);
    for (const reference of ['a/x.md#L9', 'a/x.md#L0', 'a/end.md#L0-L3', 'a/x.md#L3-L2', 'a/y.md#L2'])
      assert.equal(await resolve(reference), null, reference);
  }),

  'resolves nothing outside of the pools': withResolve(async (host, resolve) => {
    const secret = path.join(host.elsewhere, 'secret.md');
    await host.write({
      [secret]: 'Secret.\n',
      'x.md': 'In no pool.\n',
      'a/x.md': 'A heron.\n',
      'a/.hidden.md': 'Hidden.\n',
      'a/.git/x.md': 'Hidden.\n',
      'a/photo.png': 'No note.\n',
      'ab/x.md': 'In no pool.\n',
    });
    await symlink(secret, host.path('a/file.md'));
    await symlink(host.elsewhere, host.path('a/folder'));
    await host.register({ id: 'a' });
    for (const reference of [
      secret,
      '../elsewhere/secret.md',
      'a/../../elsewhere/secret.md',
      'a/../x.md',
      host.path('x.md'),
      'ab/x.md',
      'a/file.md',
      'a/folder/secret.md',
      'a/.hidden.md',
      'a/.git/x.md',
      'a/photo.png',
      'a/none.md',
      'a',
      'a/',
      '',
      '.',
      '/',
      '#L1',
      'a/x.md\0',
      'a/x.md/y.md',
      'file:///etc/passwd',
      '/etc/passwd',
      '~/x.md',
      '\ud800',
      'a/'.repeat(50_000),
    ])
      assert.equal(await resolve(reference), null, JSON.stringify(reference.slice(0, 100)));
    for (const reference of [null, undefined, 5, {}])
      assert.equal(await resolve(reference as never), null, JSON.stringify(reference));
    assert.equal(await resolve('a/x.md'), 'A heron.\n', 'afterwards');
  }),

  'resolves nothing of pools that the agent does not see': withResolve(async (host, resolve) => {
    await host.write({ 'out/x.md': 'Outer.\n', 'out/in/x.md': 'Inner.\n', 'two/x.md': 'Two.\n' });
    await symlink('in/x.md', host.path('out/link.md'));
    await host.register(
      { id: 'outer', path: 'out' },
      { id: 'inner', path: 'out/in', agents: ['other'] },
      { id: 'one', path: 'two', agents: ['one'] },
      { id: 'two', agents: ['two'] },
    );
    for (const agentId of ['main', 'inner', '../other', '__proto__', '', '*'])
      for (const reference of ['out/in/x.md', 'out/link.md', 'two/x.md', host.path('out/in/x.md#L1')])
        assert.equal(await resolve(reference, agentId), null, `${reference} for ${agentId}`);
    assert.equal(await resolve('out/x.md', 'main'), 'Outer.\n');
    assert.equal(await resolve('out/in/x.md', 'other'), 'Inner.\n');
    for (const agentId of ['one', 'two']) assert.equal(await resolve('two/x.md', agentId), 'Two.\n', agentId);
    await host.register({ id: 'outer', path: 'out', agents: ['other'] });
    assert.equal(await resolve('out/x.md'), null, 'after a change');
  }),
};
