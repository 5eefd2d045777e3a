import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/e2e/loci-command.ts';
import { listNotes, readNotes } from './read-notes.ts';

it('reads no note through a link that has replaced its folder, and names the revision that it has read', async () => {
  const root = temporaryFolder();
  for (const folder of ['in', 'closed']) mkdirSync(join(root, folder));
  for (const name of ['a.md', 'in/x.md', 'closed/x.md']) writeFileSync(join(root, name), name);
  const pool = { id: 'a', root, inner: [join(root, 'closed')] };
  const before = (await listNotes(pool, [''])).packed.split('\0');
  writeFileSync(join(root, 'a.md'), 'It is longer.');
  renameSync(join(root, 'in'), join(root, 'away'));
  symlinkSync('closed', join(root, 'in'));
  const paths = before.filter((_, i) => i % 3 === 0);
  expect(paths).toEqual(['a.md', 'in/x.md']);
  const read = await readNotes(
    paths.map((path) => [root, path] as const),
    'none',
  );
  const [path, , revision] = (await listNotes(pool, ['a.md'])).packed.split('\0');
  expect(read.map((note) => [note.path, note.revision])).toEqual([[path, revision]]);
  expect(revision).not.toBe(before[2]);
});
