import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { openInline, settings, temporaryFolder, writeNotes } from '../../../test/contract/engines.ts';
import { type ExportedGraph, exportSchema } from '../../graph/export-schema.ts';
import type { EngineContext } from '../context.ts';
import { indexVaults } from '../reading/index-vaults.ts';
import { exportGraph } from './export-graph.ts';
import { reindex } from '../health/reindex.ts';
import { showNodes, findPath } from './show-nodes.ts';
import { doctor } from '../health/doctor.ts';
import { write } from '../records/write.ts';
import { graphStatus } from './graph-status.ts';
import { nodesNear } from './graph-view.ts';

const NOTES = {
  'Kitchen.md':
    '---\ntags: [home]\n---\n# Plan\n\nSee [[Oven]] and [[Kitchen]].\n\n## Oven\n\nBuy [[Oven]], then ![[Budget]].\n\n- [ ] Call [[Ada]] 📅 2026-11-25\n- [x] Measure ^m1\n',
  'Oven.md': '# Oven\n\nBack to [[Kitchen]].\n\n```\n[[Budget]]\n- [ ] no task\n```\n',
  'Budget.md':
    '---\ntype: report\nsupersedes: "[[Old budget]]"\nproject: money\n---\nMoney. Supersedes [[Oven]].\n',
  'Old budget.md': 'Based on [[Budget]].\n',
};

interface Home extends AsyncDisposable {
  readonly loci: EngineContext;
  readonly path: string;
  /** Writes and removes notes, and indexes. */
  change(notes: Readonly<Record<string, string | null>>): Promise<void>;
}

async function open(
  notes: Readonly<Record<string, string>>,
  values: Readonly<Record<string, unknown>> = {},
): Promise<Home> {
  const folder = await temporaryFolder();
  const path = join(folder.path, 'Notes');
  await writeNotes(path, notes);
  const loci = await openInline(settings(folder.path, { vaults: [{ name: 'Notes', path }], ...values }));
  await indexVaults(loci);
  return {
    loci,
    path,
    change: async (changes) => {
      for (const [key, text] of Object.entries(changes)) {
        if (text === null) await rm(join(path, key));
        else await writeNotes(path, { [key]: text });
      }
      await indexVaults(loci);
    },
    [Symbol.asyncDispose]: async () => {
      await loci.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function exportText(loci: EngineContext, project?: string): Promise<string> {
  let text = '';
  for await (const piece of exportGraph(loci, project === undefined ? {} : { project })) text += piece;
  return text;
}

async function exported(loci: EngineContext): Promise<ExportedGraph> {
  return exportSchema.parse(JSON.parse(await exportText(loci)));
}

/** The edges as `Kitchen links_to Oven: reason`. */
async function edgesOf(
  loci: EngineContext,
  types = ['links_to', 'embeds', 'supersedes', 'derived_from'],
): Promise<string[]> {
  const { nodes, edges } = await exported(loci);
  const titles = new Map(nodes.map(({ id, title }) => [id, title]));
  return edges
    .filter(({ type }) => types.includes(type))
    .map(({ src, type, dst, reason }) => `${titles.get(src)!} ${type} ${titles.get(dst)!}: ${reason}`)
    .sort();
}

/** The graph after a rebuild from nothing. */
async function rebuilt(loci: EngineContext): Promise<string> {
  await reindex(loci);
  return exportText(loci);
}

describe('the graph of a vault', () => {
  it('has links, embeds, statements, tasks, projects and types, each with its reason and place', async () => {
    await using home = await open(NOTES);
    expect(await edgesOf(home.loci)).toEqual(
      [
        'Budget links_to Old budget: linked in its properties, line 3',
        'Budget links_to Oven: linked in line 6',
        'Budget supersedes Old budget: said to supersede it in its properties, line 3',
        'Budget supersedes Oven: said to supersede it in line 6',
        'Kitchen embeds Budget: embedded under ‘Oven’, line 10',
        'Kitchen links_to Oven: linked under ‘Plan’, line 6, and 1 more',
        'Old budget derived_from Budget: said to be derived from it in line 1',
        'Old budget links_to Budget: linked in line 1',
        'Oven links_to Kitchen: linked under ‘Oven’, line 3',
      ].sort(),
    );
    const { nodes, edges } = await exported(home.loci);
    const named = (title: string) => nodes.find((node) => node.title === title);
    expect(named('Budget')).toMatchObject({ type: 'report', project: 'money', l0_abstract: 'Money.' });
    expect(named('Call Ada')).toMatchObject({
      type: 'task',
      task: { done: false, due: '2026-11-25' },
      l0_abstract: null,
    });
    expect(named('Measure')).toMatchObject({
      task: { done: true, due: null },
      provenance: { lines: { first: 13, last: 13 } },
    });
    expect(named('no task')).toBeUndefined();
    expect(edges.find(({ src }) => src === named('Measure')!.id)).toMatchObject({
      ...{ type: 'part_of', dst: named('Kitchen')!.id, reason: 'a task under ‘Oven’, line 13' },
      provenance: { record: 'Notes:Kitchen.md', lines: { first: 13, last: 13 } },
    });
    expect(named('money')).toMatchObject({ type: 'project', provenance: { record: 'Notes:Budget.md' } });
  });

  it('is the same, byte for byte, whatever the order in which the notes were indexed, and after a rebuild', async () => {
    await using first = await open(NOTES);
    const text = await exportText(first.loci);
    expect(await exportText(first.loci)).toBe(text);
    await using second = await open({ 'Old budget.md': NOTES['Old budget.md'], 'Oven.md': 'other text' });
    await second.change({ 'Oven.md': null });
    await second.change({ 'Budget.md': NOTES['Budget.md'] });
    await second.change(NOTES);
    expect(await exportText(second.loci)).toBe(text);
    expect(await rebuilt(first.loci)).toBe(text);
    expect(await exportText(first.loci, 'money')).not.toContain('Kitchen');
  });

  it('has the edge of a link as soon as its note exists, and as long as it does', async () => {
    await using home = await open({ 'a.md': 'to [[b]]', 'folder/x.md': 'x' });
    expect(await edgesOf(home.loci)).toEqual([]);
    await home.change({ 'folder/b.md': 'b' });
    expect(await edgesOf(home.loci)).toEqual(['a links_to b: linked in line 1']);
    // A note with a shorter path has the name now; then the first one has it again.
    await home.change({ 'b.md': '---\ntitle: Second\n---\nb' });
    expect(await edgesOf(home.loci)).toEqual(['a links_to Second: linked in line 1']);
    await home.change({ 'b.md': null });
    expect(await edgesOf(home.loci)).toEqual(['a links_to b: linked in line 1']);
    await home.change({ 'folder/b.md': null });
    expect(await edgesOf(home.loci)).toEqual([]);
    const text = await exportText(home.loci);
    expect(await rebuilt(home.loci)).toBe(text);
  });

  it('has the statements of properties that name notes plainly, also notes that come later', async () => {
    const statements = ['supersedes', 'derived_from', 'links_to'];
    await using home = await open({
      'New.md':
        '---\nsupersedes: Old plan\nderived_from:\n  - Talks/Monday\n  - record/1\n  - Nobody\n---\nnew',
      'Talks/Monday.md':
        '---\nreplaced-by: new\nbased on: https://example.org/New\ntopic: New\n---\nSee [[New]].',
    });
    expect(await edgesOf(home.loci, statements)).toEqual([
      'Monday links_to New: linked in line 6',
      'New derived_from Monday: said to be derived from it in its properties',
      'New supersedes Monday: said to be superseded by it in its properties',
    ]);
    await home.change({ 'Archive/Old plan.md': 'old' });
    expect(await edgesOf(home.loci, ['supersedes'])).toEqual([
      'New supersedes Monday: said to be superseded by it in its properties',
      'New supersedes Old plan: said to supersede it in its properties',
    ]);
    const text = await exportText(home.loci);
    expect(await rebuilt(home.loci)).toBe(text);
    await home.change({ 'Archive/Old plan.md': null });
    expect(await edgesOf(home.loci, ['supersedes'])).toHaveLength(1);
  });

  it('keeps the id of a note that is renamed, if its front matter has one that no other note has', async () => {
    await using home = await open({ 'a.md': '---\nid: x\n---\na', 'c.md': 'to [[b]]' });
    const idOf = async (name: string) => (await showNodes(home.loci, { nodes: [name], k: 5 })).nodes[0]?.id;
    const id = await idOf('a.md');
    await rename(join(home.path, 'a.md'), join(home.path, 'b.md'));
    await indexVaults(home.loci);
    expect(await idOf('b.md')).toBe(id);
    expect(await edgesOf(home.loci)).toEqual(['c links_to b: linked in line 1']);
    await home.change({ 'copy.md': '---\nid: x\n---\na' });
    const [copied, original] = [await idOf('copy.md'), await idOf('b.md')];
    expect(new Set([copied, original, id]).size).toBe(3);
    await home.change({ 'copy.md': null });
    expect(await idOf('b.md')).toBe(id);
  });

  it('is compared with the records by `doctor`', async () => {
    await using home = await open(NOTES);
    const check = async () => (await doctor(home.loci)).find(({ name }) => name === 'graph');
    expect(await check()).toMatchObject({ result: 'ok', detail: '4 records, all edges and names correct' });
    await write(home.loci, { content: 'new' });
    expect(await check()).toMatchObject({ result: 'ok', detail: expect.stringContaining('not derived yet') });
    await indexVaults(home.loci);
    const database = new DatabaseSync(join(home.path, '..', 'loci.db'));
    database.exec("UPDATE graph_edge SET reason = 'wrong' WHERE type = 'embeds'");
    database.close();
    expect(await check()).toMatchObject({
      result: 'failed',
      detail: 'nodes or edges differ in 1 record: Kitchen.md',
    });
    await reindex(home.loci);
    expect(await check()).toMatchObject({ result: 'ok' });
  });

  it('is not derived while it is switched off', async () => {
    await using home = await open(NOTES, { graph: { enabled: false } });
    expect(await graphStatus(home.loci)).toMatchObject({ condition: 'off', nodes: 0 });
    await expect(exportText(home.loci)).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('takes the types of nodes from the settings, and is derived again when they change', async () => {
    await using home = await open(
      { 'Decisions/2026/a.md': 'a', 'b.md': 'b' },
      { graph: { types: { Decisions: 'decision', Notes: 'event' } } },
    );
    expect((await exported(home.loci)).nodes.map(({ title, type }) => `${title} ${type}`).sort()).toEqual([
      'a decision',
      'b event',
      'default project',
    ]);
  });
});

describe('walks over the graph', () => {
  it('stay in a project, unless a request and the settings let a type of edge lead out of it', async () => {
    const notes = {
      'a.md': '[[b]] ![[c]]',
      'b.md': '---\nproject: other\n---\nb',
      'c.md': '---\nproject: other\n---\nc',
    };
    const targets = async (values: object, allow_cross_project: boolean): Promise<string[]> => {
      await using home = await open(notes, { graph: values });
      const { nodes } = await showNodes(home.loci, { nodes: ['a'], k: 9, allow_cross_project });
      return nodes[0]!.edges.map(({ to }) => to.title);
    };
    const allowed = { crossProject: true, crossProjectTypes: ['embeds'] };
    expect(await targets({}, true)).toEqual([]);
    expect(await targets(allowed, false)).toEqual([]);
    expect(await targets({ crossProject: true }, true)).toEqual([]);
    expect(await targets({ crossProjectTypes: ['embeds'] }, true)).toEqual([]);
    expect(await targets(allowed, true)).toEqual(['c']);
  });

  it('say the reason and the place of an edge into another project, and that it leads there', async () => {
    await using home = await open(
      { 'a.md': '# Plan\n\n![[c]]', 'c.md': '---\nproject: other\n---\nc' },
      { graph: { crossProject: true, crossProjectTypes: ['embeds'] } },
    );
    const found = await findPath(home.loci, { from: 'a', to: 'c', allow_cross_project: true });
    expect(found.steps).toMatchObject([
      {
        type: 'embeds',
        reason: 'embedded under ‘Plan’, line 3',
        from: { project: 'default' },
        to: { project: 'other' },
        provenance: { citation: 'a.md#L3-L3', hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
      },
    ]);
    expect(found.via).toBe('via [[a]] → embedded under ‘Plan’, line 3 (to the project ‘other’) → [[c]]');
  });

  it('name unknown nodes, and answer the others', async () => {
    await using home = await open(NOTES);
    const { nodes, unknown } = await showNodes(home.loci, {
      nodes: ['n_0000000000000000', 'Kitchen', 'No such note', 'Kitchen.md#L13', 'money'],
      k: 3,
    });
    expect(nodes.map(({ title }) => title)).toEqual(['Kitchen', 'Measure', 'money']);
    expect(unknown.map(({ name }) => name)).toEqual(['n_0000000000000000', 'No such note']);
  });

  it('find the shortest path in a graph with cycles and links of notes to themselves', async () => {
    const ring = Object.fromEntries(
      Array.from({ length: 9 }, (_, i) => [
        `n${String(i)}.md`,
        `[[n${String(i)}]] [[n${String((i + 1) % 9)}]]`,
      ]),
    );
    await using home = await open({ ...ring, 'alone.md': 'alone' });
    const path = async (from: string, to: string) => {
      const { found, steps } = await findPath(home.loci, { from, to });
      return found ? steps.map((step) => `${step.from.title}→${step.to.title}`) : null;
    };
    expect(await path('n0', 'n3')).toEqual(['n0→n1', 'n1→n2', 'n2→n3']);
    expect(await path('n1', 'n7')).toEqual(['n0→n1', 'n8→n0', 'n7→n8']);
    expect(await path('n0', 'n0')).toEqual([]);
    expect(await path('n0', 'alone')).toBeNull();
    const near = await nodesNear(home.loci, { anchors: [{ record: 2, score: 1 }], depth: 3, limit: 50 });
    expect(near.map(({ path }) => path.length)).toEqual([1, 1, 2, 2, 3, 3]);
  });

  it('keep two vaults with the same titles apart', async () => {
    await using folder = await temporaryFolder();
    const vaults = ['One', 'Two'].map((name) => ({ name, path: join(folder.path, name) }));
    for (const { path } of vaults) await writeNotes(path, { 'a.md': '[[b]]', 'b.md': 'b' });
    const loci = await openInline(settings(folder.path, { vaults }));
    await indexVaults(loci);
    const { nodes, edges } = await exported(loci);
    expect(new Set(nodes.map(({ id }) => id)).size).toBe(5);
    const sourceOf = (id: string) => nodes.find((node) => node.id === id)!.provenance.record.split(':')[0];
    const links = edges.filter(({ type }) => type === 'links_to');
    expect(links.map(({ src, dst }) => [sourceOf(src), sourceOf(dst)]).sort()).toEqual([
      ['One', 'One'],
      ['Two', 'Two'],
    ]);
    const { unknown } = await showNodes(loci, { nodes: ['a', 'One:a.md'], k: 1 });
    expect(unknown).toMatchObject([{ name: 'a' }]);
    await loci.close();
  });
});
