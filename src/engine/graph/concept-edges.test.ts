import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderForEach, openInline, settings, writeNotes } from '../../../test/contract/engines.ts';
import { MAX_MENTIONING_RECORDS } from '../../store/concept-model.ts';
import type { EngineContext } from '../context.ts';
import { indexVaults } from '../reading/index-vaults.ts';
import { showNodes } from './show-nodes.ts';
import { graphConcepts } from './concepts.ts';
import { graphStatus } from './graph-status.ts';

const NOTES = {
  'Oven.md': '---\naliases: [Stove]\n---\nWe asked Miller Brothers.\n',
  'Furnace.md': 'Then Miller Brothers came.\n',
  'Log.md': 'Today the stove failed, and the furnace.\nThe stove was old.\n',
};

const folder = folderForEach();
let loci: EngineContext;

function open(): Promise<EngineContext> {
  return openInline(settings(folder.path, { vaults: [{ name: 'notes', path: join(folder.path, 'vault') }] }));
}

beforeEach(async () => {
  await mkdir(join(folder.path, 'vault'));
  await writeNotes(join(folder.path, 'vault'), NOTES);
  loci = await open();
  await indexVaults(loci);
});

afterEach(() => loci.close());

/** The edges of a node, as `from type to`, without those to its project. */
async function edgesOf(name: string): Promise<string[]> {
  const { nodes } = await showNodes(loci, { nodes: [name], k: 200 });
  return nodes[0]!.edges.map(({ type, from, to }) => `${from.title} ${type} ${to.title}`).sort();
}

async function idOf(name: string): Promise<string> {
  return (await graphConcepts(loci, { name })).concepts[0]!.id;
}

describe('the edges of concepts in the graph', () => {
  it('lead from a text to the note that it names, with the line, and back', async () => {
    expect(await edgesOf('Log')).toEqual(['Log mentions Furnace', 'Log mentions Oven']);
    expect(await edgesOf('Oven')).toEqual(['Log mentions Oven', 'Oven mentions Miller Brothers']);
    const { nodes } = await showNodes(loci, { nodes: ['Log'], k: 9 });
    const edge = nodes[0]!.edges.find(({ to }) => to.title === 'Oven')!;
    expect(edge.reason).toBe('names ‘Stove’ in line 1, 2 times in all');
    expect(edge.provenance.citation).toBe('Log.md#L1-L1');
    expect(nodes[0]!.degree).toBe(3);
  });

  it('lead to a phrase that records share, which has a node, also for a process that has not read it', async () => {
    const id = await idOf('Miller Brothers');
    await loci.close();
    loci = await open();
    expect(await edgesOf(id)).toEqual(['Furnace mentions Miller Brothers', 'Oven mentions Miller Brothers']);
    const { projects, edges_by_type } = await graphStatus(loci);
    expect(projects.map(({ nodes }) => nodes.concept)).toEqual([1]);
    expect(edges_by_type.mentions).toBe(4);
  });

  it('are none for a name that too many records have, and some again when fewer have it', async () => {
    const write = async (count: number): Promise<void> => {
      const notes = Array.from({ length: MAX_MENTIONING_RECORDS }, (_, i) => {
        const text = i < count ? 'Wait for the stove.' : 'Wait.';
        return [`more/N${String(i)}.md`, `${text} ${String(i)}\n`] as const;
      });
      await writeNotes(join(folder.path, 'vault'), Object.fromEntries(notes));
      await indexVaults(loci);
    };
    await write(MAX_MENTIONING_RECORDS);
    expect(await edgesOf('Log')).toEqual(['Log mentions Furnace']);
    expect(await edgesOf('Oven')).toEqual(['Oven mentions Miller Brothers']);
    await write(MAX_MENTIONING_RECORDS - 1);
    expect(await edgesOf('Log')).toEqual(['Log mentions Furnace', 'Log mentions Oven']);
    expect(await edgesOf('Oven')).toHaveLength(MAX_MENTIONING_RECORDS + 1);
  });
});
