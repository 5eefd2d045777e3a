import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { folderForAll, openInline, settings, writeNotes } from '../../../test/contract/engines.ts';
import { receiptSchema } from '../../pack/receipt.ts';
import { graphIndex, type GraphIndexOutput } from './graph-index.ts';
import type { EngineContext } from '../context.ts';
import { indexVaults } from '../reading/index-vaults.ts';
import { graphPack } from './graph-pack.ts';
import { showNodes } from '../graph/show-nodes.ts';
import { showReceipt } from './receipts.ts';
import { verifyReceipt } from './verify-receipt.ts';

const NOW = Date.UTC(2026, 10, 21);
const KEY = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`;
const FILLER = Object.fromEntries(
  Array.from({ length: 30 }, (_, i) => [`Filler ${String(i)}.md`, `The wall ${String(i)} is white.\n`]),
);
const CODE = '```js\nconst price = 900;\n```';

const folder = folderForAll();
let loci: EngineContext;

beforeAll(async () => {
  const [notes, diary] = [join(folder.path, 'Notes'), join(folder.path, 'Diary')];
  await writeNotes(notes, {
    ...FILLER,
    'Kitchen.md': `# Kitchen\n\nThe kitchen is a plan for the oven in autumn.\n\n## Offers\n\nSee [[Quotes]].\n\n${CODE}\n\n- [ ] call the plumber\n`,
    'Quotes.md': `---\ntags: [money]\n---\n# Offers\n\nThe second firm is preferred.\n\nThe portal has the token ${KEY} for us.\n\nSee [[Terms]], [[Private]] and [[Shed]].\n`,
    'Terms.md':
      '---\ntags: [money]\n---\n# Terms\n\nPayable within thirty days.\n\n| rate | part |\n|---|---|\n| 1 | half |\n',
    'Shed.md': '---\nproject: garden\n---\n# Shed\n\nThe rake hangs in the shed beside the oven.\n',
    'Empty.md': '',
  });
  await writeNotes(diary, { 'Private.md': '# Private\n\nNobody reads about the oven. [[Terms]]\n' });
  loci = await openInline(
    settings(folder.path, {
      vaults: [
        { name: 'Notes', path: notes },
        { name: 'Diary', path: diary, includeInContext: false },
      ],
      // A busy machine may take longer than the usual deadline.
      graph: { crossProject: true, crossProjectTypes: ['links_to'], deadline: 0 },
    }),
    { now: () => NOW },
  );
  await indexVaults(loci);
});

afterAll(() => loci.close());

const index = (request: object = {}) =>
  graphIndex(loci, { query: 'kitchen oven', k: 10, budget: 900, ...request });
const pack = (nodes: string[], request: object = {}) => graphPack(loci, { nodes, depth: 0, ...request });
const titles = (shown: GraphIndexOutput['candidates']): string[] => shown.map(({ title }) => title);

describe('an index of the graph', () => {
  it('has candidates and suggestions, each with its node and the reason for it', async () => {
    const { text, candidates, expansions, receipt, receipt_id } = await index({ query: 'plan kitchen oven' });
    const [first] = candidates;
    expect(first).toMatchObject({
      type: 'note',
      title: 'Kitchen',
      project: 'default',
      citation: 'Kitchen.md',
      why_relevant: 'has ‘plan’, ‘kitchen’, ‘oven’',
    });
    const quotes = expansions.find(({ title }) => title === 'Quotes')!;
    expect(quotes).toMatchObject({ why_relevant: 'linked from Kitchen.md#L7-L7', citation: 'Quotes.md' });
    for (const { id, why_relevant, title } of [first!, quotes])
      expect(text).toMatch(
        new RegExp(`^◆ ${id} note in default, \\d\\.\\d\\d \\(${why_relevant}\\) ${title}$`, 'm'),
      );
    expect((await showNodes(loci, { nodes: [quotes.id], k: 1 })).nodes[0]!.citation).toBe('Quotes.md');
    expect(receiptSchema.parse(receipt)).toMatchObject({ kind: 'graph_index' });
    expect((await showReceipt(loci, { id: receipt_id! })).receipt).toEqual(receipt);
    expect(JSON.stringify(receipt)).not.toMatch(/kitchen|quotes|offers|oven/i);
    const verified = await verifyReceipt(loci, { id: receipt_id!, prompt: text });
    expect(verified.receipts[0]!.whole).toBe(true);
  });

  it('has no source that the settings keep out of a context, and one project if it is asked to', async () => {
    const all = await index({ budget: 3000 });
    expect(titles(all.candidates)).toContain('Shed');
    expect(JSON.stringify(all)).not.toMatch(/Private|Diary/);
    const one = await index({ project: 'default' });
    expect(titles([...one.candidates, ...one.expansions])).not.toContain('Shed');
    const crossing = await index({ project: 'default', allow_cross_project: true });
    expect(crossing.expansions.find(({ title }) => title === 'Shed')).toMatchObject({
      project: 'garden',
      why_relevant: expect.stringContaining('(in another project)') as string,
    });
  });
});

describe('a pack of nodes', () => {
  it('has a summary of each with its citation and why it is there, and no raw text in safe mode', async () => {
    const { text, candidates, expansions, receipt } = await pack(['Kitchen'], { depth: 1 });
    const [kitchen] = candidates;
    expect(text).toContain(`◆ Kitchen.md#L1-L13 (note, ${kitchen!.id}, asked for) Kitchen\n`);
    expect(text).toContain('- [ ] call the plumber');
    expect(text).not.toContain('const price');
    expect(text).toMatch(/^◆ Quotes\.md#L\d+-L\d+ \(note, n_\w+, linked from Kitchen\.md#L7-L7\) Quotes$/m);
    expect(titles(expansions)).toEqual(['Quotes']);
    expect(receipt.pieces.map(({ level }) => level)).not.toContain('L2');
    expect(receipt.candidates.map(({ lane, path }) => [lane, path?.length ?? null])).toEqual([
      ['nodes', null],
      ['graph', 1],
    ]);
    expect(receiptSchema.parse(receipt)).toMatchObject({ kind: 'graph_pack', query_hash: null });
    expect(JSON.stringify(receipt)).not.toMatch(/kitchen|quotes|offers|oven|plumber/i);
  });

  it('says where a summary leaves a table out', async () => {
    expect((await pack(['Terms'])).text).toContain('\n(Without its tables: memory_get reads them.)');
    expect((await pack(['Terms'], { mode: 'snippets' })).text).toContain('| 1 | half |');
    expect((await pack(['Kitchen'])).text).not.toContain('tables');
  });

  it('has snippets only if they are asked for, without credentials in any mode', async () => {
    for (const mode of ['safe', 'snippets']) {
      const { text, receipt } = await pack(['Quotes.md', 'Kitchen.md'], { mode });
      expect(text).not.toContain(KEY.slice(0, 12));
      expect(receipt.pieces.some(({ level }) => level === 'L2')).toBe(mode === 'snippets');
      expect(text.includes('const price')).toBe(mode === 'snippets');
      expect(text.includes('[secret masked]')).toBe(mode === 'snippets');
    }
  });

  it('names unknown nodes and answers the others; nodes without a record lead to those that have one', async () => {
    const some = await pack(['Quotes', 'nowhere', 'n_0000000000000000']);
    expect(titles(some.candidates)).toEqual(['Quotes']);
    expect(some.unknown.map(({ name }) => name)).toEqual(['nowhere', 'n_0000000000000000']);
    expect(await pack(['nowhere'])).toMatchObject({
      text: '',
      empty: 'no node has any of these names',
      receipt: { candidates: [], pieces: [] },
    });
    const tag = await pack(['#money'], { depth: 1, project: 'default' });
    expect(titles(tag.expansions).toSorted()).toEqual(['Quotes', 'Terms']);
    expect(tag.expansions[0]!.why_relevant).toBe('tagged with what was asked for');
    expect(await pack(['#money'])).toMatchObject({ text: '', empty: 'no record is there' });
  });

  it('has the line of a task, and the title of an empty note', async () => {
    const { text, candidates } = await pack(['Kitchen.md#L13', 'Empty.md']);
    expect(candidates.map(({ type }) => type)).toEqual(['task', 'note']);
    expect(text).toMatch(
      /^◆ Kitchen\.md#L13-L13 \(task, t_\w+, asked for\) Kitchen\n- \[ \] call the plumber$/m,
    );
    expect(text).toMatch(/^◆ Empty\.md \(note, n_\w+, asked for\) Empty$/m);
  });

  it('has no source that the settings keep out of a context, and leaves a project only when allowed', async () => {
    const near = await pack(['Quotes'], { depth: 3 });
    expect(titles(near.expansions)).toEqual(expect.arrayContaining(['Kitchen', 'Terms']));
    expect(JSON.stringify([near.text, near.expansions])).not.toMatch(/Nobody reads|Diary|rake/);
    expect((await pack(['Private'])).text).toBe('');
    const crossing = await pack(['Quotes'], { depth: 1, allow_cross_project: true });
    expect(crossing.text).toContain('linked from Quotes.md#L10-L10 (in another project)');
  });

  it('and an index are refused while the graph is off', async () => {
    const off = await openInline(settings(folder.path, { graph: { enabled: false } }), { now: () => NOW });
    await expect(graphPack(off, { nodes: ['Kitchen'] })).rejects.toMatchObject({ code: 'forbidden' });
    await expect(graphIndex(off, { query: 'oven', k: 3, budget: 500 })).rejects.toMatchObject({
      code: 'forbidden',
    });
    await off.close();
  });
});
