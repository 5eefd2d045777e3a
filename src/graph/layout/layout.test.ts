import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TaskThread } from '../../core/threads/task-thread.ts';
import { forceSteps } from './force-steps.ts';
import { inThread } from './layout-thread.ts';
import { type LayoutGraph, type LayoutOptions, layOut } from './layout.ts';

const inline: LayoutOptions = {
  move: async (...parameters) => forceSteps(...parameters),
  yieldToEventLoop: async () => undefined,
};

function graphOf(count: number, edges: readonly (readonly [number, number])[]): LayoutGraph {
  return {
    ids: Array.from({ length: count }, (_, i) => `n_${String(i).padStart(5, '0')}`),
    src: Uint32Array.from(edges, ([from]) => from),
    dst: Uint32Array.from(edges, ([, to]) => to),
    weight: Float32Array.from(edges, () => 0.5),
  };
}

/** Groups of ten nodes, all connected with each other, in a ring. */
function ringOfGroups(groups: number): LayoutGraph {
  const edges = Array.from({ length: groups }, (_, group) => {
    const at = (i: number): number => (group * 10 + i) % (groups * 10);
    const within = Array.from({ length: 9 }, (_, i): [number, number] => [at(0), at(i + 1)]);
    return [...within, [at(1), at(11)] as [number, number]];
  });
  return graphOf(groups * 10, edges.flat());
}

const graphs = fc.integer({ min: 1, max: 40 }).chain((count) => {
  const node = fc.nat(count - 1);
  return fc.array(fc.tuple(node, node), { maxLength: 80 }).map((edges) => graphOf(count, edges));
});

describe('a layout', () => {
  it('is the same for the same graph, and has a finite place of its own for each node', async () => {
    await fc.assert(
      fc.asyncProperty(graphs, async (graph) => {
        const { x, y } = await layOut(graph, inline);
        expect(await layOut(graph, inline)).toEqual({ x, y });
        expect([...x, ...y].every(Number.isFinite)).toBe(true);
        expect(new Set(x.map((each, i) => `${String(each)},${String(y[i])}`)).size).toBe(graph.ids.length);
      }),
      { numRuns: 25 },
    );
  });

  it('is the same in a thread as without one', async () => {
    const graph = ringOfGroups(60);
    const tasks = new TaskThread();
    expect(await layOut(graph, inThread(tasks.ownedBy('a')))).toEqual(await layOut(graph, inline));
    await tasks.close();
  });

  it('places nodes with edges between them nearer together than others', async () => {
    const graph = ringOfGroups(12);
    const { x, y } = await layOut(graph, inline);
    const distance = (a: number, b: number): number => Math.hypot(x[a]! - x[b]!, y[a]! - y[b]!);
    const pairs = graph.ids
      .flatMap((_, a) => graph.ids.map((_, b) => [a, b] as const))
      .filter(([a, b]) => a < b);
    const mean = (of: typeof pairs): number =>
      of.reduce((sum, [a, b]) => sum + distance(a, b), 0) / of.length;
    const isSameGroup = ([a, b]: readonly [number, number]): boolean =>
      Math.floor(a / 10) === Math.floor(b / 10);
    expect(mean(pairs.filter(isSameGroup)) * 2).toBeLessThan(
      mean(pairs.filter((pair) => !isSameGroup(pair))),
    );
  });

  it('moves little after a small change, and places a new node beside its neighbour', async () => {
    const graph = ringOfGroups(30);
    const before = await layOut(graph, inline);
    const former = new Map(graph.ids.map((id, i) => [id, [before.x[i]!, before.y[i]!] as const]));
    const count = graph.ids.length;
    const changed = {
      ids: [...graph.ids, 'n_new'],
      src: Uint32Array.from([...graph.src, count]),
      dst: Uint32Array.from([...graph.dst, 5]),
      weight: Float32Array.from([...graph.weight, 0.5]),
    };
    const after = await layOut(changed, { ...inline, former });
    const size = Math.max(...before.x) - Math.min(...before.x);
    const moved = graph.ids.map((_, i) => Math.hypot(after.x[i]! - before.x[i]!, after.y[i]! - before.y[i]!));
    expect(moved.reduce((sum, each) => sum + each, 0) / count).toBeLessThan(size / 20);
    expect(Math.hypot(after.x[count]! - after.x[5]!, after.y[count]! - after.y[5]!)).toBeLessThan(size / 5);
  });

  it('has a place for each of many nodes, those with most edges by forces and the others around them', async () => {
    // 5,100 nodes in a star, and 100 without edges.
    const count = 5200;
    const graph = graphOf(
      count,
      Array.from({ length: 5099 }, (_, i): [number, number] => [0, i + 1]),
    );
    const moved: number[] = [];
    let steps = 0;
    const counted: LayoutOptions = {
      ...inline,
      move: async (nodes, _edges, count) => {
        moved.push(nodes.length / 10);
        steps += count;
        return nodes;
      },
    };
    const { x, y } = await layOut(graph, counted);
    expect(new Set(moved)).toEqual(new Set([1500]));
    expect(steps).toBe(100);
    expect([...x, ...y].every(Number.isFinite)).toBe(true);
    const radius = (i: number): number => Math.hypot(x[i]!, y[i]!);
    expect(radius(count - 1)).toBeGreaterThan(radius(1));
  });
});
