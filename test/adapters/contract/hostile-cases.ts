import assert from 'node:assert/strict';
import { rename, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { type Cases, type Host, fileOf } from './host.ts';

const SECRET = 'The heron knows the password xyzzy.\n';

/** No result may have a text of a file that is not in the pools, whatever leads to it. */
async function assertNoSecret(host: Host): Promise<void> {
  for (const query of ['heron', 'xyzzy', 'password'])
    for (const result of await host.recall(query))
      assert.doesNotMatch(JSON.stringify(result), /xyzzy/, `for ${query}`);
}

/** Links, files and names that somebody may have put into a pool to be shown more than the pool, or to break the adapter. */
export const hostileCases: Cases = {
  'follows no link that leads out of the pool': async (host) => {
    const secret = path.join(host.elsewhere, 'secret.md');
    await host.write({ [secret]: SECRET, 'a/x.md': 'A heron.\n', 'other/secret.md': SECRET });
    await symlink(secret, host.path('a/file.md'));
    await symlink(host.elsewhere, host.path('a/folder'));
    await symlink('../other', host.path('a/relative'));
    await symlink('nowhere.md', host.path('a/broken.md'));
    await host.register({ id: 'a' });
    assert.deepEqual(await host.found(), ['a/x.md']);
    await host.index('a/file.md', 'a/folder', 'a/folder/secret.md', 'a/relative/secret.md');
    assert.deepEqual(await host.found(), ['a/x.md']);
    await assertNoSecret(host);
  },

  'ends where links form a loop': async (host) => {
    await host.write({ 'a/sub/x.md': 'A heron.\n' });
    await symlink('..', host.path('a/sub/up'));
    await symlink('self', host.path('a/self'));
    await host.register({ id: 'a' });
    assert.deepEqual(await host.found(), ['a/sub/x.md']);
  },

  'follows no link from a pool into one within it, or beside it': async (host) => {
    await host.write({ 'out/x.md': 'A heron.\n', 'out/in/secret.md': SECRET, 'closed/secret.md': SECRET });
    await symlink('in/secret.md', host.path('out/file.md'));
    await symlink('in', host.path('out/folder'));
    await symlink('../closed', host.path('out/beside'));
    await host.register(
      { id: 'outer', path: 'out' },
      { id: 'inner', path: 'out/in', agents: ['other'] },
      { id: 'closed', agents: ['other'] },
    );
    assert.deepEqual(await host.found(), ['out/x.md']);
    await assertNoSecret(host);
  },

  'knows the files of a pool whose own path leads through a link': async (host) => {
    await host.write({ 'real/in/x.md': 'A heron.\n', 'real/y.md': 'A heron.\n' });
    await symlink('real', host.path('linked'));
    await host.register({ id: 'outer', path: 'real' }, { id: 'inner', path: 'linked/in', agents: ['other'] });
    assert.deepEqual(await host.found(), ['real/y.md']);
    const other = await host.recall({ agentId: 'other' });
    assert.equal(other.length, 2);
  },

  'shows nothing of a file that a link has replaced': async (host) => {
    const secret = path.join(host.elsewhere, 'secret.md');
    await host.write({ [secret]: SECRET, 'a/x.md': 'A heron.\n', 'a/sub/secret.md': 'A heron.\n' });
    await host.register({ id: 'a' });
    assert.deepEqual(await host.found(), ['a/sub/secret.md', 'a/x.md']);
    await rm(host.path('a/x.md'));
    await symlink(secret, host.path('a/x.md'));
    await rename(host.path('a/sub'), host.path('a/gone'));
    await symlink(host.elsewhere, host.path('a/sub'));
    // Whether the results still have the old text is not said, but they do not have the new one.
    for (const query of ['heron', 'xyzzy'])
      for (const result of await host.adapter.recall({ agentId: 'main', query }))
        assert.doesNotMatch(JSON.stringify(result), /xyzzy/);
    await host.index('a/x.md', 'a/sub', 'a/gone');
    assert.deepEqual(await host.found(), ['a/gone/secret.md']);
    await assertNoSecret(host);
  },

  'leaves out hidden files and folders': async (host) => {
    await host.write({ 'a/x.md': 'A heron.\n', 'a/.secret.md': SECRET, 'a/.git/secret.md': SECRET });
    await host.register({ id: 'a' });
    assert.deepEqual(await host.found(), ['a/x.md']);
    await host.index('a/.secret.md', 'a/.git', 'a/.git/secret.md');
    assert.deepEqual(await host.found(), ['a/x.md']);
  },

  'reads notes beside files that are none': async (host) => {
    const bytes = Uint8Array.from({ length: 70_000 }, (_, i) => (i * 7919) % 256);
    await host.write({
      'a/x.md': 'A heron.\n',
      'a/binary.md': bytes,
      'a/photo.png': bytes,
      'a/empty.md': '',
      'a/half.md': Uint8Array.from([...Buffer.from('# '), 0xc3, 0x28, 0xff, 0xfe]),
      'a/broken.md': '---\nstatus: [draft\n: : :\n---\n\nAn egret.\n',
      'a/line.md': `${'word '.repeat(50_000)}\n`,
      'a/folder.md/y.md': 'A heron.\n',
    });
    await host.register({ id: 'a' });
    assert.deepEqual(await host.found(host.byWords), ['a/folder.md/y.md', 'a/x.md']);
    assert.deepEqual(await host.found({ query: 'egret', ...host.byWords }), ['a/broken.md']);
  },

  'knows files by any name': async (host) => {
    const names = [
      'two\nlines.md',
      'quote\'s "double".md',
      'percent %20 %.md',
      'a#L3.md',
      'a#L3-L9.md',
      '-rf.md',
      '*.md',
      '$(id) `id` ;.md',
      'back\\slash.md',
      'e\u0301.md',
      'emoji 🐦.md',
      `${'long'.repeat(60)}.md`,
      'C:stream.md',
      'tab\there/x.md',
    ].map((name) => `a/${name}`);
    await host.write(Object.fromEntries(names.map((name, i) => [name, `Heron number${String(i)}.\n`])));
    await host.register({ id: 'a' });
    for (const [i, name] of names.entries()) {
      const [result] = await host.recall({ query: `number${String(i)}`, limit: 1, ...host.byWords });
      assert.equal(path.relative(host.vault, fileOf(result?.uri ?? '')), name);
      const content = await host.adapter.resolveReference?.(result!.uri, 'main');
      if (content !== undefined) assert.match(content?.content ?? '', new RegExp(`number${String(i)}`), name);
    }
    await rm(host.path(names[0]!));
    await host.index(names[0]!);
    assert.deepEqual(await host.found(), names.slice(1).sort());
  },

  'takes pools with ids of any text': async (host) => {
    const ids = [
      '../../etc',
      '__proto__',
      "'; DROP TABLE pools; --",
      'a/b',
      'a',
      'A',
      '*',
      '图',
      'a b',
      'con',
    ];
    await host.write(Object.fromEntries(ids.map((_, i) => [`${String(i)}/x.md`, `Heron ${String(i)}.\n`])));
    await host.register(...ids.map((id, i) => ({ id, path: String(i) })));
    for (const [i, id] of ids.entries())
      assert.deepEqual(await host.found({ poolIds: [id] }), [`${String(i)}/x.md`], id);
    await host.register({ id: ids[0]!, path: '0' });
    assert.deepEqual(await host.found(), ['0/x.md']);
  },

  'survives a folder that is removed while it is read': async (host) => {
    const names = Array.from({ length: 200 }, (_, i) => `a/${String(i % 10)}/${String(i)}.md`);
    await host.write({
      'b/x.md': 'A heron.\n',
      ...Object.fromEntries(names.map((name) => [name, 'A heron.\n'])),
    });
    const query = { agentId: 'main', query: 'heron', limit: 300 };
    const registered = host.register({ id: 'a' }, { id: 'b' });
    const removed = rm(host.path('a'), { recursive: true, force: true, maxRetries: 3 });
    const recalled = Array.from({ length: 5 }, () => host.adapter.recall(query));
    await Promise.all([registered, removed, host.index('a'), ...recalled]);
    await host.index('a');
    assert.deepEqual(await host.found(), ['b/x.md']);
  },

  'writes nothing into the pools': async (host) => {
    await host.write({ 'a/x.md': 'A heron.\n', 'b/x.md': 'A heron.\n' });
    const before = await host.files();
    await host.register({ id: 'a' }, { id: 'b' }, { id: 'none' });
    await host.found();
    await host.index('a', 'b');
    await host.register({ id: 'a' });
    await host.reopen();
    await host.register({ id: 'vault', path: '.' });
    assert.deepEqual(await host.files(), before);
  },
};
