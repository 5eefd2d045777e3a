import { describe, expect, it } from 'vitest';
import { note, NOW, write } from '../../test/contract/store-samples.ts';
import { openSqliteInMemory } from '../../test/contract/sqlite-in-memory.ts';
import { TaskThread } from '../core/threads/task-thread.ts';
import type { RecordWrite } from '../store/model.ts';
import type { Store } from '../store/store.ts';
import { deriveGraph } from './build/derive.ts';
import { ConceptGraph } from './concepts/concept-graph.ts';
import { type ScoredNode, expand, type ExpandedNode } from './expand.ts';
import { describePath, type WalkOptions } from './walk.ts';

const NAMESPACE = 'n';

/** A note `NAME.md` with these links, each in its own line. */
function linking(name: string, links: readonly string[]): RecordWrite {
  const text = links.map((target) => `[[${target}]]`).join('\n');
  const metadata = { links: links.map((target) => ({ target })) };
  return note(text, { title: name, key: `${name}.md`, metadata });
}

async function derived(...notes: readonly RecordWrite[]): Promise<Store> {
  const store = openSqliteInMemory();
  await write(store, NAMESPACE, ...notes);
  const thread = new TaskThread();
  await deriveGraph({ store, namespace: NAMESPACE, now: NOW, thread: thread.ownedBy('test'), types: {} });
  await thread.close();
  return store;
}

async function anchorsOf(store: Store, scores: Readonly<Record<number, number>>): Promise<ScoredNode[]> {
  const nodes = await store.graph.nodes(NAMESPACE, { records: Object.keys(scores).map(Number) });
  return nodes.map((node) => ({ node, score: scores[node.record ?? 0]! }));
}

/** Counts the calls of the store and the edges that they return. */
function counted(store: Store): { options: WalkOptions; calls: number; edges: number } {
  const count = { calls: 0, edges: 0 };
  const graph = new ConceptGraph(store);
  const options: WalkOptions = {
    graph: {
      neighbours: async (...parameters) => {
        count.calls++;
        const found = await graph.neighbours(...parameters);
        count.edges += found.out.length + found.in.length;
        return found;
      },
    },
    namespace: NAMESPACE,
    filter: {},
    crossProjectTypes: [],
  };
  return Object.assign(count, { options });
}

function summary(expanded: readonly ExpandedNode[]): string[] {
  return expanded.map(({ node, path }) => `${node.title} ${String(path.length)}`);
}

describe('expansion', () => {
  it('returns the nodes within the depth, each by its best path, whatever the order of the anchors', async () => {
    const store = await derived(
      linking('a', ['b']),
      linking('b', ['c']),
      linking('c', ['d', 'a']),
      linking('d', []),
    );
    const { options } = counted(store);
    const anchors = await anchorsOf(store, { 1: 1 });
    for (const [depth, expected] of [
      [1, ['b 1', 'c 1']],
      [2, ['b 1', 'c 1', 'd 2']],
    ] as const)
      expect(summary(await expand({ ...options, depth, limit: 9 }, anchors))).toEqual(expected);
    const [first] = await expand({ ...options, depth: 3, limit: 1 }, anchors);
    expect(describePath(first!.path)).toBe('via [[a]] → linked in line 1');
    const two = await anchorsOf(store, { 1: 0.5, 4: 1 });
    const forwards = await expand({ ...options, depth: 2, limit: 9 }, two);
    expect(await expand({ ...options, depth: 2, limit: 9 }, two.toReversed())).toEqual(forwards);
    expect(summary(forwards)).toEqual(['c 1', 'b 1']);
    // Nothing is nearer than the anchors themselves.
    for (const { score } of forwards) expect(score).toBeLessThan(1);
    await store.close();
  });

  it('is bounded, though 10,000 notes link to one, and one links to 10,000', async () => {
    const COUNT = 10_000;
    const names = Array.from({ length: COUNT }, (_, i) => `n${String(i)}`);
    const store = await derived(
      linking('hub', []),
      linking('index', names),
      ...names.map((name) => linking(name, ['hub'])),
    );
    const of = (await anchorsOf(store, { 1: 1, 2: 1 })).map(({ node }) => node.id);
    const around = { of, limit: 1, crossProjectTypes: [], filter: {} };
    expect((await store.graph.neighbours(NAMESPACE, around)).degrees).toMatchObject([
      { in: COUNT },
      { out: COUNT + 1 },
    ]);
    const fromHub = counted(store);
    const anchors = await anchorsOf(store, { 1: 1 });
    const expanded = await expand({ ...fromHub.options, depth: 3, limit: 50 }, anchors);
    expect(expanded.length).toBeGreaterThan(5);
    expect(expanded.length).toBeLessThanOrEqual(50);
    expect(fromHub.edges).toBeLessThan(200);
    expect(fromHub.calls).toBeLessThanOrEqual(3);
    // A path may end at the hub, but does not lead through it to all the others.
    const near = await expand({ ...fromHub.options, depth: 3, limit: 50 }, await anchorsOf(store, { 3: 1 }));
    expect(summary(near)).toEqual(['hub 1', 'index 1']);
    await store.close();
  });
});
