import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { folderForEach, openInline, settings, writeNotes } from '../../../test/contract/engines.ts';
import type { LociRecord } from '../../core/types.ts';
import type { SyncReport } from '../../ingest/sync.ts';
import type { EngineContext } from '../context.ts';
import { get } from '../records/get.ts';
import { search } from '../records/search.ts';
import { indexVaults } from './index-vaults.ts';

const ID = '6512aa00-1111-4222-8333-444455556666';
const NOTES = {
  'pages/Garden___Pond.md': `alias:: Koi pond, The Pond\ntags:: garden, water\n\n- The pond holds 900 litres\n  id:: ${ID}\n`,
  'pages/What is it%3F.md': '- question page\n',
  'pages/Garden%2FShed.md': 'title:: Garden/Hut\n\n- tools\n',
  'journals/2024_05_02.md':
    '- Met Ada\n\t- TODO [#B] Feed the koi\n\t  SCHEDULED: <2024-05-03 Fri>\n\t  DEADLINE: <2024-05-04 Sat>\n',
  'pages/refs.md': `- [[Garden/Pond]] and [[what is it?]]\n- [[May 2nd, 2024]], [[2024-05-02]], [[Koi pond]], [a hut]([[Garden/Hut]])\n- ((${ID})) {{embed [[Garden/Shed]]}} [file](../pages/Garden___Pond.md) [[Nowhere]] \`[[Code]]\`\n`,
  'logseq/bak/pages/refs/old.md': 'stale zanzibar',
  'logseq/version-files/old.md': 'stale zanzibar',
  'private/diary.md': 'hidden zanzibar',
};
const CONFIG = '{:meta/version 1 :hidden ["/private"]}';

const folder = folderForEach();
let graph = '';

beforeEach(async () => {
  graph = join(folder.path, 'graph');
  await writeNotes(graph, { ...NOTES, 'logseq/config.edn': CONFIG });
});

async function indexed<T>(read: (loci: EngineContext, report: SyncReport) => Promise<T>): Promise<T> {
  const loci = await openInline(settings(folder.path, { vaults: [{ path: graph }] }));
  try {
    const { sources } = await indexVaults(loci);
    return await read(loci, sources[0]!);
  } finally {
    await loci.close();
  }
}

const linksOf = async (loci: EngineContext): Promise<Record<string, string | null>> =>
  Object.fromEntries(
    (await get(loci, { citation: 'pages/refs.md' })).links.map(({ target, path }) => [target, path]),
  );

const RESOLVED = {
  'Garden/Pond': 'pages/Garden___Pond.md',
  'what is it?': 'pages/What is it%3F.md',
  'May 2nd, 2024': 'journals/2024_05_02.md',
  '2024-05-02': 'journals/2024_05_02.md',
  'Koi pond': 'pages/Garden___Pond.md',
  'Garden/Hut': 'pages/Garden%2FShed.md',
  [`((${ID}))`]: 'pages/Garden___Pond.md',
  'Garden/Shed': 'pages/Garden%2FShed.md',
  '../pages/Garden___Pond.md': 'pages/Garden___Pond.md',
  Nowhere: null,
};

describe('a graph of Logseq', () => {
  it('has links to pages by name, title, alias, day and block', async () => {
    expect(await indexed((loci) => linksOf(loci))).toEqual(RESOLVED);
    // What reindex derives, and what doctor compares, is the same.
    await indexed(async (loci) => {
      expect(await loci.store.admin.verify(loci.namespace)).toEqual([]);
    });
  });

  it('has links that follow their pages', async () => {
    await indexed((loci) => linksOf(loci));
    await rm(join(graph, 'pages/Garden%2FShed.md'));
    await writeFile(join(graph, 'pages/Garden___Pond.md'), 'alias:: Carp pond\n\n- text\n');
    await writeFile(join(graph, 'pages/new.md'), 'alias:: Nowhere, Garden/Shed\n');
    expect(await indexed((loci) => linksOf(loci))).toEqual({
      ...RESOLVED,
      'Koi pond': null,
      [`((${ID}))`]: null,
      'Garden/Hut': null,
      'Garden/Shed': 'pages/new.md',
      Nowhere: 'pages/new.md',
    });
  });

  it('has titles, tags and days, and neither hidden lines nor copies', async () => {
    await indexed(async (loci, { excluded }) => {
      const pond = await get(loci, { citation: 'Koi pond' });
      expect(pond).toMatchObject({ title: 'Garden/Pond', tags: ['garden', 'water'] });
      expect(pond.text).not.toContain(ID);
      expect(await get(loci, { citation: 'May 2nd, 2024' })).toMatchObject({
        path: 'journals/2024_05_02.md',
        tags: [],
        metadata: { date: '2024-05-02' },
      });
      expect((await search(loci, { query: 'zanzibar', min_score: 0 })).results).toEqual([]);
      expect(excluded.map(({ rule, paths }) => [rule, ...paths]).toSorted()).toEqual([
        ['logseq/bak/', 'logseq/bak/'],
        ['logseq/version-files/', 'logseq/version-files/'],
        ['private', 'private/'],
      ]);
    });
  });

  it('has tasks with their deadlines', async () => {
    await indexed(async (loci) => {
      const records: LociRecord[] = await loci.store.records.list(
        loci.namespace,
        { filter: { now: loci.now() }, order: 'oldest' },
        { after: null, limit: 20 },
      );
      const journal = records.find(({ key }) => key === 'journals/2024_05_02.md')!;
      const { nodes } = (await loci.store.graph.contributions(loci.namespace, 'text', [journal.id])).get(
        journal.id,
      )!;
      expect(nodes.filter(({ type }) => type === 'task')).toMatchObject([
        { title: 'Feed the koi', task: { done: false, due: '2024-05-04' } },
      ]);
    });
  });

  it('keeps a top bullet and its children in one passage as far as they fit', async () => {
    const bullet = (i: number): string =>
      `- topic ${String(i)}\n${'\t- a child with some words of its own\n'.repeat(15)}`;
    await writeFile(join(graph, 'pages/long.md'), [1, 2, 3, 4].map(bullet).join(''));
    const below = [1, 2, 3].map(bullet).join('').replaceAll(/^/gm, '\t').trimEnd();
    await writeFile(join(graph, 'pages/below.md'), `# [[Garden/Pond]]\n${below} [[refs]]`);
    const topics = async (loci: EngineContext, citation: string): Promise<unknown> => {
      const { id } = await get(loci, { citation });
      const passages = (await loci.store.records.passagesOf(loci.namespace, [id!])).get(id!)!;
      return passages.map(({ text }) => text.match(/topic \d/g));
    };
    await indexed(async (loci) => {
      expect(await topics(loci, 'pages/long.md')).toEqual([
        ['topic 1'],
        ['topic 2'],
        ['topic 3'],
        ['topic 4'],
      ]);
      // Logseq indents what is below a line without a bullet.
      expect(await topics(loci, 'pages/below.md')).toEqual([['topic 1'], ['topic 2'], ['topic 3']]);
      const { links } = await get(loci, { citation: 'pages/below.md' });
      expect(links.map(({ path }) => path)).toEqual(['pages/Garden___Pond.md', 'pages/refs.md']);
    });
  });

  it('is every other folder as before', async () => {
    await rm(join(graph, 'logseq'), { recursive: true });
    await indexed(async (loci, { excluded }) => {
      const pond = await get(loci, { citation: 'pages/Garden___Pond.md' });
      expect(pond).toMatchObject({ title: 'Garden___Pond', tags: [], metadata: { aliases: [] } });
      expect(pond.metadata).not.toHaveProperty('pageNames');
      expect(pond.text).toContain(ID);
      expect(Object.values(await linksOf(loci)).filter((each) => each !== null)).toEqual([
        'pages/Garden___Pond.md',
      ]);
      expect(excluded).toEqual([]);
    });
  });
});
