import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import { describe, expect, it } from 'vitest';
import type { SourceState } from '../../src/store/admin-model.ts';
import { hitChanges, sourceStateChange, sourceStates } from '../../src/store/items/source-state.ts';
import type { StoreFixture } from './store-contract.ts';
import { NOW } from './store-samples.ts';

/** The state of a source before its first refresh. */
const NEVER_REFRESHED: SourceState = {
  root: null,
  readAt: null,
  settings: null,
  triedAt: null,
  tookMs: null,
  nextAt: null,
  refreshes: 0,
  consecutiveFailures: 0,
  totalFailures: 0,
  recentRuns: [],
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

/** A state in which every field has a different value. */
const ALL_STATE_FIELDS: SourceState = {
  root: '/home/ada/notes',
  readAt: NOW,
  settings: 'plugins.entries.memory-loci.config',
  triedAt: NOW + 1,
  tookMs: 12,
  nextAt: NOW + 2,
  refreshes: 3,
  consecutiveFailures: 4,
  totalFailures: 5,
  recentRuns: [{ at: NOW + 1, tookMs: 12, failed: true }],
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
  const changeState = async (
    ns: string,
    source: string,
    change: Partial<SourceState> | null,
  ): Promise<void> => {
    await store().records.commit(ns, { items: [sourceStateChange(source, change)] });
  };
  const statesOf = async (ns: string): Promise<Record<string, SourceState>> =>
    Object.fromEntries(await sourceStates(store().records, ns));

  describe('the state of a source', () => {
    it('has all changes made in its namespace until it is removed', async () => {
      const [ours, theirs] = [namespace(), namespace()];
      expect(await sourceStates(store().records, ours)).toEqual(new Map());
      await changeState(ours, 'work', {});
      await changeState(ours, 'notes', ALL_STATE_FIELDS);
      await changeState(theirs, 'notes', { root: '/theirs', readAt: 7 });
      expect(await statesOf(ours)).toEqual({ notes: ALL_STATE_FIELDS, work: NEVER_REFRESHED });
      expect([...(await sourceStates(store().records, ours)).keys()]).toEqual(['notes', 'work']);
      await changeState(ours, 'notes', { error: null, paused: false, problems: [], readAt: 1 });
      const notes = { ...ALL_STATE_FIELDS, error: null, paused: false, problems: [], readAt: 1 };
      expect(await statesOf(ours)).toEqual({ notes, work: NEVER_REFRESHED });
      await changeState(ours, 'work', null);
      await changeState(ours, 'never', null);
      await changeState(namespace(), 'notes', null);
      expect(await statesOf(ours)).toEqual({ notes });
      expect(await statesOf(theirs)).toEqual({ notes: { ...NEVER_REFRESHED, root: '/theirs', readAt: 7 } });
      await changeState(ours, 'work', { hits: 1 });
      expect((await statesOf(ours))['work']).toEqual({ ...NEVER_REFRESHED, hits: 1 });
      expect(await store().admin.namespaces(ADMIN_NAMESPACE)).not.toContain(ours);
    });

    it('keeps twenty problems of at most 300 characters, and never splits a character', async () => {
      const ns = namespace();
      const problems = Array.from({ length: 30 }, (_, i) => `${String(i % 10)}${'x'.repeat(298)}\u{1F600}`);
      await changeState(ns, 'todos', { problems, error: 'half \ud800' });
      const { todos } = await statesOf(ns);
      const kept = problems.slice(0, 20).map((problem) => `${problem.slice(0, 299)}\uFFFD`);
      expect(todos).toEqual({ ...NEVER_REFRESHED, problems: kept, error: 'half \uFFFD' });
    });

    it('is unchanged after a change with a number that is not whole', async () => {
      const ns = namespace();
      await changeState(ns, 'todos', ALL_STATE_FIELDS);
      for (const change of [{ readAt: 0.5 }, { nextAt: Number.NaN }, { tookMs: 1.5 }, { hits: Infinity }]) {
        await expect(changeState(ns, 'todos', { error: 'new', ...change })).rejects.toMatchObject({
          code: 'invalid_input',
        });
      }
      expect(await statesOf(ns)).toEqual({ todos: ALL_STATE_FIELDS });
    });

    it('counts hits only of sources that have a state', async () => {
      const [ns, other] = [namespace(), namespace()];
      for (const source of ['a', 'b']) await changeState(ns, source, ALL_STATE_FIELDS);
      await changeState(other, 'a', ALL_STATE_FIELDS);
      const hits = new Map([
        ['a', 2],
        ['unknown', 9],
      ]);
      await Promise.all([
        store().records.commit(ns, { items: hitChanges(hits, NOW + 8) }),
        store().records.commit(ns, { items: hitChanges(hits, NOW + 8) }),
      ]);
      await store().records.commit(ns, { items: hitChanges(new Map(), NOW + 9) });
      await store().records.commit(namespace(), { items: hitChanges(hits, NOW + 9) });
      expect(await statesOf(ns)).toEqual({
        a: { ...ALL_STATE_FIELDS, hits: 11, hitAt: NOW + 8 },
        b: ALL_STATE_FIELDS,
      });
      expect(await statesOf(other)).toEqual({ a: ALL_STATE_FIELDS });
    });

    it('is returned as a copy', async () => {
      const ns = namespace();
      const problems = ['one'];
      await changeState(ns, 'todos', { problems });
      problems.push('two');
      ((await statesOf(ns))['todos']!.problems as string[]).push('three');
      expect((await statesOf(ns))['todos']!.problems).toEqual(['one']);
    });
  });
}
