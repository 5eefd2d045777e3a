import { LociError } from '../../src/core/errors.ts';
import type { Fence, RecordWrite } from '../../src/store/model.ts';
import type { LeaseRequest } from '../../src/store/admin-model.ts';
import type { Store } from '../../src/store/store.ts';
import { CHUNKING, note } from '../contract/store-samples.ts';
import type { Line } from './store-processes.ts';

/** What the refreshing processes and the tests that start them both know. */
export const SOURCE = 'todos';
export const DOCUMENTS = 10_000;
export const CYCLES = 200;
const LEASE = 'refresh todos';

type Say = (line: Line) => void;

function request(lasts: number): LeaseRequest {
  const now = Date.now();
  return { name: LEASE, holder: String(process.pid), now, until: now + lasts };
}

/**
 * Refreshes until it is killed: of the documents of the round before, the first half is replaced, the others are evicted,
 * and as many come. Says each round when it begins and when it was answered.
 */
export async function refreshForEver(store: Store, namespace: string, say: Say): Promise<void> {
  const token = await store.admin.takeLease(namespace, request(1));
  if (token === null) throw new Error('the lease of a dead process was not given to the next');
  const fence = { lease: LEASE, token };
  const states = await store.records.sourceStates(namespace);
  for (let round = (states.get(SOURCE)?.refreshes ?? 0) + 1; ; round++) {
    const page = { after: null, limit: DOCUMENTS + 1 };
    const entries = await store.records.sourceEntries(namespace, SOURCE, page);
    const kept = entries.slice(0, entries.length / 2);
    const writes = Array.from({ length: DOCUMENTS }, (_, i): RecordWrite => {
      const held = kept[i];
      // In the order of keys, the new ones come last.
      const key = held?.key ?? `${String(round).padStart(6, '0')}/${String(i).padStart(6, '0')}`;
      const text = `buy tile samples number ${String(i)} in round${String(round)}`;
      const given = {
        origin: 'source',
        source: SOURCE,
        key,
        uuid: key,
        category: `round ${String(round)}`,
      } as const;
      return { ...note(text, given), id: held?.id ?? null };
    });
    const evictions = entries.slice(kept.length).map(({ id }) => id);
    const sourceState = { source: SOURCE, change: { refreshes: round, consecutiveFailures: 0, error: null } };
    say({ round });
    await store.records.commit(namespace, { writes, evictions, chunking: CHUNKING, fence, sourceState });
    say({ refreshed: round });
  }
}

/** Takes the lease and commits, time and again; now and then so late that the other process has taken it over. */
export async function raceForLease(store: Store, namespace: string, say: Say): Promise<void> {
  for (let cycle = 0; cycle < CYCLES;) {
    const token = await store.admin.takeLease(namespace, request(2));
    if (token === null) continue;
    if (cycle % 4 === 0) await lingerOver(store, namespace);
    const key = `${String(process.pid)}/${String(cycle)}`;
    say(await commitOrLose(store, namespace, key, { lease: LEASE, token }));
    if (cycle % 4 === 1) await store.admin.dropLease(namespace, LEASE, String(process.pid));
    cycle++;
  }
}

async function commitOrLose(store: Store, namespace: string, key: string, fence: Fence): Promise<Line> {
  const given = {
    origin: 'source',
    source: SOURCE,
    key,
    uuid: key,
    metadata: { token: fence.token },
  } as const;
  const sourceState = { source: SOURCE, change: { refreshes: fence.token, error: key } };
  const batch = {
    writes: [note('tile samples', given)],
    chunking: CHUNKING,
    fence,
    sourceState,
  };
  try {
    await store.records.commit(namespace, batch);
    return { kept: key, token: fence.token };
  } catch (error) {
    if (!(error instanceof LociError) || error.code !== 'conflict') throw error;
    return { lost: key, token: fence.token };
  }
}

/** Until the other process has written, unless it has come to its end. */
async function lingerOver(store: Store, namespace: string): Promise<void> {
  const before = (await store.records.bounds(namespace)).highestId;
  const deadline = Date.now() + 50;
  while (Date.now() < deadline && (await store.records.bounds(namespace)).highestId === before);
}
