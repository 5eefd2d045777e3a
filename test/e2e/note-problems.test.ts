import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { IndexOutput } from '../../src/operations/nouns/index-notes.ts';
import type { SourcesListOutput } from '../../src/engine/reading/source-schemas.ts';
import { temporaryFolder } from './loci-command.ts';
import { SourcesHome } from './sources-home.ts';

describe('a problem of a note in a vault', () => {
  it('is reported as long as it exists, even if nothing changed', async () => {
    const notes = temporaryFolder();
    const home = new SourcesHome({ vaults: [{ path: notes }] });
    const problems = async (): Promise<string[]> => {
      await home.json('index');
      const { sources } = await home.json<SourcesListOutput>('sources', 'list');
      return sources.flatMap((source) => source.problems);
    };
    writeFileSync(join(notes, 'a: b.md'), '---\ntags: [broken\n---\nAardvarks are odd.\n');
    writeFileSync(join(notes, 'image.md'), Buffer.from([0, 1, 2, 0]));
    const reported = await problems();
    expect(reported).toEqual([expect.stringMatching(/^a: b\.md: /), expect.stringMatching(/^image\.md: /)]);
    for (let round = 0; round < 2; round++) expect((await problems()).toSorted()).toEqual(reported);
    writeFileSync(join(notes, 'a: b.md'), 'Aardvarks are odd, and whole.\n');
    expect(await problems()).toEqual([reported[1]]);
    rmSync(join(notes, 'image.md'));
    expect(await problems()).toEqual([]);
  });
});

it('files in other formats are counted by the ending of their names', async () => {
  const notes = temporaryFolder();
  const home = new SourcesHome({ vaults: [{ name: 'notes', path: notes }] });
  for (const name of ['a.md', 'b.pdf', 'c.PDF', 'd.base', 'README', '.hidden.png'])
    writeFileSync(join(notes, name), 'Aardvarks are odd.\n');
  const { vaults } = await home.json<IndexOutput>('index');
  expect(vaults).toMatchObject([{ seen: 1, problems: [], unchanged: 0 }]);
  expect(vaults[0]?.other_files).toEqual([
    { ending: '.pdf', files: 2 },
    { ending: '', files: 1 },
    { ending: '.base', files: 1 },
  ]);
  expect((await home.run(['index'])).stdout).toContain(
    '  Not read, because of the format: 2 .pdf, 1 .base, 1 other file.\n',
  );
});
