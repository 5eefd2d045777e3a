import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/e2e/loci-command.ts';
import { MAX_NOTE_BYTES } from '../../sources/files/read-file.ts';
import { type Pool, PoolSet } from './pool-set.ts';
import { resolveReference } from './resolve-reference.ts';

it('resolves the notes that a listing has, and no other files', async () => {
  const base = temporaryFolder();
  for (const folder of ['a/old', 'a/node_modules', 'a/.obsidian'])
    mkdirSync(join(base, folder), { recursive: true });
  writeFileSync(join(base, 'a/.obsidian/app.json'), '{"userIgnoreFilters":["old/"]}');
  const files: readonly (readonly [name: string, content: string | Uint8Array])[] = [
    ['a.md', '---\ntitle: The oven\n---\n\nBlue.\r\n'],
    ['old/a.md', 'Excluded.'],
    ['node_modules/a.md', 'A package.'],
    ['binary.md', Uint8Array.from([35, 0, 35])],
    ['large.md', new Uint8Array(MAX_NOTE_BYTES + 1).fill(32)],
    ['utf-16.txt', Buffer.from('\ufeffGrün.', 'utf16le')],
  ];
  for (const [name, content] of files) writeFileSync(join(base, 'a', name), content);
  const pools = new PoolSet(
    [
      { id: 'other', tier: 'hot', path: 'a', agents: ['other'] },
      { id: 'main', tier: 'cold', path: 'a', agents: ['main'] },
    ],
    { vaultRoot: base },
  );
  const resolve = (reference: string) => resolveReference(pools, reference, { agentId: 'main', base });
  const file = join(base, 'a/a.md');
  const note = {
    id: file,
    uri: file,
    content: '---\ntitle: The oven\n---\n\nBlue.\n',
    metadata: { title: 'The oven', pool: 'main', tier: 'cold', path: 'a.md' },
  };
  expect(await resolve('a/a.md')).toEqual(note);
  expect(await resolve('a/a.md#L5')).toEqual({ ...note, uri: `${file}#L5`, content: 'Blue.' });
  expect((await resolve('a/utf-16.txt'))?.content).toBe('Grün.');
  for (const [name] of files.slice(1, -1)) expect(await resolve(`a/${name}`), name).toBeNull();
  expect(await resolveReference(pools, 'a/a.md', { agentId: 'main', base: undefined })).toBeNull();
  // What is excluded is not known.
  writeFileSync(join(base, 'a/.obsidian/app.json'), '{');
  expect(await resolve('a/a.md')).toBeNull();
});

it('does not read through a link that takes the place of a folder after it was resolved', async () => {
  const base = temporaryFolder();
  for (const folder of ['a/in', 'a/closed']) mkdirSync(join(base, folder), { recursive: true });
  writeFileSync(join(base, 'a/in/x.md'), 'Open.');
  writeFileSync(join(base, 'a/closed/x.md'), 'Secret.');
  class Racing extends PoolSet {
    override seenBy(agentId: string): Pool[] {
      renameSync(join(base, 'a/in'), join(base, 'away'));
      symlinkSync('closed', join(base, 'a/in'));
      return super.seenBy(agentId);
    }
  }
  const pools = new Racing([
    { id: 'a', tier: 'hot', path: join(base, 'a') },
    { id: 'closed', tier: 'hot', path: join(base, 'a/closed'), agents: ['other'] },
  ]);
  expect(await resolveReference(pools, join(base, 'a/in/x.md'), { agentId: 'main', base })).toBeNull();
});

it('follows links to the folder of a pool, and none below it, so that no link of another pool is told of', async () => {
  const base = temporaryFolder();
  for (const folder of ['real/a/in', 'closed']) mkdirSync(join(base, folder), { recursive: true });
  const file = join(base, 'real/a/in/x.md');
  writeFileSync(file, 'Open.');
  symlinkSync('real', join(base, 'vault'));
  symlinkSync('real/a', join(base, 'linked'));
  symlinkSync('in', join(base, 'real/a/folder'));
  symlinkSync('in/x.md', join(base, 'real/a/x.md'));
  symlinkSync(file, join(base, 'closed/x.md'));
  symlinkSync(join(base, 'real/a'), join(base, 'closed/folder'));
  const pools = new PoolSet([
    { id: 'linked', tier: 'hot', path: join(base, 'linked') },
    { id: 'real', tier: 'hot', path: join(base, 'real/a/in') },
    { id: 'closed', tier: 'hot', path: join(base, 'closed'), agents: ['other'] },
  ]);
  const resolve = async (reference: string) =>
    (await resolveReference(pools, reference, { agentId: 'main', base: join(base, 'vault') }))?.uri;
  for (const reference of ['a/in/x.md', join(base, 'linked/in/x.md'), file])
    expect(await resolve(reference), reference).toBe(file);
  for (const name of ['closed/x.md', 'closed/folder/in/x.md', 'real/a/folder/x.md', 'real/a/x.md'])
    expect(await resolve(join(base, name)), name).toBeUndefined();
});
