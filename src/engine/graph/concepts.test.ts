import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderForEach, openInline, settings, writeNotes } from '../../../test/contract/engines.ts';
import { MAX_MENTIONING_RECORDS } from '../../store/concept-model.ts';
import type { EngineContext } from '../context.ts';
import { reindex } from '../health/reindex.ts';
import { indexVaults } from '../reading/index-vaults.ts';
import { search } from '../records/search.ts';
import { write } from '../records/write.ts';
import { graphConcepts, graphConflicts } from './concepts.ts';
import { showNodes } from './show-nodes.ts';

const folder = folderForEach();
let loci: EngineContext;

const NOTES = {
  'Oven.md': '---\naliases: [Stove, Heater]\n---\nWe asked Miller Brothers.\n',
  'Furnace.md': '---\naliases: [Heater]\n---\nMiller Brothers came. The oven was old.\n',
  'Log.md': 'Today the stove failed. 我们的厨房装修计划\n',
  '厨房装修.md': '计划\n',
};

beforeEach(async () => {
  await mkdir(join(folder.path, 'vault'));
  await writeNotes(join(folder.path, 'vault'), NOTES);
  const vaults = [{ name: 'notes', path: join(folder.path, 'vault') }];
  loci = await openInline(settings(folder.path, { vaults }));
  await indexVaults(loci);
});

afterEach(() => loci.close());

async function indexed(notes: Readonly<Record<string, string>>): Promise<void> {
  await writeNotes(join(folder.path, 'vault'), notes);
  await indexVaults(loci);
}

async function labels(of: EngineContext = loci): Promise<string[]> {
  return (await graphConcepts(of, { limit: 100 })).concepts.map(({ label }) => label).sort();
}

/** The titles of the records with an edge to the only concept with this name. */
async function titlesNaming(name: string): Promise<string[]> {
  const { concepts } = await graphConcepts(loci, { name });
  expect(concepts).toHaveLength(1);
  const { nodes } = await showNodes(loci, { nodes: [concepts[0]!.id], k: 100 });
  return nodes[0]!.edges.filter(({ direction }) => direction === 'in').map(({ from }) => from.title).sort(); // prettier-ignore
}

describe('concepts of an engine', () => {
  it('are titles, aliases and shared phrases, with the nodes to which the records that name them lead', async () => {
    expect(await labels()).toEqual(['Furnace', 'Miller Brothers', 'Oven', '厨房装修']);
    expect(await titlesNaming('stove')).toEqual(['Furnace', 'Log']);
    expect(await titlesNaming('厨房装修')).toEqual(['Log']);
    expect(await titlesNaming('Miller Brothers')).toEqual(['Furnace', 'Oven']);
    const [oven] = (await graphConcepts(loci, { name: 'stove' })).concepts;
    expect(oven).toMatchObject({
      ...{ label: 'Oven', project: 'default', named_by: 2 },
      names: [
        { name: 'Oven', kind: 'title' },
        { name: 'Stove', kind: 'alias' },
      ],
    });
    const [note] = (await loci.store.records.get(loci.namespace, [Number(oven!.note!.slice(7))], { liveAt: 0 })); // prettier-ignore
    expect(note!.title).toBe('Oven');
  });

  it('are listed by how many records name them, then by name, page by page', async () => {
    await indexed({ 'Plan.md': 'Miller Brothers look at the oven.\n' });
    const { concepts } = await graphConcepts(loci, { limit: 100 });
    expect(concepts.map(({ label }) => label)).toEqual(['Miller Brothers', 'Oven', '厨房装修', 'Furnace']);
    const paged: string[] = [];
    for (let after: number | null = 0; after !== null;) {
      const page: Awaited<ReturnType<typeof graphConcepts>> = await graphConcepts(loci, { limit: 1, after });
      expect(page.total).toBe(4);
      paged.push(...page.concepts.map(({ label }) => label));
      after = page.next;
    }
    expect(paged).toEqual(concepts.map(({ label }) => label));
  });

  it('are no words that more records have in lower case than as a name', async () => {
    await indexed({ 'A.md': 'They mind a Warning there.\n', 'B.md': 'He saw a Warning too.\n' });
    expect(await labels()).toContain('Warning');
    await indexed({ 'C.md': 'Warning: a warning.\n', 'D.md': 'Warning, or no warning.\n' });
    expect(await labels()).not.toContain('Warning');
  });

  it('are what a search says that two results have in common', async () => {
    await indexed({
      'Lantern Weekly.md': 'Lantern Weekly is a magazine. Its house is in Falkirk now.\n',
      'The boss.md': 'Anna leads the company. She lives in Falkirk too.\n',
    });
    const { results } = await search(loci, { query: 'who leads the publisher of Lantern Weekly' });
    const via = results.find(({ title }) => title === 'The boss')?.via;
    expect(via?.how).toBe('both name “Falkirk”');
    expect(await titlesNaming('Falkirk')).toEqual(['Lantern Weekly', 'The boss']);
  });

  it('have ids that the graph knows: of notes, of tags, and of phrases, even of too many records for an edge', async () => {
    const many = Array.from({ length: MAX_MENTIONING_RECORDS + 1 }, (_, i) => [`more/N${String(i)}.md`, `We met Ada Lovelace. ${String(i)}\n`]); // prettier-ignore
    await indexed({
      ...Object.fromEntries(many),
      'A.md': '---\ntags: [kitchen/New-Tiles, red]\n---\nA\n',
      'B.md': '---\ntags: [kitchen/new-tiles]\n---\nB\n',
    });
    const { concepts } = await graphConcepts(loci, { limit: 500 });
    const names = concepts.filter(({ note }) => note === null).map(({ label }) => label);
    expect(names).toEqual(['Ada Lovelace', 'Miller Brothers', expect.stringMatching(/^new tiles$/i)]);
    for (const { id, label, note } of concepts.slice(0, 20)) {
      const { nodes, unknown } = await showNodes(loci, { nodes: [id] });
      expect([unknown, nodes.map((node) => node.id)]).toEqual([[], [id]]);
      expect(nodes[0]!.title).toBe(names.indexOf(label) === 2 ? 'kitchen/new-tiles' : label);
      if (note === null) expect(nodes[0]!.edges).toHaveLength(label === 'Ada Lovelace' ? 0 : 2);
    }
  });

  it('follow notes that are changed, added and removed', async () => {
    await rm(join(folder.path, 'vault', 'Furnace.md'));
    await indexed({
      'Cooker.md': 'The plan of Miller Brothers\n',
      'Plan B.md': 'The cooker and the heater\n',
    });
    expect(await titlesNaming('Cooker')).toEqual(['Plan B']);
    expect(await titlesNaming('Heater')).toEqual(['Log', 'Plan B']);
    expect((await graphConflicts(loci)).conflicts).toEqual([]);
  });

  it('list names of two notes as conflicts, which a change of a note settles and its undo restores', async () => {
    const [before, ids] = [await graphConflicts(loci), await graphConcepts(loci)];
    expect(before).toMatchObject({ total: 1, next: null });
    expect(before.conflicts.map(({ name, notes }) => [name, notes.map(({ citation }) => citation)])).toEqual([
      ['Heater', ['Furnace.md', 'Oven.md']],
    ]);
    expect((await graphConcepts(loci, { name: 'Heater' })).concepts).toEqual([]);
    expect((await graphConflicts(loci, { after: 1 })).conflicts).toEqual([]);
    await indexed({ 'Furnace.md': 'Miller Brothers came. The oven was old.\n' });
    expect((await graphConflicts(loci)).conflicts).toEqual([]);
    expect((await graphConcepts(loci, { name: 'Heater' })).concepts.map(({ label }) => label)).toEqual([
      'Oven',
    ]);
    await indexed({ 'Furnace.md': NOTES['Furnace.md'] });
    expect(await graphConflicts(loci)).toEqual(before);
    expect(await graphConcepts(loci)).toEqual(ids);
    await reindex(loci);
    expect(await graphConcepts(loci)).toEqual(ids);
  });

  it('are of one namespace: another sees none of them', async () => {
    const other = loci.as({ namespace: 'agent:b', actor: 'b', surface: 'rest', trust: 'operator' });
    expect(await labels(other)).toEqual([]);
    await write(other, { content: '“Slow Heat” one', project: 'default' });
    await write(other, { content: '“Slow Heat” two', project: 'default' });
    expect(await labels(other)).toEqual(['Slow Heat']);
    expect(await labels()).not.toContain('Slow Heat');
  });
});
