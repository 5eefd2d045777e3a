import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openInline, settings, temporaryFolder, writeNotes } from '../../../test/contract/engines.ts';
import { indexVaults } from './index-vaults.ts';
import { get } from '../records/get.ts';
import { vaultStates } from './vault-states.ts';

it.each([
  ['Oven.md', '.Oven.md.icloud'],
  ['Oven.md', 'Oven.md.cloud'],
  ['Oven.md', 'Oven.md.nextcloud'],
  ['Home/Oven.md', 'Home/.Oven.md.icloud'],
  ['Home/Oven.md', 'Home.cloudf'],
])(
  'a note %s keeps its record while %s stands in its place, and loses it with that',
  async (note, placeholder) => {
    await using folder = await temporaryFolder();
    const vault = join(folder.path, 'vault');
    await writeNotes(vault, { [note]: 'the oven', 'Other.md': 'else', 'photo.jpg.cloud': '' });
    const loci = await openInline(settings(folder.path, { vaults: [{ name: 'vault', path: vault }] }));
    try {
      await indexVaults(loci);
      const { id } = await get(loci, { citation: 'Oven' });
      const away = join(folder.path, 'away');
      await rename(join(vault, note.split('/')[0]!), away);
      await mkdir(join(vault, placeholder, '..'), { recursive: true });
      await writeFile(join(vault, placeholder), 'bplist00');

      const { sources } = await indexVaults(loci);
      expect(sources[0]).toMatchObject({
        removed: 0,
        problems: [{ reason: 'not_downloaded', skipped: true }],
      });
      expect((await vaultStates(loci))[0]?.changes).toEqual({ added: 0, changed: 0, gone: 0 });
      expect(await get(loci, { citation: 'Oven' })).toMatchObject({ id, text: 'the oven' });

      await rm(join(vault, placeholder));
      await rm(join(vault, note.split('/')[0]!), { recursive: true, force: true });
      await rename(away, join(vault, note.split('/')[0]!));
      await indexVaults(loci);
      expect((await get(loci, { citation: 'Oven' })).id).toBe(id);

      await rm(join(vault, note));
      expect((await indexVaults(loci)).sources[0]).toMatchObject({ removed: 1, problems: [] });
    } finally {
      await loci.close();
    }
  },
);

it('a placeholder beside the note itself is ignored', async () => {
  await using folder = await temporaryFolder();
  const vault = join(folder.path, 'vault');
  await writeNotes(vault, { 'Oven.md': 'the oven', '.Oven.md.icloud': '' });
  const loci = await openInline(settings(folder.path, { vaults: [{ name: 'vault', path: vault }] }));
  expect((await indexVaults(loci)).sources[0]).toMatchObject({ added: 1, problems: [] });
  await loci.close();
});
