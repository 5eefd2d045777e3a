import { describe, expect, it } from 'vitest';
import type { Subject } from './store-contract.ts';
import { NOW } from './store-samples.ts';

export function describeSourceReads({ store, namespace }: Subject): void {
  describe('the last read of a source', () => {
    it('is the latest that was noted in its namespace, until it is forgotten', async () => {
      const [mine, theirs] = [namespace(), namespace()];
      expect(await store().lastReads(mine)).toEqual(new Map());
      await store().markRead(mine, 'notes', NOW);
      await store().markRead(mine, 'notes', NOW + 1);
      await store().markRead(mine, 'work', NOW);
      await store().markRead(theirs, 'notes', 7);
      expect(Object.fromEntries(await store().lastReads(mine))).toEqual({ notes: NOW + 1, work: NOW });
      await store().markRead(mine, 'work', null);
      await store().markRead(mine, 'never', null);
      expect([...(await store().lastReads(mine))]).toEqual([['notes', NOW + 1]]);
      expect(await store().namespaces()).not.toContain(mine);
    });
  });
}
