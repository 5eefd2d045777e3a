import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { folderForAll, openInline, settings, writeNotes } from '../../../test/contract/engines.ts';
import type { EngineContext } from '../context.ts';
import { indexVaults } from '../reading/index-vaults.ts';
import { deleteRecord } from '../records/delete.ts';
import { write } from '../records/write.ts';
import { recordLinks, recordLinksInput } from './backlinks.ts';
import { recordFacets, recordHistogram, recordHistogramInput } from './record-facets.ts';
import { recordImage } from './record-image.ts';
import { showRecord } from './record-page.ts';
import { recordTable, recordTableInput } from './record-table.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000000d', 'hex');
const NOTES = {
  'Home/Oven.md':
    '---\ntags: [kitchen]\nstatus: decided\naliases: [Stove]\n---\n# Oven\n\nThe oven is induction.\n\n![[plan.png|200]] ![](images/a%20b.png)\n',
  'Log.md': `# Log\n\n${'We talked for long. '.repeat(20)}Then we chose [[Oven]] and no other, ${'as said before. '.repeat(20)}\n`,
  'Embeds.md': 'Look at ![[Home/Oven]] again.\n\nAnd [[Nowhere]].\n',
  'Days/2026-03-01.md': 'A day.\n',
  'Days/2026-03-02.md': 'Another day.\n',
};

const folder = folderForAll();
let vault = '';
let owner: EngineContext;
let agent: EngineContext;

beforeAll(async () => {
  vault = join(folder.path, 'vault');
  await writeNotes(vault, NOTES);
  await mkdir(join(vault, '.obsidian'));
  await writeFile(join(vault, '.obsidian/app.json'), '{"userIgnoreFilters":["Private/"]}');
  for (const path of ['Home/images/a b.png', 'Private/secret.png', 'fake.png', 'big.png', 'plans/plan.png']) {
    await mkdir(join(vault, path, '..'), { recursive: true });
    await writeFile(join(vault, path), PNG);
  }
  await writeFile(join(vault, 'fake.png'), '<svg onload="alert(1)"/>');
  await writeFile(join(vault, 'page.svg'), '<html><script>alert(1)</script></html>');
  await writeFile(join(vault, 'drawn.svg'), '<?xml version="1.0"?>\n<!-- Plan --><svg/>');
  await writeFile(join(vault, 'big.png'), Buffer.concat([PNG, Buffer.alloc(10_000_000)]));
  await writeFile(join(folder.path, 'outside.png'), PNG);
  await symlink(join(folder.path, 'outside.png'), join(vault, 'linked.png'));
  owner = await openInline(settings(folder.path, { vaults: [{ name: 'notes', path: vault }] }));
  agent = owner.as({ ...owner.caller, actor: 'bot', surface: 'rest', trust: 'agent' });
  await indexVaults(owner);
  await write(owner, { content: 'The plumber is Tove.\nShe prefers texts.', tags: ['people'] });
  const { id } = await write(owner, { content: 'To be deleted', title: 'Gone' });
  await deleteRecord(owner, { id });
});

afterAll(() => owner.close());

describe('a record on a page', () => {
  it('has text and front matter apart, the meaning of links, and its passages on demand', async () => {
    const note = await showRecord(owner, { citation: 'Home/Oven.md', passages: true });
    expect(note).toMatchObject({
      front_matter: 'tags: [kitchen]\nstatus: decided\naliases: [Stove]\n',
      properties: { status: 'decided' },
      aliases: ['Stove'],
      first_line: 6,
      changed_by: 'file',
      passages: [{ from: 6, citation: 'Home/Oven.md#L6-L10' }],
    });
    expect(note.text).toMatch(/^# Oven\n/);
    const { links, passages } = await showRecord(owner, { citation: 'Embeds.md' });
    expect(links).toEqual([
      { target: 'Home/Oven', citation: 'Home/Oven.md', id: note.id },
      { target: 'Nowhere', citation: null, id: null },
    ]);
    expect(passages).toBeUndefined();
    const { lines } = await showRecord(owner, { citation: 'Home/Oven.md#Oven' });
    expect(lines).toEqual({ from: 6, to: 10 });
  });

  it('tells the owner alone where its file is, and what was deleted', async () => {
    const [gone] = (await recordTable(owner, { deleted: true })).records;
    const citation = `record/${String(gone!.id)}`;
    expect(await showRecord(owner, { citation })).toMatchObject({ title: 'Gone', text: 'To be deleted' });
    await expect(showRecord(agent, { citation })).rejects.toMatchObject({ code: 'not_found' });
    await expect(recordTable(agent, { deleted: true })).rejects.toMatchObject({ code: 'forbidden' });
    const file = join(vault, 'Log.md');
    const obsidian = `obsidian://open?path=${encodeURIComponent(file)}`;
    expect(await showRecord(owner, { citation: 'Log.md' })).toMatchObject({ file, obsidian });
    expect(await showRecord(agent, { citation: 'Log.md' })).toMatchObject({ file: null, obsidian: null });
  });

  it('is linked from notes, page by page, with the text around each link', async () => {
    const first = await recordLinks(owner, { citation: 'Home/Oven.md', limit: 1 });
    const next = recordLinksInput.parse({ citation: 'Home/Oven.md', after: first.next });
    const second = await recordLinks(owner, next);
    expect([...first.links, ...second.links].map(({ title, embed, line }) => [title, embed, line])).toEqual([
      ['Embeds', true, 1],
      ['Log', false, 3],
    ]);
    expect(second.next).toBeNull();
    const { context } = second.links[0]!;
    expect(context).toMatch(/^….* we chose \[\[Oven\]\] and no other, .*…$/);
    expect(context.length).toBeLessThan(400);
  });
});

describe('an image of a note', () => {
  it.each([
    ['plan.png', 'plans/plan.png'],
    ['images/a%20b.png', 'Home/images/a b.png'],
    ['./images/a b.png', 'Home/images/a b.png'],
    ['../plans/plan.png', 'plans/plan.png'],
  ])('is found as %s in the vault', async (target, path) => {
    expect(await recordImage(agent, { citation: 'Home/Oven.md', target })).toEqual({
      ...{ path, media_type: 'image/png', bytes: PNG.length },
      data: PNG.toString('base64'),
    });
  });

  it.each([
    ['../../outside.png', 'not_found'],
    ['linked.png', 'not_found'],
    ['secret.png', 'not_found'],
    ['/etc/passwd', 'not_found'],
    [String.raw`\\host\share\a.png`, 'not_found'],
    ['http://host/a.png', 'not_found'],
    ['page.svg', 'unsupported_media_type'],
    ['Oven.md', 'not_found'],
    [' ', 'not_found'],
    ['%E0%A4%A', 'not_found'],
    ['fake.png', 'unsupported_media_type'],
    ['big.png', 'too_large'],
  ])('is not served for %s: %s', async (target, code) => {
    await expect(recordImage(owner, { citation: 'Home/Oven.md', target })).rejects.toMatchObject({ code });
  });

  it('may be SVG, by its text', async () => {
    const { media_type } = await recordImage(owner, { citation: 'Home/Oven.md', target: 'drawn.svg' });
    expect(media_type).toBe('image/svg+xml');
  });

  it('is of notes alone', async () => {
    const { records } = await recordTable(owner, { origins: ['memory'] });
    const { citation } = records[0]!;
    await expect(recordImage(owner, { citation, target: 'plan.png' })).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

describe('tables and counts', () => {
  const histogram = (given: object) => recordHistogram(owner, recordHistogramInput.parse(given));

  it('have each record once on all pages, with the first line of one without a title', async () => {
    const titles: string[] = [];
    for (let after: string | undefined; ;) {
      const page = await recordTable(owner, {
        sort: 'title',
        limit: 2,
        ...(after !== undefined && { after }),
      });
      expect(page.total).toBe(6);
      titles.push(...page.records.map(({ title }) => title));
      if (page.next === null) break;
      after = page.next;
    }
    expect(titles).toEqual(['The plumber is Tove.', '2026-03-01', '2026-03-02', 'Embeds', 'Log', 'Oven']);
    const { records } = await recordTable(
      owner,
      recordTableInput.parse({ from: '2026-03', until: '2026-03' }),
    );
    expect(records.map(({ title }) => title)).toEqual(['2026-03-02', '2026-03-01']);
    for (const after of ['x', '1/x'])
      await expect(recordTable(owner, { after })).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('count by time and source, within the range alone', async () => {
    const march = await histogram({ from: '2026-03', until: '2026-03' });
    expect(march).toMatchObject({ unit: 'day', total: 2 });
    expect(march.spans.map(({ sources }) => sources)).toEqual(
      [1, 2].map(() => [{ origin: 'vault', source: 'notes', records: 1 }]),
    );
    expect(await histogram({ from: '2026-03-02', until: '2026-03', unit: 'month' })).toMatchObject({
      total: 1,
      from: new Date(2026, 2, 1).toISOString(),
      until: new Date(2026, 3, 1).toISOString(),
    });
    expect(await histogram({ until: '1999' })).toMatchObject({
      total: 0,
      spans: [],
      from: null,
    });
  });

  it('count the values of a field without the filter on it, or those of the results of a query', async () => {
    const all = await recordFacets(owner, { origins: ['memory'] });
    expect(all).toMatchObject({ counted: 1, of: 'records' });
    expect(all.facets.origin.values).toEqual([
      { value: 'vault', records: 5 },
      { value: 'memory', records: 1 },
    ]);
    expect(all.facets.tag).toEqual({ values: [{ value: 'people', records: 1 }], others: 0 });
    const found = await recordFacets(owner, { query: 'induction' });
    expect(found).toMatchObject({ counted: 1, of: 'results' });
    expect(found.facets.tag.values).toEqual([{ value: 'kitchen', records: 1 }]);
  });
});
