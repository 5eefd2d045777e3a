import { mkdir, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { settings, temporaryFolder, writeNotes } from '../../../test/contract/engines.ts';
import type { VaultConfig } from '../../config/sources-schema.ts';
import { openLoci } from '../open.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let [former, other] = ['', ''];

beforeEach(async () => {
  folder = await temporaryFolder();
  [former, other] = [join(folder.path, 'former/notes'), join(folder.path, 'other/notes')];
  await writeNotes(former, { 'a.md': 'An aardvark.' });
  await writeNotes(other, { 'b.md': 'A badger.' });
  await indexWith([{ path: former }]);
});

afterEach(async () => folder[Symbol.asyncDispose]());

/** Indexes with these vaults in the configuration; answers the records of each source. */
async function indexWith(
  configured: readonly VaultConfig[],
  vaults?: readonly VaultConfig[],
): Promise<readonly unknown[]> {
  const loci = await openLoci(settings(folder.path, { vaults: configured }));
  try {
    await loci.index(vaults === undefined ? {} : { vaults });
    return (await loci.facet('source')).map(({ value, records }) => [value, records]);
  } finally {
    await loci.close();
  }
}

async function citations(): Promise<string[]> {
  const loci = await openLoci(settings(folder.path));
  try {
    const { results } = await loci.search({ query: 'aardvark badger', minScore: 0 });
    return results.map(({ citation }) => citation.replace(/#.*/, '')).sort();
  } finally {
    await loci.close();
  }
}

describe('a folder with the name of an indexed vault', () => {
  it('is refused before anything is read, with both paths and a hint', async () => {
    const refused = {
      code: 'invalid_config',
      message: expect.stringContaining(`came from ${former}; ${other} is another folder`) as string,
      hint: expect.stringMatching(/`name: notes` .*loci forget-vault "notes"$/) as string,
    };
    await expect(indexWith([{ path: other }])).rejects.toMatchObject(refused);
    await expect(indexWith([], [{ path: other }])).rejects.toMatchObject(refused);
    // Named, but not by the configuration.
    await expect(indexWith([], [{ name: 'notes', path: other }])).rejects.toMatchObject(refused);
    expect(await citations()).toEqual(['a.md']);
  });

  it('is refused even if an earlier version recorded no path of the vault', async () => {
    const db = new DatabaseSync(join(folder.path, 'loci.db'));
    db.exec('UPDATE source_state SET root = NULL');
    db.close();
    const refused = {
      code: 'invalid_config',
      message: expect.stringContaining(`came from ${former}`) as string,
    };
    await expect(indexWith([{ path: former }], [{ path: other }])).rejects.toMatchObject(refused);
    expect(await indexWith([{ path: former }])).toEqual([['notes', 1]]);
  });

  it('is the moved vault if the settings give it that name', async () => {
    expect(await indexWith([{ name: 'notes', path: other }])).toEqual([['notes', 1]]);
    expect(await citations()).toEqual(['b.md']);
    await expect(indexWith([{ path: former }])).rejects.toMatchObject({ code: 'invalid_config' });
  });

  it('is accepted under another name, and after the vault is forgotten', async () => {
    expect(await indexWith([{ path: former }, { name: 'others', path: other }])).toHaveLength(2);
    const loci = await openLoci(settings(folder.path));
    await loci.forgetVault('notes');
    await loci.close();
    await indexWith([{ path: other }]);
    expect(await citations()).toEqual(['notes:b.md', 'others:b.md']);
  });

  it('is accepted if it is a link to the same folder', async () => {
    await mkdir(join(folder.path, 'linked'));
    await symlink(former, join(folder.path, 'linked/notes'));
    expect(await indexWith([{ path: join(folder.path, 'linked/notes') }])).toEqual([['notes', 1]]);
    await rename(former, `${former} of old`);
    await expect(indexWith([{ path: other }])).rejects.toMatchObject({ code: 'invalid_config' });
  });
});
