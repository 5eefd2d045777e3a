import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { folderForEach, openInline, settings, writeNotes } from '../../../test/contract/engines.ts';
import type { VaultConfig } from '../../config/sources-schema.ts';
import type { SyncReport } from '../../ingest/sync.ts';
import { excludedFiles } from './sources.ts';
import { indexVaults } from './index-vaults.ts';
import { search } from '../records/search.ts';

const NOTES = [
  'Private/diary.md',
  'Private/old/letter.md',
  'Work/Private/client.md',
  'Templates/trip.md',
  'private plan.md',
  'trip.md',
  'trip.draft.md',
] as const;

const folder = folderForEach();
let vault = '';

beforeEach(async () => {
  vault = join(folder.path, 'outer/vault');
  await writeNotes(vault, Object.fromEntries(NOTES.map((note) => [note, `${note} is about zanzibar.`])));
});

async function obsidian(at: string, filters: unknown): Promise<void> {
  await mkdir(join(at, '.obsidian'), { recursive: true });
  await writeFile(join(at, '.obsidian/app.json'), JSON.stringify({ userIgnoreFilters: filters }));
}

interface Indexed {
  readonly notes: readonly string[];
  readonly report: SyncReport;
}

/** Indexes the vault, and returns the notes that a search finds then. */
async function index(config: Partial<VaultConfig> = {}): Promise<Indexed> {
  const loci = await openInline(settings(folder.path, { vaults: [{ path: vault, ...config }] }));
  try {
    const { sources } = await indexVaults(loci);
    const { results } = await search(loci, { query: 'zanzibar', limit: 50, min_score: 0 });
    return {
      notes: results.map(({ citation }) => citation.replace(/^.*?:|#.*/g, '')).sort(),
      report: sources[0]!,
    };
  } finally {
    await loci.close();
  }
}

const without = (...left: readonly string[]): string[] =>
  NOTES.filter((note) => !left.some((each) => note.startsWith(each))).sort();

describe('notes that a rule excludes', () => {
  it.each<[rule: string, paths: string[], rest: string[]]>([
    ['Private', ['Private/', 'Work/Private/'], without('Private/', 'Work/')],
    ['/Private', ['Private/'], without('Private/')],
    ['Private/', ['Private/', 'Work/Private/'], without('Private/', 'Work/')],
    ['trip.md/', [], without()],
    ['Work/Private', ['Work/Private/'], without('Work/')],
    ['*.draft.md', ['trip.draft.md'], without('trip.draft')],
    ['./Private', ['Private/'], without('Private/')],
    ['Private/*', ['Private/diary.md', 'Private/old/'], without('Private/')],
    ['**/old', ['Private/old/'], without('Private/old')],
  ])('are those of the glob %s in the settings', async (rule, paths, rest) => {
    const { notes, report } = await index({ exclude: [rule] });
    expect(notes).toEqual(rest);
    expect(report.excluded).toEqual(paths.length === 0 ? [] : [{ rule, from: 'loci.yaml', paths }]);
    expect(report.problems.map(({ reason }) => reason)).toEqual(
      paths.length === 0 ? ['unmatched_exclude'] : [],
    );
  });

  it('are reported if there are none, after a complete listing', async () => {
    const exclude = ['Journal', 'Private', 'Private/old'];
    const details = async (): Promise<string[]> =>
      (await index({ exclude })).report.problems.map(({ detail }) => detail);
    const unmatched = ['Journal', 'Private/old'].map(
      (glob) => `exclude: "${glob}" matches nothing that is not left out anyway`,
    );
    expect(await details()).toEqual(unmatched);
    expect(await details()).toEqual(unmatched);
    await writeFile(join(vault, '.Journal.icloud'), '');
    await writeFile(join(vault, '.far.md.icloud'), '');
    expect(await details()).toEqual(['.far.md.icloud stands in its place']);
    expect(() => settings(folder.path, { vaults: [{ path: vault, exclude: ['!Work'] }] })).toThrow(
      /cannot begin with `!`/,
    );
  });

  it.each<[rule: string, paths: string[], rest: string[]]>([
    ['Private/', ['Private/'], without('Private/')],
    ['Private', ['Private/', 'private plan.md'], without('Private/', 'private')],
    [String.raw`/^templates\/.*/`, ['Templates/trip.md'], without('Templates/')],
    ['/^(?!Work)/', NOTES.filter((note) => !note.startsWith('Work')).toSorted(), ['Work/Private/client.md']],
  ])('are those of %s in the settings of Obsidian', async (rule, paths, rest) => {
    await obsidian(vault, [rule]);
    const { notes, report } = await index();
    expect(notes).toEqual(rest);
    const [excluded, ...others] = report.excluded;
    expect(others).toEqual([]);
    expect({ ...excluded, paths: excluded?.paths.toSorted() }).toEqual({
      rule,
      from: join(vault, '.obsidian/app.json'),
      paths,
    });
  });

  it('are those of Obsidian vaults around the folder and in it', async () => {
    await obsidian(join(folder.path, 'outer'), ['vault/Private/', 'vault/', 'Templates/']);
    await obsidian(join(vault, 'Work'), ['Private/']);
    expect((await index()).notes).toEqual(without('Private/', 'Work/'));
  });

  it('are also those to which a link leads', async () => {
    await symlink(join(vault, 'Private/old'), join(vault, 'link'));
    await symlink(join(vault, 'Private/diary.md'), join(vault, 'other.md'));
    await symlink(join(vault, 'Work'), join(vault, 'job'));
    expect((await index({ exclude: ['/Private', 'Work/Private'] })).notes).toEqual(
      without('Private/', 'Work/'),
    );
  });

  it('leave the store when a rule is added, also all of them, and return without it', async () => {
    expect((await index()).notes).toEqual(without());
    await obsidian(vault, ['Private/']);
    expect((await index({ exclude: ['*.md', 'Work'] })).notes).toEqual([]);
    await rm(join(vault, '.obsidian'), { recursive: true });
    expect((await index()).notes).toEqual(without());
  });

  it('are not read when the settings of Obsidian cannot be read, or a rule takes too long', async () => {
    await obsidian(vault, []);
    await writeFile(join(vault, '.obsidian/app.json'), '{"userIgnoreFilters": ["Priv');
    await expect(index()).rejects.toThrow(
      /not read, because it is not known what Obsidian excludes: .*app\.json/,
    );
    await writeNotes(vault, { [`${'a'.repeat(60)}.md`]: 'zanzibar' });
    await obsidian(vault, ['/^(a+)+$/']);
    await expect(index()).rejects.toThrow(/takes too long to compare with its paths: \/\^\(a\+\)\+\$\//);
    await obsidian(vault, []);
    await expect(index({ exclude: [`${'*a'.repeat(30)}*c`] })).rejects.toThrow(/takes too long/);
  });

  it('are not those of an invalid expression, which is reported', async () => {
    await obsidian(vault, ['/(/', 7, 'Private/']);
    const { notes, report } = await index();
    expect(notes).toEqual(without('Private/'));
    expect(report.problems.map(({ detail }) => detail)).toEqual([
      '/(/ in userIgnoreFilters is not a valid expression, and is ignored',
    ]);
  });
});

describe('the files that a vault leaves out', () => {
  it('are listed with their rules, a page at a time, and a link that leads out with its problem', async () => {
    await obsidian(vault, ['Templates/']);
    await symlink('/etc', join(vault, 'etc'));
    await writeNotes(vault, { 'a.pdf': '', 'b.pdf': '', 'c.docx': '' });
    const exclude = ['Private'];
    const loci = await openInline(settings(folder.path, { vaults: [{ path: vault, exclude }] }));
    const list = (after: number) => excludedFiles(loci, { id: 'vault', limit: 3, after });
    const [first, second] = [await list(0), await list(3)];
    expect([first.total, first.next, second.next]).toEqual([4, 3, null]);
    expect([...first.excluded, ...second.excluded].map(({ path, rule }) => [path, rule])).toEqual([
      ['Private/', 'Private'],
      ['Work/Private/', 'Private'],
      ['Templates/', 'Templates/'],
      ['etc', 'the link leads out of the vault'],
    ]);
    expect(first.other_files).toEqual([
      { ending: '.pdf', files: 2 },
      { ending: '.docx', files: 1 },
    ]);
    await expect(excludedFiles(loci, { id: 'no vault' })).rejects.toThrow('no source is called');
    await loci.close();
  });
});
