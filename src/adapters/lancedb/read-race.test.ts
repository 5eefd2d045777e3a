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
  const { files } = await listNotes(pool);
  writeFileSync(join(root, 'a.md'), 'It is longer.');
  renameSync(join(root, 'in'), join(root, 'away'));
  symlinkSync('closed', join(root, 'in'));
  const paths = files.map(({ key }) => key);
  expect(paths).toEqual(['a.md', 'in/x.md']);
  const read = await readNotes(root, paths, 'none');
  const [file] = (await listNotes(pool)).files;
  expect(read.map((note) => [note.path, note.revision])).toEqual([[file!.key, file!.revision]]);
  expect(file!.revision).not.toBe(files[0]!.revision);
});
