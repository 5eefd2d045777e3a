import { describe, expect, it } from 'vitest';
import type { ExportedEdge, ExportedGraph, ExportedNode } from '../export-schema.ts';
import { forceSteps } from '../layout/force-steps.ts';
import { apart, viewExport } from './viewer-graph.ts';

const inline = {
  move: async (...parameters: Parameters<typeof forceSteps>) => forceSteps(...parameters),
  yieldToEventLoop: async () => undefined,
};

function node(id: string, fields: Partial<ExportedNode> = {}): ExportedNode {
  const provenance = { node: id, record: `Home:${id}.md`, lines: null, hash: 'a' };
  const rest = { l0_abstract: null, l1_summary_ref: null, tags: [], task: null, provenance };
  return { id, type: 'note', title: id, project: 'default', ...rest, ...fields };
}

function edge(src: string, dst: string, fields: Partial<ExportedEdge> = {}): ExportedEdge {
  const provenance = { node: src, record: `Home:${src}.md`, lines: { first: 3, last: 4 }, hash: 'a' };
  return { src, dst, type: 'links_to', weight: 0.5, reason: 'linked', provenance, ...fields };
}

const graph = (nodes: ExportedNode[], edges: ExportedEdge[]): ExportedGraph => ({
  version: 1,
  project: null,
  nodes,
  edges,
});

describe('the graph of an export', () => {
  it('has positions, degrees and places, whatever the order in the file', async () => {
    const [a, b, c] = [node('a'), node('b'), node('c')];
    const view = await viewExport(graph([a, b, c], [edge('a', 'b'), edge('b', 'gone')]), null, inline);
    expect(view.nodes.map(({ id, degree, change }) => [id, degree, change])).toEqual([['a', 1, undefined], ['b', 1, undefined], ['c', 0, undefined]]); // prettier-ignore
    expect(view.edges).toMatchObject([{ src: 0, dst: 1, place: 'Home:a.md#L3-L4' }]);
    expect(await viewExport(graph([c, b, a], [edge('a', 'b')]), null, inline)).toEqual(view);
  });

  it('has what was added, removed and changed since an earlier one', async () => {
    const before = graph([node('a'), node('b'), node('c')], [edge('a', 'b'), edge('a', 'c')]);
    const after = graph(
      [node('a', { title: 'A' }), node('b'), node('d')],
      [edge('a', 'b', { weight: 1 }), edge('a', 'd')],
    );
    const view = await viewExport(after, before, inline);
    expect(view.nodes.map(({ id, change, fields }) => [id, change, fields])).toEqual([
      ['a', 'changed', ['title']],
      ['b', undefined, undefined],
      ['c', 'removed', undefined],
      ['d', 'added', undefined],
    ]);
    const ends = view.edges.map(
      ({ src, dst, change }) => `${view.nodes[src]!.id}${view.nodes[dst]!.id} ${String(change)}`,
    );
    expect(ends).toEqual(['ab changed', 'ac removed', 'ad added']);
    expect(view.nodes.every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y))).toBe(true);
  });

  it('draws no label on another', () => {
    const box = (left: number, top: number) => ({ left, top, width: 100, height: 16 });
    const [first, on, beside, below] = [box(0, 0), box(90, 10), box(100, 0), box(50, 16)];
    expect(apart([first, on, beside, below])).toEqual([first, beside, below]);
    expect(apart([on, first, beside])).toEqual([on]);
  });
});
