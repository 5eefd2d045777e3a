import { describe, expect, it } from 'vitest';
import type { EdgeType } from '../../src/core/graph-types.ts';
import type {
  EdgeDraft,
  GraphFilter,
  GraphProvenance,
  GraphUpdate,
  NeighbourRequest,
  NodeDegree,
  NodeDraft,
  StaleRecord,
} from '../../src/store/graph-model.ts';
import { recordNode } from '../../src/store/graph-model.ts';
import type { CommitBatch } from '../../src/store/model.ts';
import type { StoreFixture } from './store-contract.ts';
import { note, NOW, write } from './store-samples.ts';
import { ALL, commit, deleteRecords, purgeRequest, purge } from './written-samples.ts';

const HASH = 'a'.repeat(64);

function provenance(record: number, line: number | null = 1): GraphProvenance {
  const lines = line === null ? null : { first: line, last: line };
  return { record, passage: line === null ? null : 0, lines, hash: HASH };
}

function node(record: number, fields: Partial<NodeDraft> = {}): NodeDraft {
  return {
    key: recordNode(record),
    id: `n_${String(record)}`,
    type: 'note',
    title: `Note ${String(record)}`,
    project: 'default',
    tags: ['a', '"b"'],
    record,
    source: 'notes',
    sharesIdentity: false,
    task: null,
    provenance: provenance(record, null),
    ...fields,
  };
}

function shared(id: string, fields: Partial<NodeDraft> = {}): NodeDraft {
  return node(0, { key: id, id, type: 'project', record: null, source: null, provenance: null, ...fields });
}

function edge(
  from: number,
  dst: number | string,
  type: EdgeType = 'links_to',
  fields: Partial<EdgeDraft> = {},
): EdgeDraft {
  return {
    src: recordNode(from),
    dst: typeof dst === 'number' ? recordNode(dst) : dst,
    type,
    weight: 0.5,
    reason: 'linked under ‘Oven’, line 31',
    provenance: provenance(from),
    ...fields,
  };
}

function update(fields: Partial<GraphUpdate>): Partial<CommitBatch> {
  return { graph: { lane: 'text', records: new Map(), shared: [], ...fields } };
}

export function describeGraph({ store, namespace }: StoreFixture): void {
  /** Notes 1, 2 and 3; 1 links to 2 and 3, 2 to 3, and 1 and 2 are part of a project. */
  async function filled(): Promise<string> {
    const ns = namespace();
    await write(store, ns, note('one'), note('two'), note('three'));
    await commit(
      store,
      ns,
      update({
        records: new Map([
          [
            1,
            {
              nodes: [node(1)],
              edges: [edge(1, 2), edge(1, 3, 'embeds', { weight: 0.9 }), edge(1, 'p_1', 'part_of')],
            },
          ],
          [2, { nodes: [node(2)], edges: [edge(2, 3), edge(2, 'p_1', 'part_of')] }],
          [
            3,
            {
              nodes: [
                node(3),
                node(3, { key: 'r3/x', id: 't_3', type: 'task', task: { done: false, due: '2026-11-25' } }),
              ],
              edges: [],
            },
          ],
        ]),
        shared: [shared('p_1')],
        progress: { upTo: 3, rules: 'r' },
      }),
    );
    return ns;
  }
  const around = (id: string, fields: Partial<NeighbourRequest> = {}): NeighbourRequest => ({
    of: [id],
    limit: 10,
    crossProjectTypes: [],
    filter: {},
    ...fields,
  });
  const edgesOf = async (ns: string): Promise<string[]> =>
    (await store.graph.edges(ns, {}, ALL)).map(({ src, type, dst }) => `${src} ${type} ${dst}`);
  const stale = async (ns: string): Promise<readonly StaleRecord[]> =>
    (await store.graph.state(ns, 10)).waiting.records;
  const sharing = async (ns: string, records: readonly number[]): Promise<number[]> =>
    [...(await store.graph.contributions(ns, 'text', records))].flatMap(([record, { isSharing }]) =>
      isSharing ? [record] : [],
    );
  const nodesOf = async (ns: string): Promise<string[]> =>
    (await store.graph.nodes(ns, { page: ALL })).map(({ id }) => id);

  describe('the graph', () => {
    it('is empty before it is derived', async () => {
      const ns = namespace();
      for (const written of [false, true]) {
        if (written) await write(store, ns, note('one'));
        expect([await nodesOf(ns), await edgesOf(ns)]).toEqual([[], []]);
        expect(await store.graph.nodes(ns, { records: [1] })).toEqual([]);
        expect(await store.graph.neighbours(ns, around('n_1'))).toEqual({
          ...{ out: [], in: [], nodes: [], degrees: [], tags: [] },
        });
        expect(await store.graph.counts(ns, {})).toEqual({ nodes: [], edges: [], tags: [] });
        expect(await store.graph.outline(ns, {}, ALL)).toEqual({ nodes: [], edges: [] });
        expect(await store.graph.state(ns)).toEqual({
          ...{ upTo: 0, similarUpTo: 0, conceptsUpTo: 0, rules: '', conceptRules: '' },
          ...{ stale: 0, changedNames: 0, lastChange: written ? 1 : 0 },
          waiting: { records: [], names: [] },
        });
      }
    });

    it('is read by node, by record, by neighbour and in pages', async () => {
      const ns = await filled();
      const { graph } = store;
      expect(await nodesOf(ns)).toEqual(['n_1', 'n_2', 'n_3', 'p_1', 't_3']);
      const pages = [
        'n_1 embeds n_3',
        'n_1 links_to n_2',
        'n_1 part_of p_1',
        'n_2 links_to n_3',
        'n_2 part_of p_1',
      ];
      expect(await edgesOf(ns)).toEqual(pages);
      const rest = await graph.edges(
        ns,
        {},
        { after: { src: 'n_1', type: 'links_to', dst: 'n_2' }, limit: 2 },
      );
      expect(rest.map(({ src, type }) => `${src} ${type}`)).toEqual(['n_1 part_of', 'n_2 links_to']);
      expect((await graph.nodes(ns, { page: { after: 'n_2', limit: 1 } })).map(({ id }) => id)).toEqual([
        'n_3',
      ]);
      const { key: _, sharesIdentity: __, ...first } = node(1);
      expect(await graph.nodes(ns, { ids: ['p_1', 'n_9', 'n_1', 'n_1'] })).toMatchObject([
        { id: 'p_1', record: null },
        first,
      ]);
      expect(await graph.nodes(ns, { records: [3] })).toMatchObject([
        { id: 'n_3', task: null },
        { id: 't_3', task: { done: false, due: '2026-11-25' }, record: 3 },
      ]);
      expect(await graph.neighbours(ns, around('n_1', { limit: 2 }))).toMatchObject({
        out: [
          { src: 'n_1', dst: 'n_3', type: 'embeds', weight: 0.9, provenance: provenance(1) },
          { dst: 'n_2' },
        ],
        in: [],
        nodes: [{ id: 'n_2' }, { id: 'n_3', tags: ['a', '"b"'] }],
        degrees: [{ id: 'n_1', record: 1, out: 3, in: 0 }],
      });
      expect(await graph.neighbours(ns, around('n_2', { of: ['n_2', 'n_9', 'p_1', 'n_2'] }))).toMatchObject({
        out: [
          { src: 'n_2', dst: 'n_3' },
          { src: 'n_2', dst: 'p_1' },
        ],
        in: [
          { src: 'n_1', dst: 'n_2' },
          { src: 'n_1', dst: 'p_1' },
          { src: 'n_2', dst: 'p_1' },
        ],
        nodes: [{ id: 'n_1' }, { id: 'n_2' }, { id: 'n_3' }, { id: 'p_1' }],
        degrees: [
          { id: 'n_2', record: 2, out: 2, in: 1 },
          { id: 'p_1', record: null, out: 0, in: 2 },
        ],
        tags: [],
      });
      expect(await graph.counts(ns, {})).toEqual({
        nodes: [
          { project: 'default', type: 'note', nodes: 3, records: 3 },
          { project: 'default', type: 'project', nodes: 1, records: 0 },
          { project: 'default', type: 'task', nodes: 1, records: 0 },
        ],
        edges: [
          { type: 'embeds', edges: 1 },
          { type: 'links_to', edges: 2 },
          { type: 'part_of', edges: 2 },
        ],
        tags: [],
      });
      expect(await graph.state(ns)).toMatchObject({ upTo: 3, rules: 'r', lastChange: 3, stale: 0 });
    });

    it('has an outline in pages, whose edges may lead to nodes that do not pass the filter', async () => {
      const ns = await filled();
      const { graph } = store;
      const link = { src: 'r1', dst: 'r2', type: 'links_to', weight: 0.5, reason: 'linked under \0 ‘Oven’' };
      const records = new Map([
        [
          1,
          {
            nodes: [node(1)],
            edges: [{ ...edge(1, 2), reason: link.reason }, edge(1, 3, 'embeds', { weight: 0.1 })],
          },
        ],
        [3, { nodes: [node(3, { source: 'other' })], edges: [edge(3, 1)] }],
      ]);
      await commit(store, ns, update({ records }));
      const all = await graph.outline(ns, {}, ALL);
      const nodes = await graph.nodes(ns, { page: ALL });
      expect(all.nodes.map(({ key: _, ...rest }) => rest)).toEqual(nodes);
      expect(all.nodes.map(({ key }) => key)).toEqual(['r1', 'r2', 'r3', 'p_1']);
      const between = all.edges.map(({ src, type, dst }) => `${src} ${type} ${dst}`);
      expect(between.sort()).toEqual(['r1 embeds r3', 'r1 links_to r2', 'r2 links_to r3', 'r2 part_of p_1', 'r3 links_to r1']); // prettier-ignore
      expect(all.edges).toContainEqual(link);
      expect(all.edges).toContainEqual(expect.objectContaining({ dst: 'r3', weight: 0.1 }));
      const page = await graph.outline(ns, { excludedSources: ['other'] }, { after: 'n_1', limit: 2 });
      expect(page.nodes.map(({ id }) => id)).toEqual(['n_2', 'p_1']);
      expect(page.edges.map(({ dst }) => dst).sort()).toEqual(['p_1', 'r3']);
      expect(await graph.outline(namespace(), {}, ALL)).toEqual({ nodes: [], edges: [] });
    });

    it('counts the visible edges of each tag', async () => {
      const ns = await filled();
      const tags = ['c_1', 'c_2'].map((id) => shared(id, { type: 'concept', title: id }));
      const tagged = {
        nodes: [node(1)],
        edges: [edge(1, 'c_1', 'tagged'), edge(1, 'c_2', 'tagged'), edge(1, 'p_1', 'part_of')],
      };
      const other = { nodes: [node(2)], edges: [edge(2, 'c_1', 'tagged')] };
      const records = new Map([
        [1, tagged],
        [2, other],
      ]);
      await commit(store, ns, update({ records, shared: [...tags, shared('p_1')] }));
      const counted = async (filter: GraphFilter) => (await store.graph.counts(ns, filter)).tags;
      expect(await counted({})).toMatchObject([
        { tag: { id: 'c_1', type: 'concept', title: 'c_1', record: null }, edges: 2 },
        { tag: { id: 'c_2' }, edges: 1 },
      ]);
      expect(await counted({ excludedSources: ['notes'] })).toEqual([]);
      expect(await counted({ project: 'other' })).toEqual([]);
      // A walk counts the edges of all sources, and compares them with the records of the project.
      const projects = [{ project: 'default', node: 'p_1' }];
      const filter = { excludedSources: ['notes'] };
      const { tags: found } = await store.graph.neighbours(
        ns,
        around('n_1', { of: ['n_2', 'c_2'], filter, projects }),
      );
      expect(found).toEqual([
        { id: 'c_1', tagged: 2, records: 1 },
        { id: 'c_2', tagged: 1, records: 1 },
      ]);
    });

    it('has no edges of a node with more than a request follows', async () => {
      const ns = await filled();
      const edgesWith = async (maxDegree: number): Promise<unknown> => {
        const found = await store.graph.neighbours(
          ns,
          around('n_1', { of: ['n_2', 'p_1', 'n_1'], maxDegree }),
        );
        return [found.out.length, found.in.length, found.degrees.map((each) => each.out + each.in)];
      };
      expect(await edgesWith(2)).toEqual([0, 2, [3, 2, 3]]);
      expect(await edgesWith(3)).toEqual([5, 3, [3, 2, 3]]);
    });

    it('has for each record what was contributed last, in each lane', async () => {
      const ns = await filled();
      const similar = update({
        lane: 'similar',
        records: new Map([[1, { nodes: [], edges: [edge(1, 2, 'similar_to')] }]]),
        progress: { similarUpTo: 2 },
      });
      await commit(store, ns, similar);
      const again = { nodes: [node(1, { title: 'New' })], edges: [edge(1, 3)] };
      await commit(store, ns, update({ records: new Map([[1, again]]) }));
      expect(await store.graph.contributions(ns, 'text', [1, 9])).toEqual(
        new Map([
          [1, { ...again, isSharing: false }],
          [9, { nodes: [], edges: [], isSharing: false }],
        ]),
      );
      expect((await edgesOf(ns)).slice(0, 2)).toEqual(['n_1 links_to n_3', 'n_1 similar_to n_2']);
      expect(await store.graph.nodes(ns, { ids: ['n_1'] })).toMatchObject([{ title: 'New' }]);
      expect(await store.graph.state(ns)).toMatchObject({ upTo: 3, similarUpTo: 2, rules: 'r' });
    });

    it('shows an edge as soon as both of its nodes exist', async () => {
      const ns = namespace();
      await write(store, ns, note('one'), note('two'));
      await commit(store, ns, update({ records: new Map([[1, { nodes: [node(1)], edges: [edge(1, 2)] }]]) }));
      expect(await edgesOf(ns)).toEqual([]);
      await commit(store, ns, update({ records: new Map([[2, { nodes: [node(2)], edges: [] }]]) }));
      expect(await edgesOf(ns)).toEqual(['n_1 links_to n_2']);
    });

    it('has no node that records shared and none has any more', async () => {
      const ns = await filled();
      await commit(store, ns, update({ records: new Map([[1, { nodes: [node(1)], edges: [] }]]) }));
      expect(await nodesOf(ns)).toContain('p_1');
      await commit(
        store,
        ns,
        update({ records: new Map([[2, { nodes: [node(2)], edges: [] }]]), shared: [shared('c_1')] }),
      );
      expect(await nodesOf(ns)).toEqual(['n_1', 'n_2', 'n_3', 't_3']);
    });

    it('loses a record in the transaction that deletes, evicts or purges it', async () => {
      for (const remove of ['delete', 'evict', 'purge'] as const) {
        const ns = await filled();
        await commit(
          store,
          ns,
          update({
            lane: 'documents',
            records: new Map([
              [2, { nodes: [], edges: [edge(1, 3, 'mentions', { provenance: provenance(2) })] }],
            ]),
          }),
        );
        if (remove === 'delete') await deleteRecords(store, ns, 2, 3);
        else if (remove === 'evict') await commit(store, ns, { evictions: [2, 3] });
        else {
          const writes = [2, 3].map((id) => ({ ...note('x', { expiresAt: NOW - 1 }), id }));
          await commit(store, ns, { writes });
          await purge(store.records, ns, purgeRequest());
        }
        expect([remove, await nodesOf(ns), await edgesOf(ns)]).toEqual([
          remove,
          ['n_1', 'p_1'],
          ['n_1 part_of p_1'],
        ]);
        expect((await store.graph.contributions(ns, 'text', [1])).get(1)?.edges).toHaveLength(1);
        // A derivation that read the record before comes too late.
        await commit(
          store,
          ns,
          update({ records: new Map([[3, { nodes: [node(3)], edges: [edge(3, 1)] }]]) }),
        );
        expect(await nodesOf(ns)).toEqual(['n_1', 'p_1']);
      }
    });

    it('leads to another project only by types that may', async () => {
      const ns = await filled();
      await commit(
        store,
        ns,
        update({ records: new Map([[3, { nodes: [node(3, { project: 'other' })], edges: [] }]]) }),
      );
      const targets = async (fields: Partial<NeighbourRequest>): Promise<string[]> =>
        (await store.graph.neighbours(ns, around('n_1', fields))).out.map(({ dst }) => dst);
      expect(await targets({})).toEqual(['n_2', 'p_1']);
      expect(await targets({ crossProjectTypes: ['links_to'] })).toEqual(['n_2', 'p_1']);
      expect(await targets({ crossProjectTypes: ['embeds'] })).toEqual(['n_3', 'n_2', 'p_1']);
      expect((await store.graph.edges(ns, { project: 'default' }, ALL)).map(({ dst }) => dst)).toEqual([
        'n_2',
        'p_1',
        'p_1',
      ]);
      expect(await store.graph.nodes(ns, { page: ALL }, { project: 'other' })).toMatchObject([{ id: 'n_3' }]);
    });

    it('hides the nodes of sources', async () => {
      const ns = await filled();
      const filter = { excludedSources: ['notes'] };
      expect(await store.graph.nodes(ns, { page: ALL }, filter)).toEqual([]);
      expect(await store.graph.edges(ns, filter, ALL)).toEqual([]);
      expect((await store.graph.neighbours(ns, around('n_1', { filter }))).nodes).toMatchObject([
        { id: 'p_1' },
      ]);
      expect(await store.graph.nodes(ns, { ids: ['n_1', 'p_1'] }, filter)).toEqual([]);
      expect(await store.graph.counts(ns, filter)).toEqual({ nodes: [], edges: [], tags: [] });
      const degrees = async (fields: Partial<NeighbourRequest>): Promise<number[][]> => {
        const request = around('n_1', { of: ['n_1', 'p_1'], ...fields });
        return (await store.graph.neighbours(ns, request)).degrees.map((each) => [each.out, each.in]);
      };
      const all = [
        [3, 0],
        [0, 2],
      ];
      expect(await degrees({ filter })).toEqual([
        [1, 0],
        [0, 0],
      ]);
      expect(await degrees({ filter, countsHidden: true })).toEqual(all);
      expect(await degrees({ filter: { excludedSources: ['others'] } })).toEqual(all);
      const others = { excludedSources: ['others'] };
      expect(await store.graph.nodes(ns, { ids: ['p_1'] }, others)).toMatchObject([{ id: 'p_1' }]);
    });

    it('names the records whose links mean other records, until they are derived again', async () => {
      const ns = namespace();
      const linking = note('to b', { key: 'a.md', metadata: { links: [{ target: 'b' }] } });
      await write(store, ns, linking, note('c', { key: 'c.md' }));
      expect(await stale(ns)).toEqual([]);
      await write(store, ns, note('b', { key: 'b.md' }));
      const [first] = await stale(ns);
      expect(first).toEqual({ record: 1, since: 3 });
      expect(await store.graph.state(ns)).toMatchObject({ stale: 1 });
      await commit(store, ns, { evictions: [3] });
      // The mark that was read before is older.
      await commit(store, ns, update({ settled: [first!] }));
      const again = await stale(ns);
      expect(again).toMatchObject([{ record: 1 }]);
      await commit(store, ns, update({ settled: again }));
      expect(await stale(ns)).toEqual([]);
      // Deleted records are in no list.
      await write(store, ns, note('b', { key: 'b.md' }));
      await deleteRecords(store, ns, 1);
      expect(await stale(ns)).toEqual([]);
    });

    it('names the records that share an identity, when another comes or goes', async () => {
      const ns = namespace();
      await write(store, ns, note('a', { identity: 'x' }), note('b', { identity: 'y' }));
      expect(await sharing(ns, [1, 2, 9])).toEqual([]);
      await write(store, ns, note('c', { identity: 'x' }), note('d', { identity: 'x', source: 'other' }));
      expect(await stale(ns)).toMatchObject([{ record: 1 }]);
      expect(await sharing(ns, [4, 3, 2, 1])).toEqual([3, 1]);
      const nodes = new Map(
        [1, 3].map((id) => [id, { nodes: [node(id, { sharesIdentity: true })], edges: [] }]),
      );
      await commit(store, ns, update({ records: nodes, settled: await stale(ns) }));
      await commit(store, ns, { evictions: [1] });
      expect(await stale(ns)).toMatchObject([{ record: 3 }]);
      expect(await sharing(ns, [3])).toEqual([]);
    });

    it('is discarded with the other derived data', async () => {
      const ns = await filled();
      await store.admin.resetDerived(ns, { text: false, vectors: false });
      expect([await nodesOf(ns), await edgesOf(ns)]).toEqual([[], []]);
      expect(await store.graph.state(ns)).toMatchObject({ upTo: 0, rules: '' });
    });

    it('belongs to its namespace', async () => {
      const [ours, theirs] = [await filled(), await filled()];
      const before = [await store.graph.nodes(ours, { page: ALL }), await store.graph.edges(ours, {}, ALL)];
      await commit(
        store,
        theirs,
        update({ records: new Map([[1, { nodes: [node(1, { title: 'Theirs' })], edges: [edge(1, 1)] }]]) }),
      );
      await commit(store, theirs, { evictions: [2, 3] });
      await store.admin.resetDerived(theirs, { text: true, vectors: true });
      expect([await store.graph.nodes(ours, { page: ALL }), await store.graph.edges(ours, {}, ALL)]).toEqual(
        before,
      );
      const degrees = async (ns: string): Promise<readonly NodeDegree[]> =>
        (await store.graph.neighbours(ns, around('n_1'))).degrees;
      expect(await degrees(theirs)).toEqual([]);
      expect(await degrees(ours)).toEqual([{ id: 'n_1', record: 1, out: 3, in: 0 }]);
      expect(await nodesOf(theirs)).toEqual([]);
    });
  });
}
