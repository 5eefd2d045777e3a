import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { GetOutput } from '../../src/engine/records/get.ts';
import type { IndexOutput } from '../../src/operations/nouns/index-notes.ts';
import { loci, lociJson, temporaryFolder } from './loci-command.ts';

const TEXTS = [1, 2, 3, 4, 5, 6].map((i) => [
  `n${String(i)}.md`,
  `Note ${String(i)} about zebras, see [[n1]].`,
]);

let [home, folder, vault] = ['', '', ''];

const settings = (): string => readFileSync(join(home, 'loci.yaml'), 'utf8');
const index = (...paths: string[]): Promise<IndexOutput> =>
  lociJson<IndexOutput>(['index', ...paths], { home });

beforeEach(async () => {
  folder = temporaryFolder();
  home = join(folder, 'home');
  vault = join(folder, 'vault');
  mkdirSync(vault);
  for (const [name, text] of TEXTS) writeFileSync(join(vault, name!), text!);
  await loci(['index', vault], { home });
});

describe('a folder with the notes of a vault that is missing', () => {
  it('is that vault: its name and its records stay, and its path in the settings changes', async () => {
    writeFileSync(
      join(home, 'loci.yaml'),
      `# mine\nvaults:\n  - path: ${vault} # the first\n    weight: 0.9\n`,
    );
    const { id } = await lociJson<GetOutput>(['get', 'n3'], { home });
    const moved = join(folder, 'Notes');
    renameSync(vault, moved);
    writeFileSync(join(moved, 'n2.md'), 'Another text.');
    writeFileSync(join(moved, 'n7.md'), 'A new note.');
    const { vaults, notes, configured } = await index(moved);
    expect(vaults).toMatchObject([
      { name: 'vault', path: moved, added: 1, updated: 1, unchanged: 5, removed: 0 },
    ]);
    expect(notes).toEqual([`vault has moved from ${vault} to ${moved}: its name and its records stay`]);
    expect(configured).toEqual([]);
    expect(settings()).toBe(
      `# mine\nvaults:\n  - path: ${moved} # the first\n    weight: 0.9\n    name: vault\n`,
    );
    expect(await lociJson<GetOutput>(['get', 'n3'], { home })).toMatchObject({ id, source: 'vault' });
    expect((await index()).vaults).toMatchObject([{ name: 'vault', unchanged: 7 }]);
  });

  it('is that vault also if the settings do not have it any more', async () => {
    writeFileSync(join(home, 'loci.yaml'), '');
    const moved = join(folder, 'Notes');
    renameSync(vault, moved);
    expect((await index(moved)).vaults).toMatchObject([{ name: 'vault', unchanged: 6 }]);
    expect(settings()).toContain(`- name: vault\n    path: ${moved}`);
  });

  it('is another vault where it lacks a note, which would be removed', async () => {
    const moved = join(folder, 'Notes');
    renameSync(vault, moved);
    rmSync(join(moved, 'n6.md'));
    const { vaults, notes } = await index(moved);
    expect(vaults).toMatchObject([{ name: 'Notes', added: 5 }]);
    expect(notes).toEqual([expect.stringMatching(/has the paths of 5 of 6 notes of vault/)]);
    expect((await lociJson<GetOutput>(['get', 'vault:n6.md'], { home })).source).toBe('vault');
  });

  it.each(['is not connected', 'is empty, and the place of a disk'])(
    'is another vault where the folder around the old one %s',
    async (state) => {
      const disk = join(folder, 'disk');
      const onDisk = join(disk, 'vault');
      const backup = join(folder, 'Backup');
      mkdirSync(disk);
      renameSync(vault, onDisk);
      await index(onDisk);
      renameSync(onDisk, backup);
      rmSync(disk, { recursive: true });
      if (state.startsWith('is empty')) mkdirSync(disk);
      const { vaults, notes } = await index(backup);
      expect(vaults).toMatchObject([{ name: 'Backup', added: 6 }]);
      expect(notes).toEqual([
        expect.stringMatching(/has the paths of 6 of 6 notes of vault, .* was added as Backup/),
      ]);
      expect(settings()).toContain(onDisk);
    },
  );

  it.each([
    ['includeInContext: false', []],
    ['exclude: [private.md]', []],
    ['enabled: false', []],
    ['includeInContext: false', ['--once']],
  ] as const)(
    'is not read with other settings than the missing vault, which has %s',
    async (line, options) => {
      const yaml = `vaults:\n  - path: ${vault}\n    name: vault\n    ${line}\n`;
      writeFileSync(join(home, 'loci.yaml'), yaml);
      const similar = join(folder, 'Notes');
      renameSync(vault, similar);
      rmSync(join(similar, 'n6.md'));
      const result = await loci(['index', similar, ...options, '--json'], { home });
      expect(JSON.parse(result.stdout)).toMatchObject({
        error: {
          code: 'conflict',
          message: expect.stringContaining(line.replace(/(?<=exclude).*/, '')) as string,
        },
      });
      expect(settings()).toBe(yaml);
      writeFileSync(join(home, 'loci.yaml'), `${yaml}  - path: ${similar}\n    name: Partner\n`);
      expect((await index(similar)).vaults).toMatchObject([{ name: 'Partner', added: 5 }]);
    },
  );

  it('is another vault while the old folder is there', async () => {
    const copy = join(folder, 'Notes');
    renameSync(vault, copy);
    mkdirSync(vault);
    const { vaults, notes } = await index(copy);
    expect(vaults).toMatchObject([{ name: 'Notes', added: 6 }]);
    expect(notes).toEqual([]);
  });

  it('is another vault, and a remark says so, where it is only similar', async () => {
    const similar = join(folder, 'Notes');
    renameSync(vault, similar);
    for (const name of ['n1.md', 'n2.md', 'n3.md']) rmSync(join(similar, name));
    const { vaults, notes } = await index(similar);
    expect(vaults).toMatchObject([{ name: 'Notes', added: 3 }]);
    expect(notes).toEqual([
      expect.stringMatching(
        /has the paths of 3 of 6 notes of vault, whose folder .* is missing, and was added as Notes/,
      ),
    ]);
    expect((await lociJson<GetOutput>(['get', 'vault:n1.md'], { home })).source).toBe('vault');
  });

  it('is another vault where the paths are the same and the texts are not', async () => {
    rmSync(vault, { recursive: true });
    const other = join(folder, 'Notes');
    mkdirSync(other);
    for (const [name] of TEXTS) writeFileSync(join(other, name!), 'Something else.');
    expect((await index(other)).vaults).toMatchObject([{ name: 'Notes', added: 6 }]);
  });
});
