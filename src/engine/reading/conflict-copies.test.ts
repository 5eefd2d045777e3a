import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { folderForEach, openInline, settings, writeNotes } from '../../../test/contract/engines.ts';
import type { SourceProblem } from '../../sources/source.ts';
import { checkVaults } from '../health/check-vaults.ts';
import { search } from '../records/search.ts';
import { showSource } from './sources.ts';
import { indexVaults } from './index-vaults.ts';

const COPIES = {
  'Rent.sync-conflict-20250301-101112-ABCD123.md':
    'The rent is 1,200 a month, rent paid to Mrs Okafor, rent in advance.',
  'Rent (conflicted copy 2025-03-01 101112).md': 'Rent: the rent is 1,190 a month, paid to Mrs Okafor.',
};

const folder = folderForEach();
let vault = '';

beforeEach(async () => {
  vault = join(folder.path, 'vault');
  await writeNotes(vault, {
    ...COPIES,
    'Rent.md': 'The rent is 1,450 a month since October, paid to Mrs Okafor.',
    'Rent 2.md': 'The rent of the second flat is paid to somebody else.',
    'other.md': 'Nothing about it.',
  });
});

/** The keys of the results, best first, and the conflict copies that `index` names. */
async function found(): Promise<{ keys: string[]; named: readonly SourceProblem[] }> {
  const loci = await openInline(settings(folder.path, { vaults: [{ path: vault }] }));
  try {
    const { sources } = await indexVaults(loci);
    const query = 'rent paid to Mrs Okafor in advance';
    const { results } = await search(loci, { query, min_score: 0 });
    return { keys: results.map(({ citation }) => citation.replace(/#.*/, '')), named: sources[0]!.problems };
  } finally {
    await loci.close();
  }
}

describe('copies that a sync program left', () => {
  it('are named and stand below their note, as long as it is there', async () => {
    const { keys, named } = await found();
    expect(keys[0]).toBe('Rent.md');
    expect(named.map(({ key, reason, skipped }) => [key, reason, skipped])).toEqual(
      Object.keys(COPIES)
        .toSorted()
        .map((key) => [key, 'conflict_copy', false]),
    );
    await rm(join(vault, 'Rent.md'));
    const alone = await found();
    expect(alone.keys[0]).toBe('Rent.sync-conflict-20250301-101112-ABCD123.md');
    expect(alone.named).toEqual([]);
    await writeFile(join(vault, 'Rent.md'), 'The rent is paid to Mrs Okafor again.');
    expect((await found()).keys[0]).toBe('Rent.md');
  });

  it('are named by doctor and with the vault', async () => {
    await found();
    const loci = await openInline(settings(folder.path, { vaults: [{ path: vault }] }));
    try {
      const [, notes] = await checkVaults(loci, {});
      expect(notes?.detail).toMatch(/2 read despite a fault\nRent \(conflicted copy .* beside Rent\.md/);
      expect((await showSource(loci, { id: 'vault' })).source.problems).toHaveLength(2);
    } finally {
      await loci.close();
    }
  });

  it('are a question of the text where the name alone says nothing', async () => {
    await writeFile(join(vault, 'Rent 2.md'), 'The rent is 1,450 a month since October, paid to Okafor.');
    const { named } = await found();
    expect(named.map(({ key }) => key)).toContain('Rent 2.md');
    await writeFile(join(vault, 'Rent.md'), 'Another beginning: what the landlord said in the end.');
    expect((await found()).named.map(({ key }) => key)).not.toContain('Rent 2.md');
  });
});
