import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { recordOperations } from '../../src/operations/nouns/records.ts';
import type { ListOutput } from '../../src/engine/records/list.ts';
import { writeNotes } from '../contract/engines.ts';
import { runAsAgent } from './agent-call.ts';
import { loci, lociJson, preparedHomes } from './loci-command.ts';

const preparedHome = preparedHomes(async (home, folder) => {
  const oven = '---\ntags: [home/kitchen]\n---\nThe oven.';
  await writeNotes(join(folder, 'one'), { 'Oven.md': oven });
  await writeNotes(join(folder, 'two'), {
    'Oven.md': oven,
    'Tiles.md': `# Tiles\n\n${'Many words. '.repeat(100)}`,
  });
  await loci(['index', join(folder, 'one'), join(folder, 'two')], { home });
  await loci(['write', 'The plumber is Tove,\nshe prefers texts', '--tag', 'home'], { home });
  await loci(['fact', 'store', 'port', '8080'], { home });
});

let home: string;

beforeEach(() => {
  home = preparedHome();
});

const page = (...args: readonly string[]): Promise<ListOutput> => lociJson(['list', ...args], { home });
const citations = async (...args: readonly string[]): Promise<string[]> =>
  (await page(...args)).records.map(({ citation }) => citation).toSorted();

describe('loci list', () => {
  it('lists the last stored records first, with citations that get reads', async () => {
    const { records, total, next } = await page();
    expect([total, next]).toEqual([5, null]);
    expect(records.map(({ id }) => id)).toEqual([5, 4, 3, 2, 1]);
    expect(records.slice(0, 2)).toMatchObject([
      { citation: 'record/5', title: 'port', origin: 'fact' },
      {
        citation: 'record/4',
        title: 'The plumber is Tove,',
        origin: 'memory',
        trust: 'operator',
        tags: ['home'],
      },
    ]);
    expect(await citations('--origin', 'vault')).toEqual(['Tiles.md', 'one:Oven.md', 'two:Oven.md']);
    for (const { id, citation } of records)
      expect(await lociJson(['get', citation], { home })).toMatchObject({ id });
  });

  it('filters by vault, source, origin and tag', async () => {
    expect(await citations('--vault', 'two')).toEqual(['Tiles.md', 'two:Oven.md']);
    expect(await citations('--vault', 'two', '--tag', 'home')).toEqual(['two:Oven.md']);
    expect(await citations('--source', 'one', '--source', 'cli')).toEqual([
      'one:Oven.md',
      'record/4',
      'record/5',
    ]);
    expect(await citations('--origin', 'fact,memory')).toEqual(['record/4', 'record/5']);
    expect(await citations('--vault', 'two', '--origin', 'fact')).toEqual([]);
    expect(await page('--tag', 'hom')).toMatchObject({
      records: [],
      unmatched: [{ filter: 'tag', value: 'hom', known: ['home', 'home/kitchen'] }],
    });
  });

  it('continues after the cursor of a page', async () => {
    const first = await page('--limit', '2');
    expect([first.records.map(({ id }) => id), first.total, first.next]).toEqual([[5, 4], 5, 4]);
    const second = await page('--limit', '3', '--after', '4');
    expect([second.records.map(({ id }) => id), second.next]).toEqual([[3, 2, 1], null]);
  });

  it('prints a line for each record, and how to go on', async () => {
    const { stdout } = await loci(['list', '-n', '2'], { home, columns: 80 });
    expect(stdout).toMatch(
      /^record\/5 {2}port {18}.*facts \(cli\).*\nrecord\/4 {2}The plumber is Tove, .*memory \(cli\)/,
    );
    expect(stdout).toContain('\n\n2 of 5 records; `--after 4` shows the next page\n');
    expect((await loci(['list', '--tag', 'x'], { home })).stdout).toMatch(
      /^No records\.\nNo record has the tag x; /,
    );
  });

  it('leaves out sources that are kept out of the context of agents, unless an agent names them', async () => {
    const settings = join(home, 'loci.yaml');
    writeFileSync(
      settings,
      readFileSync(settings, 'utf8').replace('- name: two', '- name: two\n    includeInContext: false'),
    );
    const listed = async (input: object): Promise<string[]> =>
      (await runAsAgent(recordOperations.list, input, home)).records.map(({ citation }) => citation);
    expect(await listed({ origins: ['vault'] })).toEqual(['one:Oven.md']);
    expect(await listed({ sources: ['two'] })).toEqual(['Tiles.md', 'two:Oven.md']);
    expect(await citations('--origin', 'vault')).toHaveLength(3);
  });
});
