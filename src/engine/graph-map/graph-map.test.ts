import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { credentialSamples } from '../../../test/contract/credential-samples.ts';
import { folderForEach, openInline, settings, writeNotes } from '../../../test/contract/engines.ts';
import type { EngineContext } from '../context.ts';
import { reindex } from '../health/reindex.ts';
import { indexVaults } from '../reading/index-vaults.ts';
import { write } from '../records/write.ts';
import { graphMap } from './graph-map.ts';
import type { GraphMapInput, GraphMapOutput } from './map-fields.ts';

const KEY = credentialSamples(1).find(({ kind }) => kind === 'AWS access key')!.secret;

const NOTES = {
  'Kitchen.md':
    '---\ntags: [home/kitchen]\n---\n# Plan\n\nSee [[Oven]], [[Hob]] and [[Budget]].\n\n- [ ] Measure\n',
  'Oven.md': '---\ntags: [home]\n---\nOf [[Kitchen]].\n',
  'Hob.md': `---\ntitle: Hob ${KEY}\n---\nNear [[Oven]].\n`,
  'Budget.md': '---\nproject: money\n---\nOf [[Loan]].\n',
  'Loan.md': '---\nproject: money\n---\nA loan.\n',
  'Alone.md': 'Alone.\n',
};

const folder = folderForEach();
let loci: EngineContext;

async function open(
  name: string,
  notes: Readonly<Record<string, string>>,
  values: object = {},
): Promise<EngineContext> {
  for (const [key, text] of Object.entries(notes)) await writeNotes(join(folder.path, name), { [key]: text });
  const vaults = [{ name: 'Notes', path: join(folder.path, name) }];
  const opened = await openInline(settings(join(folder.path, `${name}-home`), { vaults, ...values }));
  await indexVaults(opened);
  return opened;
}

beforeEach(async () => {
  loci = await open('notes', NOTES);
});

afterEach(() => loci.close());

/** The nodes as rows, with the edges by titles. */
async function mapped(
  given: GraphMapInput = {},
  context = loci,
): Promise<GraphMapOutput & { links: string[] }> {
  const map = await graphMap(context, given);
  const { src, dst, type } = map.edges;
  const links = src.map((from, i) => `${map.nodes.title[from]!} ${map.edge_types[type[i]!]!} ${map.nodes.title[dst[i]!]!}`); // prettier-ignore
  return { ...map, links: links.sort() };
}

const titles = async (given: GraphMapInput, context = loci): Promise<string[]> =>
  (await mapped(given, context)).nodes.title.sort();

describe('a map of the graph', () => {
  it('has nodes with places and edges with reasons, but no edge into another project unless it is allowed', async () => {
    const map = await mapped();
    expect(map.links).toContain('Kitchen links_to Oven');
    expect(map.links).not.toContain('Kitchen links_to Budget');
    expect(map.links).toContain('Budget links_to Loan');
    const at = map.nodes.title.indexOf('Kitchen');
    expect(map.node_types[map.nodes.type[at]!]).toBe('note');
    expect(map.projects[map.nodes.project[at]!]).toBe('default');
    expect(map.nodes.tags[at]!.map((tag) => map.tags[tag])).toEqual(['home/kitchen']);
    expect(map.nodes.record[at]).toEqual(expect.any(Number));
    expect(map.edges.reason).toContain('linked under ‘Plan’, line 6');
    expect(map.totals).toMatchObject({
      nodes: map.nodes.id.length,
      edges: map.edges.src.length,
      across_projects: 1,
    });
    expect(map.facets.projects).toContainEqual({ value: 'money', count: 2 });
    const allowing = await open('allowing', NOTES, {
      graph: { crossProject: true, crossProjectTypes: ['links_to'] },
    });
    expect((await mapped({ allow_cross_project: true }, allowing)).links).toContain(
      'Kitchen links_to Budget',
    );
    await allowing.close();
  });

  it('has the nodes that pass the filters', async () => {
    const cases: [GraphMapInput, string[]][] = [
      [{ projects: ['money'] }, ['Budget', 'Loan']],
      [{ types: ['task'] }, ['Measure']],
      [{ tags: ['#home'], types: ['note'] }, ['Kitchen', 'Oven']],
      [{ tags: ['home/kitchen'], types: ['note'] }, ['Kitchen']],
      [{ search: 'OVEN' }, ['Oven']],
      [{ around: ['Alone'] }, ['Alone']],
      [{ around: ['Loan'], depth: 1 }, ['Budget', 'Loan']],
      [{ around: ['Oven'], types: ['note'] }, ['Hob [secret masked: AWS access key]', 'Kitchen', 'Oven']],
      [{ around: ['Oven'], depth: 0 }, ['Oven']],
      [{ around: ['nothing'] }, []],
      // A credential in a title is masked, and finds nothing.
      [{ search: KEY.slice(0, 8) }, []],
    ];
    for (const [given, expected] of cases)
      expect(await titles(given), JSON.stringify(given)).toEqual(expected);
  });

  it('says what is left out', async () => {
    const { unknown } = await mapped({ around: ['nothing'] });
    expect(unknown).toMatchObject([{ name: 'nothing' }]);
    const small = await mapped({ nodes: 2 });
    expect(small.nodes.title).toEqual(['Kitchen', 'Oven']);
    expect(small.notices[0]).toMatch(
      /^these are the most connected 2 of \d+ nodes: name one of them in `around`/,
    );
    const { edges, totals } = await mapped({ edges: 2 });
    expect([edges.src.length, edges.reason.length, totals.edges > 2]).toEqual([2, 2, true]);
  });

  it('has the same positions for the same notes, whatever the order in which they were indexed, and after a rebuild', async () => {
    const { nodes, version } = await graphMap(loci);
    const reversed = await open('reversed', { 'Alone.md': NOTES['Alone.md'] });
    for (const entry of Object.entries(NOTES).toReversed()) {
      await writeNotes(join(folder.path, 'reversed'), Object.fromEntries([entry]));
      await indexVaults(reversed);
    }
    const other = await graphMap(reversed);
    expect([other.version, other.nodes.x, other.nodes.y]).toEqual([version, nodes.x, nodes.y]);
    await reversed.close();
    await reindex(loci);
    expect(await graphMap(loci)).toMatchObject({ version, nodes: { x: nodes.x, y: nodes.y } });
  });

  it('keeps the positions in the store, is near the former ones after a change, and forgets them in a reindex', async () => {
    const placeOf = async (title: string): Promise<[number, number]> => {
      const { nodes } = await graphMap(loci);
      const at = nodes.title.indexOf(title);
      return [nodes.x[at]!, nodes.y[at]!];
    };
    const stored = () =>
      loci.store.records.items('default', { kind: 'graph_layout', by: 'key' }, { after: null, limit: 9 });
    const before = await placeOf('Kitchen');
    const [first] = await stored();
    expect(JSON.parse(first!.body)).toMatchObject({ ids: expect.any(Array) as unknown });
    await writeNotes(join(folder.path, 'notes'), { 'New.md': 'See [[Kitchen]].\n' });
    await indexVaults(loci);
    const after = await placeOf('Kitchen');
    expect((await stored())[0]!.ref).not.toBe(first!.ref);
    const { nodes } = await graphMap(loci);
    const width = Math.max(...nodes.x) - Math.min(...nodes.x);
    expect(Math.hypot(after[0] - before[0], after[1] - before[1])).toBeLessThan(width / 5);
    await loci.store.admin.resetDerived('default', { text: false, vectors: false });
    expect(await stored()).toEqual([]);
  });

  it('is answered to a caller who waits for the positions with another one, who stops waiting', async () => {
    const controller = new AbortController();
    const stopped = graphMap(loci, {}, { signal: controller.signal });
    const other = graphMap(loci);
    controller.abort();
    await expect(stopped).rejects.toMatchObject({ code: 'aborted' });
    expect((await other).nodes.id.length).toBeGreaterThan(5);
  });

  it('has nothing of another namespace or of what is hidden from an agent', async () => {
    const caller = { namespace: 'other', actor: 'a', surface: 'rest', trust: 'operator' } as const;
    expect((await graphMap(loci.as(caller))).nodes.id).toEqual([]);
    await write(loci.as(caller), { content: 'Elsewhere.' });
    expect((await graphMap(loci.as(caller))).nodes.title).toEqual(['Elsewhere.']);
    expect((await graphMap(loci)).nodes.title).not.toContain('Elsewhere.');
    const hiding = await open('hiding', NOTES, {});
    const { config } = hiding;
    await hiding.close();
    const vaults = config.vaults.map((vault) => ({ ...vault, includeInContext: false }));
    const owner = await openInline({ ...config, vaults });
    const agent = owner.as({ namespace: 'default', actor: 'a', surface: 'rest', trust: 'agent' });
    const hidden = await graphMap(agent);
    expect([hidden.nodes.id, hidden.facets.tags, hidden.totals.graph_nodes]).toEqual([[], [], 0]);
    expect((await graphMap(owner)).nodes.id.length).toBeGreaterThan(5);
    await owner.close();
  });

  it('of a large graph is without what follows from names, unless it is next to a centre', async () => {
    const tasks = Array.from({ length: 1000 }, (_, i) => `- [ ] Task ${String(i)}`).join('\n');
    const lists = Object.fromEntries([1, 2, 3, 4].map((i) => [`List ${String(i)}.md`, tasks]));
    const large = await open('large', {
      ...NOTES,
      ...lists,
      'Tasks.md': `---\ntags: [home]\n---\n${tasks}\n\nSee [[Oven]].\n`,
      'Shop.md': 'Buy an oven, and ask “Mister Miller”.\n',
      'Talk.md': 'Says “Mister Miller” and [[Budget]].\n',
    });
    const map = await mapped({}, large);
    expect(map.notices[0]).toMatch(/^these are the most connected 1500 of 50\d\d nodes/);
    expect(map.notices[1]).toMatch(/^this graph is large: mentions, and concepts/);
    expect(map.nodes.title[0]).toBe('Tasks');
    expect(map.links).toEqual(expect.arrayContaining(['Tasks links_to Oven', 'Budget links_to Loan']));
    expect(map.links).not.toContain('Kitchen links_to Budget');
    expect(map.links.join()).not.toContain(' mentions ');
    expect(map.totals).toMatchObject({ nodes: map.totals.graph_nodes, across_projects: 2 });
    expect(map.facets.types).toContainEqual({ value: 'task', count: 5001 });
    expect(map.edges.reason).toContain('linked under ‘Plan’, line 6');
    expect(map.edges.src.length).toBe(map.totals.edges);
    // The heaviest edges are first, as in a small graph.
    expect(map.edges.weight).toEqual([...map.edges.weight].sort((a, b) => b - a));
    const near = await mapped({ around: ['Oven'] }, large);
    expect(near.links).toContain('Shop mentions Oven');
    expect(near.links).toContain('Tasks links_to Oven');
    expect(new Set(near.links).size).toBe(near.links.length);
    expect(near.nodes.x.every(Number.isFinite)).toBe(true);
    const concept = (await mapped({ around: ['Shop'] }, large)).nodes;
    const miller = concept.id[concept.title.indexOf('Mister Miller')]!;
    const named = await mapped({ around: [miller] }, large);
    expect(named.nodes.title.sort()).toEqual(['Mister Miller', 'Shop', 'Talk']);
    expect(await titles({ search: 'OVEN' }, large)).toEqual(['Oven']);
    expect(await titles({ projects: ['money'] }, large)).toEqual(['Budget', 'Loan']);
    expect((await graphMap(large)).version).toBe(map.version);
    expect((await graphMap(large, { around: ['Oven'] })).version).toBe(near.version);
    await large.close();
  });
});
