import { mkdir, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { folderForEach, openInline, settings, writeNotes } from '../../../../test/contract/engines.ts';
import type { VaultConfig } from '../../../config/sources-schema.ts';
import { indexVaults } from '../index-vaults.ts';
import { facet } from '../../records/results/why-nothing.ts';
import { search } from '../../records/search.ts';
import { forgetSource } from '../forget-source.ts';

const folder = folderForEach();
let [originalPath, otherPath] = ['', ''];

beforeEach(async () => {
  [originalPath, otherPath] = [join(folder.path, 'former/notes'), join(folder.path, 'other/notes')];
  await writeNotes(originalPath, { 'a.md': 'An aardvark.' });
  await writeNotes(otherPath, { 'b.md': 'A badger.' });
  await indexWith([{ path: originalPath }]);
});

/** Indexes with these vaults in the configuration. Returns the number of records of each source. */
async function indexWith(
  configured: readonly VaultConfig[],
  vaults?: readonly VaultConfig[],
): Promise<readonly unknown[]> {
  const loci = await openInline(settings(folder.path, { vaults: configured }));
  try {
    await indexVaults(loci, vaults === undefined ? {} : { vaults });
    return (await facet(loci, 'source')).map(({ value, records }) => [value, records]);
  } finally {
    await loci.close();
  }
}

async function citations(): Promise<string[]> {
  const loci = await openInline(settings(folder.path));
  try {
    const { results } = await search(loci, { query: 'aardvark badger', min_score: 0 });
    return results.map(({ citation }) => citation.replace(/#.*/, '')).sort();
  } finally {
    await loci.close();
  }
}

describe('a folder with the name of an indexed vault', () => {
  it('is refused before anything is read, with both paths and a hint', async () => {
    const expected = {
      code: 'invalid_config',
      message: expect.stringContaining(`came from ${originalPath}; ${otherPath} is another folder`) as string,
      hint: expect.stringMatching(/`name: notes` .*loci sources remove "notes"$/) as string,
    };
    await expect(indexWith([{ path: otherPath }])).rejects.toMatchObject(expected);
    await expect(indexWith([], [{ path: otherPath }])).rejects.toMatchObject(expected);
    // The name comes from the caller, not from the configuration.
    await expect(indexWith([], [{ name: 'notes', path: otherPath }])).rejects.toMatchObject(expected);
    expect(await citations()).toEqual(['a.md']);
  });

  it('is treated as the moved vault if the settings give it that name', async () => {
    expect(await indexWith([{ name: 'notes', path: otherPath }])).toEqual([['notes', 1]]);
    expect(await citations()).toEqual(['b.md']);
    await expect(indexWith([{ path: originalPath }])).rejects.toMatchObject({ code: 'invalid_config' });
  });

  it('is accepted under another name, and after the vault is forgotten', async () => {
    expect(await indexWith([{ path: originalPath }, { name: 'others', path: otherPath }])).toHaveLength(2);
    const loci = await openInline(settings(folder.path));
    await forgetSource(loci, 'notes');
    await loci.close();
    await indexWith([{ path: otherPath }]);
    expect(await citations()).toEqual(['notes:b.md', 'others:b.md']);
  });

  it('is accepted if it is a link to the same folder', async () => {
    await mkdir(join(folder.path, 'linked'));
    await symlink(originalPath, join(folder.path, 'linked/notes'));
    expect(await indexWith([{ path: join(folder.path, 'linked/notes') }])).toEqual([['notes', 1]]);
    await rename(originalPath, `${originalPath} of old`);
    await expect(indexWith([{ path: otherPath }])).rejects.toMatchObject({ code: 'invalid_config' });
  });
});
