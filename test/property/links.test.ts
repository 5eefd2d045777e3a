import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LociError } from '../../src/core/errors.ts';
import { TaskThread } from '../../src/core/threads/task-thread.ts';
import { deriveGraph } from '../../src/graph/build/derive.ts';
import type { CommitBatch, RecordDraft } from '../../src/store/model.ts';
import type { Store } from '../../src/store/store.ts';
import { openSqliteInMemory } from '../contract/sqlite-in-memory.ts';
import { draft, NOW } from '../contract/store-samples.ts';
import { ALL, purgeRequest, purge } from '../contract/written-samples.ts';
import { repetitions } from '../repetitions.ts';
import { openOracle, type Oracle } from '../oracle/oracle.ts';

const NAMESPACE = 'ada';
const THREAD = new TaskThread().ownedBy('links');
/** The ids of all records that a history can write. */
const IDS = Array.from({ length: 24 }, (_, i) => i + 1);

const part = fc.constantFrom('a', 'B', 'b', 'note', 'ü');
const path = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
const key = fc.tuple(path, fc.constantFrom('', '.md', '.markdown')).map((parts) => parts.join(''));
const target = fc
  .tuple(fc.constantFrom('', './', '../', '/'), key, fc.constantFrom('', '#h'))
  .map((parts) => parts.join(''));
const id = fc.constantFrom(...IDS.slice(0, 8));

const fields: fc.Arbitrary<Partial<RecordDraft>> = fc
  .record<Partial<RecordDraft>>({
    origin: fc.constantFrom('vault' as const, 'vault' as const, 'source' as const, 'memory' as const),
    source: fc.constantFrom('notes', 'notes', 'work'),
    key: fc.option(fc.oneof({ weight: 8, arbitrary: key }, { weight: 1, arbitrary: fc.constant('') }), {
      freq: 8,
    }),
    identity: fc.option(fc.constantFrom('x', 'y'), { freq: 2 }),
    tags: fc.subarray(['a', 'b/c']),
    metadata: fc
      .array(fc.record({ target, embed: fc.boolean() }), { maxLength: 4 })
      .map((links) => ({ links })),
  })
  // Only documents have an identity.
  .map((values) => (values.origin === 'memory' ? { ...values, identity: null } : values));

const batch: fc.Arbitrary<CommitBatch> = fc.oneof(
  fields.map((values) => ({ writes: [{ id: null, draft: draft(values), passages: [] }] })),
  fc
    .tuple(fields, id)
    .map(([values, replaced]) => ({ writes: [{ id: replaced, draft: draft(values), passages: [] }] })),
  id.map((evicted) => ({ evictions: [evicted] })),
  id.map((deleted) => ({ deletions: [{ id: deleted, at: NOW }] })),
  id.map((restored) => ({ restorations: [{ id: restored, at: NOW, passages: [] }] })),
  fc.tuple(fields, fc.option(id), fc.constantFrom(null, NOW)).map(([values, replaces, deletedAt]) => ({
    imports: [{ replaces, preferredId: null, draft: draft(values), deletedAt, passages: [] }],
  })),
);

type Step = CommitBatch | 'derive' | 'purge' | 'reset';

/** One batch, three batches in one transaction, a derivation of the graph, a purge or a reset of derived data. */
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: batch },
  {
    weight: 2,
    arbitrary: fc.tuple(batch, batch, batch).map((all) => ({
      writes: all.flatMap(({ writes = [] }) => writes),
      evictions: all.flatMap(({ evictions = [] }) => evictions),
      deletions: all.flatMap(({ deletions = [] }) => deletions),
      imports: all.flatMap(({ imports = [] }) => imports),
    })),
  },
  { weight: 2, arbitrary: fc.constant('derive' as const) },
  { weight: 1, arbitrary: fc.constant('purge' as const) },
  { weight: 1, arbitrary: fc.constant('reset' as const) },
);

/** Documents that link to each other, from which a graph is derived; later steps change what these links mean. */
const history = fc
  .tuple(
    fc.uniqueArray(fields, {
      minLength: 5,
      maxLength: 10,
      selector: ({ source, key }) => `${source} ${key}`,
    }),
    fc.array(step, { minLength: 4, maxLength: 16, size: 'max' }),
  )
  .map(([documents, steps]): Step[] => [
    { writes: documents.map((values) => ({ id: null, draft: draft(values), passages: [] })) },
    'derive',
    ...steps,
  ]);

async function applyStep({ records, admin }: Oracle, step: Step): Promise<unknown> {
  try {
    if (step === 'derive') return null;
    if (step === 'purge') return await purge(records, NAMESPACE, purgeRequest());
    if (step === 'reset') {
      await admin.resetDerived(NAMESPACE, { text: true, vectors: false });
      return null;
    }
    return await records.commit(NAMESPACE, step);
  } catch (error) {
    return error instanceof LociError ? error.code : error;
  }
}

async function observe({ records }: Oracle): Promise<unknown> {
  return {
    from: await records.links(NAMESPACE, { from: IDS }, ALL),
    to: await Promise.all(IDS.map((to) => records.links(NAMESPACE, { to: [to] }, ALL))),
    unresolved: await records.links(NAMESPACE, { unresolved: true }, ALL),
    page: await records.links(NAMESPACE, { to: IDS }, { after: { record: 2, position: 1 }, limit: 3 }),
  };
}

/** Brings the graph up to date and returns all of it. */
async function derivedGraph(store: Store): Promise<unknown> {
  await deriveGraph({ store, namespace: NAMESPACE, now: NOW, thread: THREAD, types: {} });
  return {
    nodes: await store.graph.nodes(NAMESPACE, { page: ALL }),
    edges: await store.graph.edges(NAMESPACE, {}, ALL),
    waiting: (await store.graph.state(NAMESPACE, 1)).waiting.records,
  };
}

/** Derives the ids of live records from the change feed alone. */
class Follower {
  readonly live = new Set<number>();
  #after: number | null = null;

  async follow({ records }: Store): Promise<void> {
    for (;;) {
      const { changes, mustRestart } = await records.changes(NAMESPACE, { after: this.#after, limit: 2 });
      expect(mustRestart).toBe(false);
      if (changes.length === 0) return;
      for (const { sequence, record, kind } of changes) {
        if (kind === 'written') this.live.add(record);
        else this.live.delete(record);
        this.#after = sequence;
      }
    }
  }
}

describe('after any history of writes, renames, deletions and restorations', () => {
  it('links are equal to those of the oracle, the graph to one derived at once, and the change feed leads to the live records', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const [store, oracle, follower] = [openSqliteInMemory(), openOracle(), new Follower()];
        for (const each of steps) {
          expect(await applyStep(store, each)).toEqual(await applyStep(oracle, each));
          if (each === 'derive') await derivedGraph(store);
          expect(await observe(store)).toEqual(await observe(oracle));
          await follower.follow(store);
          const live = await store.records.list(NAMESPACE, { scan: 'undeleted' }, ALL);
          expect([...follower.live].sort((a, b) => a - b)).toEqual(live.map((record) => record.id));
        }
        expect(await store.admin.verify(NAMESPACE)).toEqual([]);
        const followed = await derivedGraph(store);
        await store.admin.resetDerived(NAMESPACE, { text: false, vectors: false });
        expect(await derivedGraph(store)).toEqual(followed);
        await store.close();
      }),
      { numRuns: repetitions(60, 600) },
    );
  });
});
