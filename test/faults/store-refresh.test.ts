import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { sourceStates } from '../../src/store/items/kinds.ts';
import { NOW, verifyStore } from '../contract/store-samples.ts';
import { CYCLES, DOCUMENTS, SOURCE } from './refresh-jobs.ts';
import { openSqlite, scratchFolder, startChild, type Child } from './store-processes.ts';

const NAMESPACE = 'n';
const KILLS = 3;

/** The number of the last refresh in the store. Fails if the documents and the state of the source are not of the same refresh. */
async function roundOf(store: Store): Promise<number> {
  const state = (await sourceStates(store.records, NAMESPACE)).get(SOURCE);
  const rounds = await store.records.facet(NAMESPACE, 'category', { now: NOW });
  const round = state?.refreshes ?? 0;
  const expected = [{ value: `round ${String(round)}`, records: DOCUMENTS }];
  expect(rounds).toEqual(round === 0 ? [] : expected);
  return round;
}

it('a process that is killed during a refresh leaves all of it or nothing, the source state included', async () => {
  using folder = scratchFolder();
  const path = join(folder.path, 'store.db');
  let [durationMs, interrupted] = [1000, 0];
  for (let kill = 0; kill < KILLS; kill++) {
    let begun = 0;
    const child: Child = startChild(path, NAMESPACE, 'refresh', () => {
      const last = child.lines.at(-1);
      if (last?.round !== undefined) begun = performance.now();
      if (last?.refreshed !== undefined) durationMs = performance.now() - begun;
      // The first process measures how long a refresh takes. Later processes are killed in their first refresh.
      const isDue = child.lines.some(({ refreshed }) => refreshed !== undefined) || kill > 0;
      if (last?.round !== undefined && isDue)
        setTimeout(() => child.process.kill('SIGKILL'), (durationMs * (kill + 1)) / (KILLS + 1));
    });
    expect(await child.ended).toEqual({ code: null, errors: '' });
    const store = await openSqlite(path);
    expect(await verifyStore(store)).toEqual([]);
    const confirmed = child.lines.findLast(({ refreshed }) => refreshed !== undefined)?.refreshed;
    const last = child.lines.findLast(({ round }) => round !== undefined)?.round ?? 0;
    if (confirmed !== last) interrupted++;
    expect([confirmed ?? last - 1, last]).toContain(await roundOf(store));
    await store.close();
  }
  expect(interrupted).toBeGreaterThan(0);
});

it('a process does not write after another process has taken over its lease', async () => {
  using folder = scratchFolder();
  const path = join(folder.path, 'store.db');
  const store = await openSqlite(path);
  const children = [startChild(path, NAMESPACE, 'race'), startChild(path, NAMESPACE, 'race')];
  for (const { ended } of children) expect(await ended).toEqual({ code: 0, errors: '' });
  const records = await store.records.list(
    NAMESPACE,
    { scan: 'undeleted' },
    { after: null, limit: 2 * CYCLES + 1 },
  );
  // The records are in the order of the writes.
  const tokens = records.map(({ metadata }) => Number(metadata['token']));
  expect(tokens).toEqual(tokens.toSorted((a, b) => a - b));
  const outcomes = children.map(({ lines }) => lines.filter(({ token }) => token !== undefined));
  for (const lines of outcomes) {
    expect(lines).toHaveLength(CYCLES);
    const taken = lines.map(({ token = 0 }) => token);
    expect(taken).toEqual(taken.toSorted((a, b) => a - b));
  }
  const [one = new Set(), other = new Set()] = outcomes.map(
    (lines) => new Set(lines.map(({ token }) => token)),
  );
  expect([...one].filter((token) => other.has(token))).toEqual([]);
  const committed = outcomes.flat().flatMap(({ committed = [] }) => committed);
  expect(new Set(records.map(({ key }) => key))).toEqual(new Set(committed));
  expect(outcomes.flat().some(({ rejected }) => rejected !== undefined)).toBe(true);
  const state = (await sourceStates(store.records, NAMESPACE)).get(SOURCE);
  expect(state).toMatchObject({ refreshes: tokens.at(-1), error: records.at(-1)?.key });
  expect(await verifyStore(store)).toEqual([]);
  await store.close();
});
