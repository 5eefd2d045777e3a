import assert from 'node:assert/strict';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { MemoryPoolDefinition } from '../../../src/adapters/contract.ts';
import type { Cases } from './host.ts';

/** How the index follows the list of pools and the files. */
export const poolCases: Cases = {
  'takes folders below the vault and absolute ones': async (host) => {
    const file = path.join(host.elsewhere, 'a.md');
    await host.write({ 'deep/er/a.md': 'A heron.\n', [file]: 'A heron elsewhere.\n' });
    await host.register({ id: 'below', path: 'deep/er' }, { id: 'absolute', path: host.elsewhere });
    assert.deepEqual(await host.found(), ['../elsewhere/a.md', 'deep/er/a.md']);
    await host.register({ id: 'vault', path: '.' });
    assert.deepEqual(await host.found(), ['deep/er/a.md']);
  },

  'forgets a pool that is not in the list any more': async (host) => {
    await host.write({ 'a/x.md': 'A heron.\n', 'b/x.md': 'A heron.\n' });
    await host.register({ id: 'a' }, { id: 'b' });
    assert.deepEqual(await host.found(), ['a/x.md', 'b/x.md']);
    await host.register({ id: 'b' });
    assert.deepEqual(await host.found(), ['b/x.md']);
    await host.register();
    assert.deepEqual(await host.found(), []);
    await host.register({ id: 'a' });
    assert.deepEqual(await host.found(), ['a/x.md']);
  },

  'reads a pool again that has another path': async (host) => {
    await host.write({
      'old/x.md': 'A heron in the old folder.\n',
      'new/x.md': 'A heron in the new folder.\n',
    });
    await host.register({ id: 'notes', path: 'old' });
    assert.deepEqual(await host.found(), ['old/x.md']);
    await host.register({ id: 'notes', path: 'new' });
    assert.deepEqual(await host.found(), ['new/x.md']);
    await rename(host.path('new'), host.path('newest'));
    await host.register({ id: 'notes', path: 'newest' });
    assert.deepEqual(await host.found(), ['newest/x.md']);
  },

  'lets pools exchange their folders': async (host) => {
    await host.write({ 'a/x.md': 'A heron of a.\n', 'b/x.md': 'A heron of b.\n' });
    await host.register({ id: 'first', path: 'a' }, { id: 'second', path: 'b', agents: ['other'] });
    assert.deepEqual(await host.found(), ['a/x.md']);
    await host.register({ id: 'first', path: 'b' }, { id: 'second', path: 'a', agents: ['other'] });
    assert.deepEqual(await host.found(), ['b/x.md']);
  },

  'follows a change of tier and of who sees a pool': async (host) => {
    await host.write({ 'a/x.md': 'A heron.\n' });
    await host.register({ id: 'a' });
    assert.deepEqual(await host.found(), ['a/x.md']);
    await host.register({ id: 'a', tier: 'cold' });
    assert.deepEqual(await host.found(), []);
    const [cold] = await host.recall({ tiers: ['cold'] });
    assert.ok(cold);
    if (cold.metadata !== undefined) assert.equal(cold.metadata['tier'], 'cold');
    await host.register({ id: 'a', agents: ['other'] });
    assert.deepEqual(await host.found(), []);
    assert.deepEqual(await host.found({ agentId: 'other' }), ['a/x.md']);
    await host.register({ id: 'a', agents: ['main'] });
    assert.deepEqual(await host.found(), ['a/x.md']);
    assert.deepEqual(await host.found({ agentId: 'other' }), []);
  },

  'changes nothing for the same list': async (host) => {
    await host.write({ 'a/x.md': 'A heron.\n', 'b/x.md': 'A heron of b.\n' });
    await host.register({ id: 'a' }, { id: 'b' });
    const results = await host.recall('heron');
    assert.equal(results.length, 2);
    await host.register({ id: 'a' }, { id: 'b' });
    assert.deepEqual(await host.recall('heron'), results);
    await host.register({ id: 'b' }, { id: 'a' });
    assert.deepEqual(await host.found(), ['a/x.md', 'b/x.md']);
  },

  'refuses a list that is not valid, and keeps the pools that it has': async (host) => {
    await host.write({ 'a/x.md': 'A heron.\n', [path.join(host.elsewhere, 'x.md')]: 'A heron.\n' });
    await host.register({ id: 'a' });
    for (const wrong of [
      [{ id: 'b' }, { id: 'b', path: 'c' }],
      [{ id: 'b', tier: 'tepid' as never }],
      [{ id: 'b', path: '../elsewhere' }],
      [{ id: 'b', path: 'a/../../elsewhere' }],
      [{ id: 'b', path: 'a\0' }],
      [{ id: 'b', path: '' }],
      [{ id: 'b', agents: 'main' as never }],
      [{ id: 'b', roles: [5] as never }],
    ]) {
      const label = JSON.stringify(wrong);
      await assert.rejects(host.register({ id: 'a', tier: 'cold' }, ...wrong), /\bb\b/, label);
      assert.deepEqual(await host.found(), ['a/x.md'], label);
    }
    for (const wrong of [null, 'a', [null], [{}], [{ id: 5, tier: 'hot', path: 'a' }]])
      await assert.rejects(host.adapter.registerPools(wrong as unknown as MemoryPoolDefinition[]));
    assert.deepEqual(await host.found(), ['a/x.md'], 'afterwards');
  },

  'sees new, changed and removed files when it is told': async (host) => {
    await host.write({ 'a/x.md': 'A heron.\n' });
    await host.register({ id: 'a' });
    await host.write({ 'a/new.md': 'A new heron.\n', 'a/sub/deep/y.md': 'A deep heron.\n' });
    await host.index('a/new.md', 'a/sub');
    assert.deepEqual(await host.found(), ['a/new.md', 'a/sub/deep/y.md', 'a/x.md']);
    await host.write({ 'a/x.md': 'A gull took its place.\n' });
    await host.index('a/x.md');
    assert.deepEqual(await host.found(host.byWords), ['a/new.md', 'a/sub/deep/y.md']);
    assert.deepEqual(await host.found({ query: 'gull', ...host.byWords }), ['a/x.md']);
    await rm(host.path('a/new.md'));
    await rm(host.path('a/sub'), { recursive: true });
    await host.index('a/new.md', 'a/sub');
    assert.deepEqual(await host.found(host.byWords), []);
    await rename(host.path('a/x.md'), host.path('a/z.md'));
    await host.index('a');
    assert.deepEqual(await host.found('gull'), ['a/z.md']);
  },

  'ignores paths that are in no pool': async (host) => {
    const outside = path.join(host.elsewhere, 'x.md');
    await host.write({ 'a/x.md': 'A heron.\n', 'b/x.md': 'A heron.\n', [outside]: 'A heron.\n' });
    await host.register({ id: 'a' });
    await host.adapter.indexPaths([
      outside,
      host.elsewhere,
      host.path('b'),
      host.path('never'),
      '/',
      '',
      'a\0',
    ]);
    await host.index();
    assert.deepEqual(await host.found(), ['a/x.md']);
  },

  'finds nothing in a folder that does not exist until it does': async (host) => {
    await host.write({ 'a/x.md': 'A heron.\n' });
    await host.register({ id: 'a' }, { id: 'later' });
    assert.deepEqual(await host.found(), ['a/x.md']);
    await host.write({ 'later/x.md': 'A heron.\n' });
    await host.index('later');
    assert.deepEqual(await host.found(), ['a/x.md', 'later/x.md']);
    await rm(host.path('later'), { recursive: true });
    await host.index('later');
    assert.deepEqual(await host.found(), ['a/x.md']);
    await host.write({ 'later/y.md': 'A heron.\n' });
    await host.index('later/y.md');
    assert.deepEqual(await host.found(), ['a/x.md', 'later/y.md']);
  },

  'gives the files of a pool within a pool to the inner one alone': async (host) => {
    await host.write({
      'out/x.md': 'A heron.\n',
      'out/in/x.md': 'A heron.\n',
      'out/in/in/x.md': 'A heron.\n',
    });
    const outer = { id: 'outer', path: 'out' };
    await host.register(outer);
    assert.deepEqual(await host.found(), ['out/in/in/x.md', 'out/in/x.md', 'out/x.md']);
    const inner = { id: 'inner', path: 'out/in', agents: ['other'] };
    await host.register(outer, inner);
    assert.deepEqual(await host.found(), ['out/x.md']);
    assert.deepEqual(await host.found({ poolIds: ['outer'], agentId: 'other' }), ['out/x.md']);
    await host.register({ id: 'innermost', path: 'out/in/in', tier: 'cold' }, inner, outer);
    assert.deepEqual(await host.found({ agentId: 'other' }), ['out/in/x.md', 'out/x.md']);
    assert.deepEqual(await host.found({ tiers: ['cold'] }), ['out/in/in/x.md']);
    await host.write({ 'out/in/new.md': 'A new heron.\n' });
    await host.index('out');
    assert.deepEqual(await host.found(), ['out/x.md']);
    await host.register(outer);
    assert.deepEqual(await host.found(), ['out/in/in/x.md', 'out/in/new.md', 'out/in/x.md', 'out/x.md']);
  },

  'gives each file of a folder with two pools once': async (host) => {
    await host.write({ 'a/x.md': 'A heron.\n', 'a/y.md': 'A heron.\n' });
    await host.register(
      { id: 'one', path: 'a', agents: ['main', 'both'] },
      { id: 'two', path: 'a/.', tier: 'cold' },
    );
    const files = ['a/x.md', 'a/y.md'];
    assert.deepEqual(await host.found(), files);
    assert.deepEqual(await host.found({ tiers: ['hot', 'cold'] }), files);
    assert.deepEqual(await host.found({ tiers: ['cold'], agentId: 'other' }), files);
    assert.deepEqual(await host.found({ tiers: ['hot'], agentId: 'other' }), []);
    const two = await host.recall({ tiers: ['cold'] });
    for (const { metadata } of two) if (metadata !== undefined) assert.equal(metadata['pool'], 'two');
    await host.register({ id: 'two', path: 'a' });
    assert.deepEqual(await host.found(), files);
  },

  'keeps files apart that have the same path in their pools': async (host) => {
    await host.write({ 'a/x.md': 'The heron of a.\n', 'b/x.md': 'The heron of b.\n' });
    await host.register({ id: 'a' }, { id: 'b' });
    assert.deepEqual(await host.found(), ['a/x.md', 'b/x.md']);
    await rm(host.path('a/x.md'));
    await host.index('a/x.md');
    assert.deepEqual(await host.found(), ['b/x.md']);
  },
};
