import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { matchingRecords, NOW, verifyStore } from '../contract/store-samples.ts';
import { openSqlite, scratchFolder, startChild, type Child, type Line } from './store-processes.ts';
import { repetitions } from '../repetitions.ts';

const KILLS = repetitions(4, 8);
const NAMESPACE = 'n';

/** The expected content of the store, from the calls that it confirmed before the kill. */
interface Confirmed {
  /** Word of each batch → ids of its four records. */
  readonly batches: Map<string, number[]>;
  readonly evicted: Set<number>;
  readonly replaced: Set<number>;
  /** Records of the interrupted call: both states are valid. */
  readonly uncertain: Set<number>;
}

function confirmedBy(children: readonly Child[]): Confirmed {
  const confirmed: Confirmed = {
    batches: new Map(),
    evicted: new Set(),
    replaced: new Set(),
    uncertain: new Set(),
  };
  for (const { lines } of children) {
    let begun: Line['begin'] = {};
    for (const { begin, word, written, evicted } of lines) {
      if (begin !== undefined) begun = begin;
      if (word !== undefined && written !== undefined) {
        confirmed.batches.set(word, written);
        const { replaced, ...next } = begun;
        if (replaced !== undefined) confirmed.replaced.add(replaced);
        begun = next;
      }
      if (evicted !== undefined) {
        confirmed.evicted.add(evicted);
        begun = {};
      }
    }
    for (const id of Object.values(begun)) confirmed.uncertain.add(id);
  }
  return confirmed;
}

async function expectConfirmed(
  store: Store,
  { batches, evicted, replaced, uncertain }: Confirmed,
): Promise<void> {
  for (const [word, ids] of batches) {
    const certain = ids.filter((id) => !uncertain.has(id));
    const expected = certain.filter((id) => !evicted.has(id));
    const records = await store.records.get(NAMESPACE, certain, { liveAt: NOW });
    expect(records.map(({ id }) => id)).toEqual(expected);
    const hits = (await matchingRecords(store, NAMESPACE, word)).filter((id) => !uncertain.has(id));
    // A record that a later batch replaced has the word of that batch. The last id is the one that this batch replaced.
    const expectedHits = expected.filter((id) => !replaced.has(id) || id === ids.at(-1));
    expect(new Set(hits)).toEqual(new Set(expectedHits));
  }
}

describe('a store whose writer is killed', () => {
  it('contains every confirmed write and only whole batches, and has no faults', async () => {
    using folder = scratchFolder();
    const path = join(folder.path, 'store.db');
    const children: Child[] = [];
    let batchCount = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const after = 2 + Math.floor(Math.random() * 12);
      const child = startChild(path, NAMESPACE, 'write', (lines) => {
        // Kills at any moment of the next commits, not only right after a printed line.
        if (lines === after) setTimeout(() => child.process.kill('SIGKILL'), Math.random() * 30);
      });
      children.push(child);
      expect(await child.ended).toEqual({ code: null, errors: '' });

      const store = await openSqlite(path);
      expect(await verifyStore(store)).toEqual([]);
      const confirmed = confirmedBy(children);
      expect(confirmed.batches.size).toBeGreaterThanOrEqual(batchCount);
      batchCount = confirmed.batches.size;
      await expectConfirmed(store, confirmed);
      const keys = (
        await store.records.sourceEntries(NAMESPACE, 'notes', { after: null, limit: 100_000 })
      ).map(({ key }) => key);
      const batch = child.lines.findLast((line) => line.batch !== undefined)?.batch;
      if (batch !== undefined) {
        // No record of the last batch was replaced or evicted yet.
        expect([0, 4]).toContain(keys.filter((key) => key.startsWith(batch)).length);
      }
      const newIds = [...confirmed.batches.values()].flatMap((ids) => ids.slice(0, 3));
      expect(new Set(newIds).size).toBe(newIds.length);
      await store.close();
    }
    expect(batchCount).toBeGreaterThan(0);
  });
});
