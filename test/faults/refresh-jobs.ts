import { LociError } from '../../src/core/errors.ts';
import type { Fence, RecordWrite } from '../../src/store/model.ts';
import type { LeaseRequest } from '../../src/store/admin-model.ts';
import type { Store } from '../../src/store/store.ts';
import { sourceStateChange, sourceStates } from '../../src/store/items/kinds.ts';
import { CHUNKING, note } from '../contract/store-samples.ts';
import type { Line } from './store-processes.ts';
import { dropLease, takeLease } from '../contract/written-samples.ts';
import { repetitions } from '../repetitions.ts';

/** Constants of the child processes and of the tests that start them. */
export const SOURCE = 'todos';
export const DOCUMENTS: number = repetitions(1500, 10_000);
export const CYCLES: number = repetitions(100, 200);
const LEASE = 'refresh todos';

type Print = (line: Line) => void;

function request(durationMs: number): LeaseRequest {
  const now = Date.now();
  return { name: LEASE, holder: String(process.pid), now, until: now + durationMs };
}

/**
 * Refreshes until the process is killed. Each round replaces the first half of the documents of the previous round, evicts the
 * others and adds as many new ones. It prints a line before each commit and after it.
 */
export async function refreshUntilKilled(store: Store, namespace: string, print: Print): Promise<void> {
  const token = await takeLease(store, namespace, request(1));
  if (token === null) throw new Error('the lease of a dead process was not given to the next');
  const fence = { lease: LEASE, token };
  const states = await sourceStates(store.records, namespace);
  for (let round = (states.get(SOURCE)?.refreshes ?? 0) + 1; ; round++) {
    const page = { after: null, limit: DOCUMENTS + 1 };
    const entries = await store.records.sourceEntries(namespace, SOURCE, page);
    const unchanged = entries.slice(0, entries.length / 2);
    const writes = Array.from({ length: DOCUMENTS }, (_, i): RecordWrite => {
      const previous = unchanged[i];
      // New documents are last in the order of keys.
      const key = previous?.key ?? `${String(round).padStart(6, '0')}/${String(i).padStart(6, '0')}`;
      const text = `buy tile samples number ${String(i)} in round${String(round)}`;
      const fields = {
        origin: 'source',
        source: SOURCE,
        key,
        uuid: key,
        category: `round ${String(round)}`,
      } as const;
      return { ...note(text, fields), id: previous?.id ?? null };
    });
    const evictions = entries.slice(unchanged.length).map(({ id }) => id);
    const items = [sourceStateChange(SOURCE, { refreshes: round, consecutiveFailures: 0, error: null })];
    print({ round });
    await store.records.commit(namespace, { writes, evictions, chunking: CHUNKING, fence, items });
    print({ refreshed: round });
  }
}

/** Takes the lease and commits repeatedly, sometimes so late that the other process has taken over the lease. */
export async function raceForLease(store: Store, namespace: string, print: Print): Promise<void> {
  for (let cycle = 0; cycle < CYCLES;) {
    const token = await takeLease(store, namespace, request(2));
    if (token === null) continue;
    if (cycle % 4 === 0) await waitForOtherWriter(store, namespace);
    const key = `${String(process.pid)}/${String(cycle)}`;
    print(await commitOrLose(store, namespace, key, { lease: LEASE, token }));
    if (cycle % 4 === 1) await dropLease(store, namespace, LEASE, String(process.pid));
    cycle++;
  }
}

async function commitOrLose(store: Store, namespace: string, key: string, fence: Fence): Promise<Line> {
  const fields = {
    origin: 'source',
    source: SOURCE,
    key,
    uuid: key,
    metadata: { token: fence.token },
  } as const;
  const batch = {
    writes: [note('tile samples', fields)],
    chunking: CHUNKING,
    fence,
    items: [sourceStateChange(SOURCE, { refreshes: fence.token, error: key })],
  };
  try {
    await store.records.commit(namespace, batch);
    return { committed: key, token: fence.token };
  } catch (error) {
    if (!(error instanceof LociError) || error.code !== 'conflict') throw error;
    return { rejected: key, token: fence.token };
  }
}

/** Waits until the other process has written, or for 50 ms, because it may have ended. */
async function waitForOtherWriter(store: Store, namespace: string): Promise<void> {
  const before = (await store.records.bounds(namespace)).highestId;
  const deadline = Date.now() + 50;
  while (Date.now() < deadline && (await store.records.bounds(namespace)).highestId === before);
}
