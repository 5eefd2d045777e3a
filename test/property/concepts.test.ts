import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TaskThread } from '../../src/core/threads/task-thread.ts';
import {
  type ConceptOptions,
  deriveConcepts,
  isConceptsCurrent,
} from '../../src/graph/concepts/derive-concepts.ts';
import { deriveGraph } from '../../src/graph/build/derive.ts';
import { ConceptGraph } from '../../src/graph/concepts/concept-graph.ts';
import { compare } from '../../src/graph/model.ts';
import type { GraphEdge } from '../../src/store/graph-model.ts';
import type { RecordDraft } from '../../src/store/model.ts';
import type { Store } from '../../src/store/store.ts';
import { openSqliteInMemory } from '../contract/sqlite-in-memory.ts';
import { draft, NOW, passage } from '../contract/store-samples.ts';
import { commit } from '../contract/written-samples.ts';
import { repetitions } from '../repetitions.ts';

const NAMES = ['Oven', 'New Oven', 'Stove', 'Miller Brothers', '厨房装修', '装修', 'Backofen'];
const name = fc.constantFrom(...NAMES);

const fields = fc.record({
  title: name,
  metadata: fc.uniqueArray(name, { maxLength: 2 }).map((aliases) => ({ aliases })),
  tags: fc.subarray(['oven', 'kitchen/stove', 'tiles']),
  project: fc.constantFrom('default', 'default', 'other'),
  content: fc
    .array(
      fc.oneof(
        name,
        fc.constantFrom('the', 'and “Slow Heat”', 'we met Ada Lovelace', '我们的', '.', '\n\n', '[[Oven]]'),
      ),
      {
        maxLength: 8,
      },
    )
    .map((parts) => parts.join(' ')),
});

type Step =
  | { readonly kind: 'write'; readonly record: number; readonly fields: Partial<RecordDraft> }
  | { readonly kind: 'delete'; readonly record: number }
  | { readonly kind: 'derive' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      record: fc.integer({ min: 1, max: 9 }),
      fields,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('delete' as const), record: fc.integer({ min: 1, max: 9 }) }),
  },
  { weight: 3, arbitrary: fc.constant({ kind: 'derive' as const }) },
);

const THREAD = new TaskThread().ownedBy('concepts');

/** Applies steps to one namespace of a store. */
class ConceptHistory {
  readonly store: Store;
  readonly options: ConceptOptions;

  constructor(store: Store, namespace: string) {
    this.store = store;
    this.options = { store, namespace, now: NOW, thread: THREAD };
  }

  async run(next: Step): Promise<void> {
    const { namespace } = this.options;
    switch (next.kind) {
      case 'write': {
        const [existing] = await this.store.records.get(namespace, [next.record], { liveAt: NOW });
        const content = next.fields.content ?? '';
        const identity = existing === undefined ? {} : { uuid: existing.uuid, key: existing.key };
        const passages = content.split('\n\n').map((text, ordinal) => passage(text, { ordinal, startLine: 2 * ordinal + 1, endLine: 2 * ordinal + 1 })); // prettier-ignore
        const write = { id: existing?.id ?? null, draft: draft({ ...next.fields, ...identity }), passages };
        await commit(this.store, namespace, { writes: [write] });
        return;
      }
      case 'delete': {
        const [existing] = await this.store.records.get(namespace, [next.record], { liveAt: NOW });
        if (existing === undefined) return;
        await commit(this.store, namespace, { deletions: [{ id: existing.id, at: NOW }] });
        return;
      }
      case 'derive':
        return deriveConcepts(this.options);
    }
  }

  /** Everything that is derived. */
  async observe(): Promise<unknown> {
    const { namespace } = this.options;
    const ids = Array.from({ length: 100 }, (_, i) => i + 1);
    await deriveGraph({ ...this.options, store: this.store, types: {} });
    const graph = new ConceptGraph(this.store);
    return {
      concepts: await this.store.graph.recordConcepts(namespace, ids),
      edges: await graph.edges(namespace, {}, { after: null, limit: 1000 }),
      nodes: await graph.nodes(namespace, { page: { after: null, limit: 1000 } }),
    };
  }

  /** All edges, read by pages of this size; from the nodes where they begin; and from those to which they lead. */
  async edges(limit: number): Promise<readonly (readonly GraphEdge[])[]> {
    const { namespace } = this.options;
    const graph = new ConceptGraph(this.store);
    const paged: GraphEdge[] = [];
    for (let after: GraphEdge | null = null; ;) {
      const page: GraphEdge[] = await graph.edges(namespace, {}, { after, limit });
      paged.push(...page);
      after = page.at(-1) ?? null;
      if (after === null) break;
    }
    const nodes = await graph.nodes(namespace, { page: { after: null, limit: 1000 } });
    const request = { limit: 1000, crossProjectTypes: [], filter: {} };
    const around: GraphEdge[][] = [];
    const found = await graph.neighbours(namespace, nodes, request);
    // The edges of concepts are the last.
    const isOfConcept = ({ type }: GraphEdge): number => Number(type === 'mentions');
    for (const direction of ['out', 'in'] as const) {
      const sorted = found[direction].toSorted(
        (a, b) =>
          isOfConcept(a) - isOfConcept(b) ||
          compare(a.src, b.src) ||
          compare(a.type, b.type) ||
          compare(a.dst, b.dst),
      );
      around.push(sorted);
    }
    const { edges } = await graph.counts(namespace, {});
    const counted = edges.map(({ type, edges: count }) => [type, count]);
    const types = Map.groupBy(paged, ({ type }) => type);
    expect(counted).toEqual([...types].map(([type, each]) => [type, each.length]).sort());
    for (const end of ['out', 'in'] as const)
      expect(found.degrees.reduce((sum, each) => sum + each[end], 0)).toBe(paged.length);
    return [paged, ...around];
  }
}

describe('concepts', () => {
  it('are the same whether they followed the changes or were derived at once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
        await using store = closing(openSqliteInMemory());
        const history = new ConceptHistory(store.store, 'ns');
        for (const next of steps) await history.run(next);
        await history.run({ kind: 'derive' });
        expect(isConceptsCurrent(await store.store.graph.state('ns'))).toBe(true);
        const followed = await history.observe();
        const progress = { upTo: 0, rules: '' };
        await commit(store.store, 'ns', { concepts: { progress } });
        await history.run({ kind: 'derive' });
        expect(followed).toEqual(await history.observe());
        const [paged, out, into] = await history.edges(3);
        expect(out).toEqual(paged);
        expect(into).toEqual(paged);
      }),
      { numRuns: repetitions(60, 500) },
    );
  }, 300_000);
});

function closing(store: Store): { store: Store } & AsyncDisposable {
  return { store, [Symbol.asyncDispose]: () => store.close() };
}
