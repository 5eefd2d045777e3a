import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LociError } from '../../src/core/errors.ts';
import type { GraphUpdate, NodeDraft, RecordGraph } from '../../src/store/graph-model.ts';
import { recordNode } from '../../src/store/graph-model.ts';
import type { CommitBatch, RecordDraft } from '../../src/store/model.ts';
import type { Store } from '../../src/store/store.ts';
import { openSqliteInMemory } from '../contract/sqlite-in-memory.ts';
import { draft, NOW } from '../contract/store-samples.ts';
import { ALL, purgeRequest } from '../contract/written-samples.ts';
import { openOracle, type Oracle } from '../oracle/oracle.ts';

const NAMESPACE = 'ada';
/** The ids of all records that a history can write. */
const IDS = Array.from({ length: 24 }, (_, i) => i + 1);

const part = fc.constantFrom('a', 'B', 'b', 'note', 'ü');
const path = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
const key = fc.tuple(path, fc.constantFrom('', '.md', '.markdown')).map((parts) => parts.join(''));
const target = fc
  .tuple(fc.constantFrom('', './', '../', '/'), key, fc.constantFrom('', '#h'))
  .map((parts) => parts.join(''));
const id = fc.constantFrom(...IDS.slice(0, 8));

const fields: fc.Arbitrary<Partial<RecordDraft>> = fc.record<Partial<RecordDraft>>({
  origin: fc.constantFrom('vault' as const, 'vault' as const, 'source' as const, 'memory' as const),
  source: fc.constantFrom('notes', 'notes', 'work'),
  key: fc.option(fc.oneof({ weight: 8, arbitrary: key }, { weight: 1, arbitrary: fc.constant('') }), {
    freq: 8,
  }),
  identity: fc.option(fc.constantFrom('x', 'y'), { freq: 2 }),
  metadata: fc
    .array(fc.record({ target, embed: fc.boolean() }), { maxLength: 4 })
    .map((links) => ({ links })),
});

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

const shared = fc.constantFrom('p_1', 'c_1');
const endpoint = fc.oneof(
  id.map(recordNode),
  id.map((record) => `${recordNode(record)}/t`),
  shared,
);
const place = { passage: null, lines: null, hash: 'h' };

function nodeDraft(key: string, record: number | null, sharesIdentity: boolean): NodeDraft {
  const type = record === null ? 'concept' : 'note';
  const provenance = record === null ? null : { ...place, record };
  const named = { key, id: `n_${key}`, type, title: key, project: 'p', tags: [] } as const;
  return {
    ...named,
    record,
    source: record === null ? null : 'notes',
    sharesIdentity,
    task: null,
    provenance,
  };
}

/** What some records contribute to a graph. */
const graph: fc.Arbitrary<GraphUpdate> = fc.record({
  lane: fc.constantFrom('text' as const, 'documents' as const),
  records: fc
    .array(
      fc.tuple(
        id,
        fc.boolean(),
        fc.boolean(),
        fc.array(fc.tuple(endpoint, fc.constantFrom('links_to' as const, 'tagged' as const)), {
          maxLength: 3,
        }),
      ),
      { maxLength: 4 },
    )
    .map((all) =>
      all.map(([record, sharesIdentity, hasTask, targets]): [number, RecordGraph] => {
        const key = recordNode(record);
        const nodes = [nodeDraft(key, record, sharesIdentity)];
        if (hasTask) nodes.push(nodeDraft(`${key}/t`, record, false));
        const edges = targets.map(([dst, type]) => ({
          src: key,
          dst,
          type,
          weight: 1,
          reason: 'r',
          provenance: { ...place, record },
        }));
        return [record, { nodes, edges }];
      }),
    )
    .map((entries) => new Map(entries)),
  shared: fc.uniqueArray(shared).map((keys) => keys.map((each) => nodeDraft(each, null, false))),
});

/** One batch, three batches in one transaction, a purge or a reset of derived data. */
const step = fc.oneof(
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
  { weight: 3, arbitrary: graph.map((update) => ({ graph: update })) },
  { weight: 1, arbitrary: fc.constant('settle' as const) },
  { weight: 1, arbitrary: fc.constant('purge' as const) },
  { weight: 1, arbitrary: fc.constant('reset' as const) },
);

async function applyStep(
  { records, admin, graph }: Oracle,
  step: CommitBatch | 'settle' | 'purge' | 'reset',
): Promise<unknown> {
  try {
    if (step === 'purge') return await records.purge(NAMESPACE, purgeRequest());
    if (step === 'reset') {
      await admin.resetDerived(NAMESPACE, { drop: true, vectors: false });
      return null;
    }
    if (step === 'settle') {
      const settled = await graph.stale(NAMESPACE, 2);
      return await records.commit(NAMESPACE, {
        graph: { lane: 'text', records: new Map(), shared: [], settled },
      });
    }
    return await records.commit(NAMESPACE, step);
  } catch (error) {
    return error instanceof LociError ? error.code : error;
  }
}

async function observe({ records, graph }: Oracle): Promise<unknown> {
  const nodes = await graph.pageNodes(NAMESPACE, {}, ALL);
  const ids = nodes.map((each) => each.id);
  const request = { of: ids, limit: 2, crossProjectTypes: [], filter: {} };
  return {
    nodes,
    edges: await graph.pageEdges(NAMESPACE, {}, ALL),
    counts: await graph.counts(NAMESPACE, {}),
    degrees: await graph.degrees(NAMESPACE, ids),
    neighbours: [
      await graph.neighbours(NAMESPACE, { ...request, direction: 'out' }),
      await graph.neighbours(NAMESPACE, { ...request, direction: 'in' }),
    ],
    contributions: await graph.contributions(NAMESPACE, 'text', IDS),
    // Stores may number several changes of a record in one commit differently.
    stale: (await graph.stale(NAMESPACE, 100)).map(({ record }) => record),
    sharing: await graph.sharingIdentity(NAMESPACE, IDS),
    from: await records.links(NAMESPACE, { from: IDS }, ALL),
    to: await Promise.all(IDS.map((to) => records.links(NAMESPACE, { to: [to] }, ALL))),
    unresolved: await records.links(NAMESPACE, { unresolved: true }, ALL),
    page: await records.links(NAMESPACE, { to: IDS }, { after: { record: 2, position: 1 }, limit: 3 }),
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
  it('links and graph are equal to those of the oracle, and the change feed leads to the live records', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 16, size: 'max' }), async (history) => {
        const [store, oracle, follower] = [openSqliteInMemory(), openOracle(), new Follower()];
        for (const each of history) {
          expect(await applyStep(store, each)).toEqual(await applyStep(oracle, each));
          expect(await observe(store)).toEqual(await observe(oracle));
          await follower.follow(store);
          const live = await store.records.list(NAMESPACE, { scan: 'undeleted' }, ALL);
          expect([...follower.live].sort((a, b) => a - b)).toEqual(live.map((record) => record.id));
        }
        expect(await store.admin.verify(NAMESPACE)).toEqual([]);
        await store.close();
      }),
      { numRuns: 60 },
    );
  });
});
