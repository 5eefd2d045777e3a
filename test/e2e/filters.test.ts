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
    ['tag', 'recipes', ['recipe', 'project/active', 'projects']],
    ['source', 'home', ['Home, sweet home', 'cli']],
    ['project', 'garden', ['default']],
    ['category', 'animal', ['animals', 'Food', 'note']],
    ['record_type', 'nota', ['note', 'fact', 'habit']],
    ['origin', 'audit', ['vault', 'memory']],
  ])('lists the existing values if no record matches: %s', async (filter, value, known) => {
    const option = `--${filter.replace('_', '-')}`;
    const { results, unmatched } = await lociJson<SearchOutput>(['search', 'wombats', option, value], {
      home,
    });
    expect([results, unmatched]).toEqual([[], [{ filter, value, known }]]);
  });

  it('is not named as the cause of an empty result if some records match it', async () => {
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
    expect(stdout).toMatch(/^total +1$/m);
    // A command below another one has options of the same names.
    const table = await lociJson<{ records: unknown[] }>(['list', 'table', '--path', 'Plugins', '-n', '1'], {
      home,
    });
    expect(table.records).toHaveLength(1);
  });

  it('list all that passes, newest first, in a query without words', async () => {
    expect(await found('path:Plugins')).toEqual(['Plugins/b.md', 'Plugins/Old/c.md']);
    expect(await found(' -"wombats dig"')).toEqual(['Plugins/Old/c.md', 'a.md']);
  });

  it('are named if no record has them, or if they are not supported', async () => {
    expect((await search('wombats path:aviary tag:keper')).unmatched).toEqual([
      { filter: 'tag', value: 'keper', known: ['keeper'] },
      { filter: 'path', value: 'aviary', known: [] },
    ]);
    const { notices, results } = await search('section:(wombats dig)');
    expect(results).not.toEqual([]);
    expect(notices).toEqual([expect.stringContaining('`section:(wombats dig)` as plain words')]);
  });
});

it('a search without results says why: nothing is read yet, no record matches all filters, or all score too low', async () => {
  const home = join(temporaryFolder(), 'home');
  const vault = join(temporaryFolder(), 'wild');
  const nothing = async (...args: string[]) =>
    (await lociJson<SearchOutput>(['search', 'wombats', ...args], { home })).nothing;
  mkdirSync(vault);
  writeFileSync(join(vault, 'a.md'), '---\ntags: [grass]\ndate: 2025-01-01\n---\nWombats eat grass.');
  await loci(['config', 'set', 'vaults', JSON.stringify([{ path: vault }])], { home });
  await loci(['write', 'Wombats sleep', '--tag', 'sleep', '--home', home], { home });
  await loci(['delete', '1'], { home });
  expect(await nothing()).toMatchObject({ empty: true, unread_vaults: ['wild'] });
  await loci(['index'], { home });
  await loci(['undelete', '1'], { home });
  expect(await nothing()).toBeNull();
  const filters = ['--tag', 'grass,sleep', '--source', 'wild'];
  expect(await nothing(...filters)).toMatchObject({ unmet_filters: ['sources', 'tags'] });
  expect(await nothing('--until', '2020')).toMatchObject({ unmet_filters: ['until'] });
  expect(await nothing('--min-score', '1')).toMatchObject({
    unmet_filters: [],
    hidden: { results: 2, min_score: 1 },
  });
});
