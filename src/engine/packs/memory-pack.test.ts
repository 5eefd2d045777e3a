import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { folderForAll, openInline, settings, writeNotes } from '../../../test/contract/engines.ts';
import { sha256 } from '../../core/ids.ts';
import { receiptSchema } from '../../pack/receipt.ts';
import { shownText } from '../../pack/text/span.ts';
import type { EngineContext } from '../context.ts';
import { indexVaults } from '../reading/index-vaults.ts';
import { refreshSources, registerSource } from '../reading/sources.ts';
import { write } from '../records/write.ts';
import { storeFact } from '../facts/facts.ts';
import { memoryPack } from './memory-pack.ts';
import { verifyReceipt } from './verify-receipt.ts';
import { get } from '../records/get.ts';
import { search } from '../records/search.ts';

const NOW = Date.UTC(2026, 10, 21);
const KEY = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`;
const FILLER = Array.from({ length: 60 }, (_, i) => `The wall number ${String(i)} is painted white.`).join(
  ' ',
);

const folder = folderForAll();
let loci: EngineContext;
let now = NOW;

beforeAll(async () => {
  await writeNotes(join(folder.path, 'home'), {
    'Kitchen.md': `---\nproject: home\n---\n# Kitchen\n\n${FILLER}\n\nThe oven needs 32 A, says the electrician.\n\n${FILLER}\n`,
    'Router.md': `# Router\n\nThe oven timer uses the token ${KEY} for the oven.\n`,
    'Copy.md': '# Box\n\nThe oven is in the box.\n',
    'Copy 2.md': '# Box\n\nThe oven is in the box.\n',
  });
  loci = await openInline(
    settings(folder.path, {
      vaults: [{ name: 'home', path: join(folder.path, 'home') }],
      writes: { enabled: true },
      search: { minScore: 0 },
    }),
    { now: () => now },
  );
  await indexVaults(loci);
  const fetch = () => Promise.resolve([{ id: 1, text: 'The oven in a mail from the shop' }]);
  registerSource(loci, {
    id: 'mail',
    name: 'Mail',
    refreshIntervalMs: 60_000,
    includeInContext: false,
    fetch,
  });
  await refreshSources(loci, { ids: ['mail'] });
  const agent = loci.as({ ...loci.caller, trust: 'agent' });
  await write(agent, { content: 'The agent saw the oven arrive', title: 'Arrival' });
  await storeFact(loci, { key: 'oven size', value: 'The oven is 90 cm wide' });
});

afterAll(() => loci.close());

describe('a pack', () => {
  it('has citations that get accepts, whose lines have the pieces', async () => {
    const { text, items, receipt } = await memoryPack(loci, { query: 'electrician', budget: 2000 });
    expect(items.length).toBeGreaterThan(0);
    for (const [i, { citation, id, lines }] of items.entries()) {
      const own = text.split('\n').slice(lines.from - 1, lines.to);
      expect(own[0]).toMatch(/^◆/);
      expect(own.slice(1).some((line) => line.startsWith('◆'))).toBe(false);
      expect(own.at(-1)).not.toBe('');
      expect(items[i + 1]?.lines.from ?? lines.to + 2).toBe(lines.to + 2);
      expect(own[0]!.replace(/^◆ ?/, '')).toContain(citation.replace('record/', ''));
      const shown = citation.replace('record/', '');
      expect(text.split('\n').some((line) => line.replace(/^◆ ?/, '◆').startsWith(`◆${shown}`))).toBe(true);
      expect((await get(loci, { citation: shown })).id).toBe(id);
      expect((await get(loci, { citation })).id).toBe(id);
    }
    const kitchen = items.find(({ citation }) => citation.startsWith('Kitchen.md'));
    expect(kitchen?.citation).toMatch(/^Kitchen\.md#L\d+-L\d+$/);
    const { text: lines } = await get(loci, { citation: kitchen!.citation });
    expect(lines).toContain('The oven needs 32 A, says the electrician.');
    receiptSchema.parse(receipt);
  });

  it('has a receipt from which every byte of a record in it can be made again, without a text', async () => {
    const query = 'oven electrician';
    const { text, receipt } = await memoryPack(loci, { query, budget: 1000 });
    const bytes = Buffer.from(text);
    for (const { id, field, bytes: range, lines, hash, content_hash, pack } of receipt.pieces) {
      const { title, text: content } = await get(loci, { citation: `record/${String(id)}` });
      expect(sha256(content)).toBe(content_hash);
      const source = Buffer.from(field === 'title' ? title : content)
        .subarray(range.start, range.end)
        .toString();
      expect(sha256(source)).toBe(hash);
      expect(bytes.subarray(pack.start, pack.end).toString()).toBe(shownText(source));
      if (field === 'content')
        expect(
          content
            .split('\n')
            .slice(lines.from - 1, lines.to)
            .join('\n'),
        ).toContain(source);
    }
    expect(receipt.query_hash).toBe(sha256(query));
    expect(JSON.stringify(receipt)).not.toMatch(/oven|electrician|Kitchen/i);
  });

  it('shows what a section embeds beside it: a section, a block or a note, each once', async () => {
    await writeNotes(join(folder.path, 'embeds'), {
      'Plan.md':
        '# Plan\n\nThe plumber comes first.\n\n![[Costs#Water|costs]]\n\n![[Costs#^slack]] ![[Rules]] ![[x.png]]\n',
      'Costs.md':
        '# Costs\n\nAll in euros.\n\n## Water\n\nPipes are 900.\n\n## Slack\n\n1,638 are left. ^slack\n\n## Walls\n\nGreen.\n',
      'Rules.md': 'No drilling after eight.\n',
      ...Object.fromEntries(
        Array.from({ length: 20 }, (_, i) => [`${String(i)}.md`, `A wall ${String(i)}.\n`]),
      ),
    });
    const vaults = [{ name: 'embeds', path: join(folder.path, 'embeds') }];
    const store = { path: join(folder.path, 'embeds.db') };
    const other = await openInline(settings(folder.path, { vaults, store }), { now: () => NOW });
    await indexVaults(other);
    const { text, receipt } = await memoryPack(other, { query: 'when does the plumber come', budget: 1000 });
    await other.close();
    for (const shown of ['Pipes are 900.', '1,638 are left.', 'No drilling after eight.'])
      expect(text.split(shown)).toHaveLength(2);
    expect(text).not.toContain('Green.');
    expect(text).toMatch(/^◆ Rules\.md#L1-L1 \(embedded in Plan\.md\)$/m);
    expect(receipt.lanes).toContainEqual(expect.objectContaining({ name: 'embeds', status: 'answered' }));
  });

  it('has the newest value before an earlier one, which says so, and a receipt that verifies', async () => {
    const home = loci.as({ ...loci.caller, namespace: 'values' });
    now = Date.parse('2025-02-11T12:00');
    await write(home, { content: 'The code of the shed is marzipan.' });
    now = Date.parse('2026-03-09T12:00');
    await write(home, { content: 'Since the move, the code of the shed is juniper.' });
    now = NOW;
    const { text, items, receipt_id: id } = await memoryPack(home, { query: 'the code of the shed' });
    expect(items.map((item) => item.id)).toEqual([2, 1]);
    expect(text).toContain('◆1 earlier: see record/2 (9 March 2026)\nThe code of the shed is marzipan.');
    expect(await verifyReceipt(home, { id: id!, prompt: text })).toMatchObject({
      receipts: [{ whole: true }],
    });
  });

  it('has the same bytes each time, and one of two equal texts', async () => {
    const request = { query: 'oven box', budget: 2000 };
    const first = await memoryPack(loci, request);
    const second = await memoryPack(loci, request);
    expect(second.text).toBe(first.text);
    expect(first.text.match(/The oven is in the box/g)).toHaveLength(1);
    expect(first.receipt.candidates.filter(({ reason }) => reason === 'duplicate')).toHaveLength(1);
  });

  it('is empty if nothing is likely to be about the query, and says if nothing clearly is', async () => {
    const far = await memoryPack(loci, { query: 'passport renewal deadline', budget: 2000 });
    expect(far).toMatchObject({
      text: '',
      tokens: 0,
      empty: 'nothing that is remembered is likely to be about the query',
    });
    await expect(memoryPack(loci, { query: ' ' })).rejects.toMatchObject({ code: 'invalid_input' });
    expect((await memoryPack(loci, { query: 'oven', budget: 1 })).empty).toMatch(
      /^the budget of 1 tokens is below what one item needs, \d+ tokens$/,
    );
    expect(far.receipt.candidates.every(({ reason }) => reason === 'threshold')).toBe(true);
    const { hits } = { hits: (await search(loci, { query: 'white', min_score: 0 })).results };
    const unsure = await memoryPack(loci, { query: 'white passport renewal', budget: 2000 }, { minScore: 0 });
    expect(hits.length).toBeGreaterThan(0);
    expect(unsure.text.split('\n')[2]).toBe('No note clearly answers this; what follows is the nearest.');
  });

  it('marks what is not of the usual trust class', async () => {
    const { text } = await memoryPack(loci, { query: 'oven', budget: 2000 });
    expect(text).toContain('by the owner unless marked.');
    expect(text).toMatch(/^◆\d+ \(by agents\) Arrival$/m);
  });

  it('leaves out sources that the settings keep out of a context, whoever asks', async () => {
    const { results } = await search(loci, { query: 'oven mail shop' });
    expect(results.map(({ source }) => source)).toContain('mail');
    const { text, receipt } = await memoryPack(loci, { query: 'oven mail shop', budget: 2000 });
    expect(text).not.toContain('from the shop');
    const mail = results.find(({ source }) => source === 'mail')!;
    const record = await get(loci, { citation: mail.citation });
    expect(receipt.candidates.map(({ record: uuid }) => uuid)).not.toContain(record.uuid);
  });

  it('leaves out other projects and namespaces', async () => {
    const { items } = await memoryPack(loci, { query: 'oven', budget: 2000, project: 'home' });
    expect(items.map(({ project }) => project)).toEqual(['home']);
    const other = loci.as({ ...loci.caller, namespace: 'other' });
    expect(await memoryPack(other, { query: 'oven', budget: 2000 })).toMatchObject({
      text: '',
      tokens: 0,
      empty: 'nothing that is remembered is likely to be about the query',
    });
  });
});
