import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { GetOutput } from '../../src/engine/records/get.ts';
import type { SearchOutput } from '../../src/engine/records/results/search-fields.ts';
import { loci, lociJson, temporaryFolder } from './loci-command.ts';

describe('a filter of a search', () => {
  const home = join(temporaryFolder(), 'home');
  const vault = join(temporaryFolder(), 'Home, sweet home');

  beforeAll(async () => {
    mkdirSync(vault);
    writeFileSync(
      join(vault, 'a.md'),
      '---\ntags: [recipe, project/active]\ncategory: Food\ntype: habit\n---\nWombats eat grass.',
    );
    writeFileSync(join(vault, 'b.md'), '---\ntags: [recipe, projects]\n---\nWombats dig.');
    await loci(['index', vault], { home });
    await loci(['write', 'Wombats sleep', '--category', 'animals'], { home });
  });

  const citations = async (...filter: string[]) =>
    (await lociJson<SearchOutput>(['search', 'wombats', ...filter], { home })).results
      .map(({ citation }) => citation.replace(/#.*/, ''))
      .toSorted();

  it('by tag includes nested tags, and accepts several tags separated by commas', async () => {
    expect(await citations('--tag', '#Project/')).toEqual(['a.md']);
    expect(await citations('--tag', 'project/active,recipe')).toEqual(['a.md']);
    expect(await citations('--tag', 'recipe', '--tag', 'projects')).toEqual(['b.md']);
  });

  it('by source accepts a name with commas', async () => {
    expect(await citations('--source', 'Home, sweet home')).toEqual(['a.md', 'b.md']);
    expect(await citations('--source', 'Home, sweet home', '--source', 'cli')).toHaveLength(3);
  });

  it('by category and type uses the front matter of a note', async () => {
    expect(await citations('--category', 'Food')).toEqual(['a.md']);
    expect(await citations('--record-type', 'habit')).toEqual(['a.md']);
    expect(await citations('--type', 'habit')).toEqual(['a.md']);
    expect(await citations('--category', 'note')).toEqual(['b.md']);
    const note = await lociJson<GetOutput>(['get', 'a.md'], { home });
    expect(note).toMatchObject({ category: 'Food', record_type: 'habit' });
  });

  it.each([
    [
      ['--tag', 'recipes'],
      'No record has the tag recipes; existing values: recipe, project/active, projects.',
    ],
    [['--tag', 'zzzzzzz'], 'No record has the tag zzzzzzz; existing values: recipe, '],
    [['--source', 'home'], 'No record has the source home; existing values: Home, sweet home, cli.'],
    [['--project', 'garden'], 'No record has the project garden; existing values: default.'],
    [['--category', 'animal'], 'No record has the category animal; existing values: animals, Food, note.'],
    [['--record-type', 'nota'], 'No record has the record type nota; existing values: note, fact, habit.'],
    [['--origin', 'audit'], 'No record has the origin audit; existing values: vault, memory.'],
  ])('lists the existing values if no record matches: %j', async (filter, advice) => {
    const { code, stdout } = await loci(['search', 'wombats', ...filter], { home });
    expect(code).toBe(0);
    expect(stdout).toContain(`No results for "wombats".\n${advice}`);
  });

  it('is not named as the cause of an empty result if some records match it', async () => {
    const { stdout } = await loci(['search', 'platypus', '--tag', 'recipe'], { home });
    expect(stdout).toContain('Try other words or fewer filters');
    const none = await lociJson<SearchOutput>(['search', 'wombats', '--tag', 'recipe,nothing'], { home });
    expect(none.unmatched).toEqual([
      { filter: 'tag', value: 'nothing', known: ['recipe', 'project/active', 'projects'] },
    ]);
    expect((await lociJson<SearchOutput>(['search', 'wombats'], { home })).unmatched).toEqual([]);
  });
});

describe('a path and operators', () => {
  const home = join(temporaryFolder(), 'home');
  const vault = join(temporaryFolder(), 'zoo');

  beforeAll(async () => {
    mkdirSync(join(vault, 'Plugins', 'Old'), { recursive: true });
    writeFileSync(join(vault, 'a.md'), '---\ntags: [keeper]\ndate: 2025-01-01\n---\nWombats eat grass.');
    writeFileSync(join(vault, 'Plugins', 'b.md'), '---\ndate: 2025-03-01\n---\nWombats dig.');
    writeFileSync(join(vault, 'Plugins', 'Old', 'c.md'), '---\ndate: 2025-02-01\n---\nWombats sleep.');
    await loci(['index', vault], { home });
  });

  const search = (...args: string[]) => lociJson<SearchOutput>(['search', ...args], { home });
  const found = async (...args: string[]) =>
    (await search(...args)).results.map(({ citation }) => citation.replace(/#.*/, ''));

  it('limit a search and a list', async () => {
    expect((await found('wombats', '--path', 'plugins')).toSorted()).toEqual([
      'Plugins/Old/c.md',
      'Plugins/b.md',
    ]);
    expect(await found('wombats', '--path', 'Plugins/*')).toEqual(['Plugins/b.md']);
    expect(await found('wombats path:old')).toEqual(['Plugins/Old/c.md']);
    expect(await found('wombats -path:plugins')).toEqual(['a.md']);
    expect(await found('wombats -dig -tag:keeper')).toEqual(['Plugins/Old/c.md']);
    const { stdout } = await loci(['list', '--path', '*.md', '--tag', 'keeper'], { home });
    expect(stdout).toContain('a.md');
    expect(stdout).toContain('1 record');
  });

  it('list all that passes, newest first, in a query without words', async () => {
    expect(await found('path:Plugins')).toEqual(['Plugins/b.md', 'Plugins/Old/c.md']);
    expect(await found(' -"wombats dig"')).toEqual(['Plugins/Old/c.md', 'a.md']);
  });

  it('are named if no record has them, or if they are not supported', async () => {
    const texts = async (...args: string[]) => (await loci(['search', ...args], { home })).stdout;
    expect(await texts('wombats', '--path', 'Zoo/**')).toContain('No record has a path like Zoo/**.\n');
    expect(await texts('wombats path:aviary tag:keper')).toContain(
      'No record has the tag keper; existing values: keeper.\nNo record has a path like aviary.\n',
    );
    const { notices, results } = await search('section:(wombats dig)');
    expect(results).not.toEqual([]);
    expect(notices).toEqual([expect.stringContaining('`section:(wombats dig)` as plain words')]);
  });
});

describe('a search without results', () => {
  const home = join(temporaryFolder(), 'home');
  const vault = join(temporaryFolder(), 'wild');
  const searchOutput = async (...args: string[]) => (await loci(['search', ...args], { home })).stdout;

  it('reports an empty namespace, and vaults that are not indexed yet', async () => {
    mkdirSync(vault);
    await loci(['config', 'init'], { home });
    expect(await searchOutput('wombats')).toBe(
      'No results for "wombats".\nThe namespace default is empty: `loci index PATH` reads notes.\n',
    );
    writeFileSync(join(vault, 'a.md'), '---\ntags: [grass]\ndate: 2025-01-01\n---\nWombats eat grass.');
    await loci(['config', 'set', 'vaults', JSON.stringify([{ path: vault }])], { home });
    expect(await searchOutput('wombats')).toBe(
      'No results for "wombats".\nNot indexed yet: wild. Run `loci index`.\n',
    );
    await loci(['index'], { home });
    await loci(['write', 'Wombats sleep', '--tag', 'sleep'], { home });
    const { nothing } = await lociJson<SearchOutput>(['search', 'wombats'], { home });
    expect(nothing).toBeNull();
  });

  it('names the filters that no record matches', async () => {
    expect(await searchOutput('wombats', '--tag', 'grass,sleep', '--source', 'wild')).toContain(
      'No record matches all of these filters at once: sources, tags.\n',
    );
    expect(await searchOutput('wombats', '--until', '2020')).toBe(
      'No results for "wombats".\nNo record matches the filter: until.\n',
    );
  });

  it('reports that all results score too low, or that no record has the quoted phrase', async () => {
    const { nothing } = await lociJson<SearchOutput>(['search', 'wombats', '--min-score', '1'], { home });
    expect(nothing).toMatchObject({ unmet_filters: [], hidden: { results: 2, min_score: 1 } });
    expect(await searchOutput('wombats', '--min-score', '1')).toMatch(
      /^No results for "wombats"\.\n2 results score below 1, at best 0\.\d\d: a minimum score of 0 shows what was left out\.\n$/,
    );
    expect(await searchOutput('"wombats grass"')).toBe(
      'No results for "wombats grass".\nQuoted words must occur exactly so; try them without the quotes.\n',
    );
  });
});
