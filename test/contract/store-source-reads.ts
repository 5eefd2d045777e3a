import { describe, expect, it } from 'vitest';
import type { Subject } from './store-contract.ts';
import { NOW } from './store-samples.ts';

export function describeSourceReads({ store, namespace }: Subject): void {
  describe('the last read of a source', () => {
    it('is the latest that was noted in its namespace, until it is forgotten', async () => {
      const [mine, theirs] = [namespace(), namespace()];
      expect(await store().lastReads(mine)).toEqual(new Map());
      const last = { at: NOW + 1, root: '/home/ada/notes' };
      const unplaced = { at: NOW, root: null };
      await store().markRead(mine, 'notes', { at: NOW, root: '/former/notes' });
      await store().markRead(mine, 'notes', last);
      await store().markRead(mine, 'work', unplaced);
      await store().markRead(theirs, 'notes', { at: 7, root: '/theirs' });
      expect(Object.fromEntries(await store().lastReads(mine))).toEqual({ notes: last, work: unplaced });
      await store().markRead(mine, 'work', null);
      await store().markRead(mine, 'never', null);
      expect([...(await store().lastReads(mine))]).toEqual([['notes', last]]);
      expect(await store().namespaces()).not.toContain(mine);
    });
  });
}
