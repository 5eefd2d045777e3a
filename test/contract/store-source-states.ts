import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import { describe, expect, it } from 'vitest';
import type { SourceState } from '../../src/store/admin-model.ts';
import type { StoreFixture } from './store-contract.ts';
import { NOW } from './store-samples.ts';

/** The state of a source before its first refresh. */
const UNTRIED: SourceState = {
  root: null,
  readAt: null,
  triedAt: null,
  tookMs: null,
  nextAt: null,
  refreshes: 0,
  consecutiveFailures: 0,
  totalFailures: 0,
  error: null,
  problems: [],
  consecutiveEmpty: 0,
  paused: false,
  approval: null,
  approvedAt: null,
  approvedBy: null,
  hits: 0,
  hitAt: null,
};

/** Every field has a different value. */
const FULL: SourceState = {
  root: '/home/ada/notes',
  readAt: NOW,
  triedAt: NOW + 1,
  tookMs: 12,
  nextAt: NOW + 2,
  refreshes: 3,
  consecutiveFailures: 4,
  totalFailures: 5,
  error: 'exit code 3: "no such list"',
  problems: ['document 2 (b): text is missing', "document 3: 'id' is missing"],
  consecutiveEmpty: 6,
  paused: true,
  approval: 'f'.repeat(64),
  approvedAt: NOW + 3,
  approvedBy: 'ada',
  hits: 7,
  hitAt: NOW + 4,
};

export function describeSourceStates({ store, namespace }: StoreFixture): void {
  const statesOf = async (ns: string): Promise<Record<string, SourceState>> =>
    Object.fromEntries(await store().records.sourceStates(ns));

  describe('the state of a source', () => {
    it('has all changes made in its namespace until it is removed', async () => {
      const [mine, theirs] = [namespace(), namespace()];
      expect(await store().records.sourceStates(mine)).toEqual(new Map());
      await store().records.commit(mine, { sourceState: { source: 'work', change: {} } });
      await store().records.commit(mine, { sourceState: { source: 'notes', change: FULL } });
      await store().records.commit(theirs, {
        sourceState: { source: 'notes', change: { root: '/theirs', readAt: 7 } },
      });
      expect(await statesOf(mine)).toEqual({ notes: FULL, work: UNTRIED });
      expect([...(await store().records.sourceStates(mine)).keys()]).toEqual(['notes', 'work']);
      await store().records.commit(mine, {
        sourceState: { source: 'notes', change: { error: null, paused: false, problems: [], readAt: 1 } },
      });
      const notes = { ...FULL, error: null, paused: false, problems: [], readAt: 1 };
      expect(await statesOf(mine)).toEqual({ notes, work: UNTRIED });
      await store().records.commit(mine, { sourceState: { source: 'work', change: null } });
      await store().records.commit(mine, { sourceState: { source: 'never', change: null } });
      await store().records.commit(namespace(), { sourceState: { source: 'notes', change: null } });
      expect(await statesOf(mine)).toEqual({ notes });
      expect(await statesOf(theirs)).toEqual({ notes: { ...UNTRIED, root: '/theirs', readAt: 7 } });
      await store().records.commit(mine, { sourceState: { source: 'work', change: { hits: 1 } } });
      expect((await statesOf(mine))['work']).toEqual({ ...UNTRIED, hits: 1 });
      expect(await store().admin.namespaces(ADMIN_NAMESPACE)).not.toContain(mine);
    });

    it('keeps twenty problems of at most 300 characters, and never splits a character', async () => {
      const ns = namespace();
      const problems = Array.from({ length: 30 }, (_, i) => `${String(i % 10)}${'x'.repeat(298)}\u{1F600}`);
      await store().records.commit(ns, {
        sourceState: { source: 'todos', change: { problems, error: 'half \ud800' } },
      });
      const { todos } = await statesOf(ns);
      const kept = problems.slice(0, 20).map((problem) => `${problem.slice(0, 299)}\uFFFD`);
      expect(todos).toEqual({ ...UNTRIED, problems: kept, error: 'half \uFFFD' });
    });

    it('is unchanged after a change with a number that is not whole', async () => {
      const ns = namespace();
      await store().records.commit(ns, { sourceState: { source: 'todos', change: FULL } });
      for (const change of [{ readAt: 0.5 }, { nextAt: Number.NaN }, { tookMs: 1.5 }, { hits: Infinity }]) {
        const changing = store().records.commit(ns, {
          sourceState: { source: 'todos', change: { error: 'new', ...change } },
        });
        await expect(changing).rejects.toMatchObject({ code: 'invalid_input' });
      }
      expect(await statesOf(ns)).toEqual({ todos: FULL });
    });

    it('counts hits only of sources that have a state', async () => {
      const [ns, other] = [namespace(), namespace()];
      for (const source of ['a', 'b'])
        await store().records.commit(ns, { sourceState: { source, change: FULL } });
      await store().records.commit(other, { sourceState: { source: 'a', change: FULL } });
      const hits = new Map([
        ['a', 2],
        ['nobody', 9],
      ]);
      await Promise.all([
        store().records.commit(ns, { hits: { bySource: hits, at: NOW + 8 } }),
        store().records.commit(ns, { hits: { bySource: hits, at: NOW + 8 } }),
      ]);
      await store().records.commit(ns, { hits: { bySource: new Map(), at: NOW + 9 } });
      await store().records.commit(namespace(), { hits: { bySource: hits, at: NOW + 9 } });
      expect(await statesOf(ns)).toEqual({ a: { ...FULL, hits: 11, hitAt: NOW + 8 }, b: FULL });
      expect(await statesOf(other)).toEqual({ a: FULL });
    });

    it('is returned as a copy', async () => {
      const ns = namespace();
      const problems = ['one'];
      await store().records.commit(ns, { sourceState: { source: 'todos', change: { problems } } });
      problems.push('two');
      ((await statesOf(ns))['todos']!.problems as string[]).push('three');
      expect((await statesOf(ns))['todos']!.problems).toEqual(['one']);
    });
  });
}
