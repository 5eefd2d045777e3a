import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderForEach, openInline, settings, writeNotes } from '../../../test/contract/engines.ts';
import { type ExportedGraph, exportSchema } from '../../graph/export-schema.ts';
import type { EngineContext } from '../context.ts';
import { indexVaults } from '../reading/index-vaults.ts';
import { exportGraph } from './export-graph.ts';
import { showNodes } from './show-nodes.ts';
import { graphStatus } from './graph-status.ts';
import { graphNotices } from './graph-notices.ts';

const folder = folderForEach();
let loci: EngineContext;

beforeEach(async () => {
  const vaults = [
    { name: 'Notes', path: join(folder.path, 'Notes') },
    { name: 'Private', path: join(folder.path, 'Private'), includeInContext: false },
  ];
  await writeNotes(join(folder.path, 'Private'), { 'p.md': '---\nproject: private\n---\nNone.' });
  loci = await openInline(settings(folder.path, { vaults }));
});

afterEach(() => loci.close());

/** Notes of which the first ones have each tag, as many as it says. */
async function index(notes: number, tags: Readonly<Record<string, number>>): Promise<void> {
  const texts = Array.from({ length: notes }, (_, i): [string, string] => {
    const own = Object.keys(tags).filter((tag) => i < tags[tag]!);
    return [`${String(i)}.md`, own.map((tag) => `#${tag}`).join(' ')];
  });
  await writeNotes(join(folder.path, 'Notes'), Object.fromEntries(texts));
  await indexVaults(loci);
}

async function exported(): Promise<ExportedGraph> {
  let text = '';
  for await (const piece of exportGraph(loci)) text += piece;
  return exportSchema.parse(JSON.parse(text));
}

async function tagsInExport(): Promise<Record<string, number>> {
  const { nodes, edges } = await exported();
  const tagged = edges.filter(({ type }) => type === 'tagged');
  const titles = new Map(nodes.map(({ id, title }) => [id, title]));
  const byTag = Map.groupBy(tagged, ({ dst }) => titles.get(dst) ?? dst);
  return Object.fromEntries([...byTag].map(([title, group]) => [title, group.length]));
}

const show = (name: string, project?: string) =>
  showNodes(loci, { nodes: [name], k: 50, ...(project !== undefined && { project }) });

describe('tags in the graph', () => {
  it('are there if ten notes of a small project have them, and not if eleven do', async () => {
    await index(12, { all: 12, eleven: 11, ten: 10, one: 1 });
    expect(await tagsInExport()).toEqual({ ten: 10, one: 1 });
    expect((await exported()).nodes.map(({ title }) => title)).not.toContain('eleven');
  });

  it('are there if a twentieth of the notes of a large project have them, and not if more do', async () => {
    await index(220, { twelve: 12, eleven: 11 });
    expect(await tagsInExport()).toEqual({ eleven: 11 });
  });

  it('are counted by the status as they are exported', async () => {
    await index(12, { all: 12, ten: 10 });
    const { nodes, edges } = await exported();
    const shown = { nodes: nodes.length, edges: edges.length, edges_by_type: { tagged: 10 } };
    expect(await graphStatus(loci)).toMatchObject(shown);
  });

  it('lead to their notes, however many notes link to these, unless they are too common', async () => {
    await index(12, { all: 12, two: 2 });
    const links = Array.from({ length: 12 }, (_, i): [string, string] => [`l${String(i)}.md`, '[[0]]']);
    await writeNotes(join(folder.path, 'Notes'), Object.fromEntries(links));
    await indexVaults(loci);
    const { nodes } = await show('#two');
    expect(nodes[0]!.edges.map(({ from }) => from.title).sort()).toEqual(['0', '1']);
    expect(nodes[0]).toMatchObject({ degree: 2, not_shown: { common_tags: 0 } });
    const [all] = (await show('#all')).nodes;
    const not_shown = { limit: 0, other_projects: 0, common_tags: 12, own_project: 0 };
    expect(all).toMatchObject({ edges: [], degree: 12, not_shown });
    expect(await graphNotices(loci, { names: ['#two', '#all', '0', '#none'] })).toEqual([
      '#all is too common to follow: 12 of 24 records of the project have it',
    ]);
    // An agent does not learn how many notes a vault has that is kept from it.
    const agent = loci.as({ ...loci.caller, surface: 'mcp', trust: 'agent' });
    expect(await graphNotices(agent, { names: ['#all'] })).toEqual(['#all is too common to follow']);
    const [note] = (await show('0')).nodes;
    expect([note!.degree, note!.edges.length]).toEqual([15, 13]);
    expect(note!.not_shown).toEqual({ limit: 0, other_projects: 0, common_tags: 1, own_project: 1 });
  });

  it('are ambiguous in several projects, unless one is named', async () => {
    await writeNotes(join(folder.path, 'Notes'), {
      'a.md': '#kitchen #here',
      'b.md': '---\nproject: home\n---\n#kitchen',
    });
    await indexVaults(loci);
    const { nodes, unknown } = await show('#kitchen');
    expect(nodes).toEqual([]);
    expect(unknown[0]!.reason).toMatch(
      /^#kitchen is a tag of several projects: c_\w+ in default, c_\w+ in home; give the project/,
    );
    const [, id] = /(c_\w+) in home/.exec(unknown[0]!.reason)!;
    for (const found of [await show('#kitchen', 'home'), await show(id!)])
      expect(found.nodes[0]!.edges.map(({ from }) => from.title)).toEqual(['b']);
    expect((await show('#here')).nodes[0]!.edges.map(({ from }) => from.title)).toEqual(['a']);
  });

  it('are suggested for a name that only a tag has', async () => {
    await index(2, { kitchen: 1 });
    const reason = async (name: string) => (await show(name)).unknown[0]!.reason;
    expect(await reason('Kitchen')).toContain('. Did you mean the tag #Kitchen?');
    expect(await reason('cellar')).not.toContain('#');
  });
});
