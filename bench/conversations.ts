import { join } from 'node:path';
import { mkdirSync } from 'node:fs';
import { DEFAULT_RANKING } from '../src/search/rank/ranking.ts';
import { runSearch } from '../src/search/search.ts';
import { openStore } from '../src/store/registry.ts';
import { fillWithConversations } from '../test/contract/conversation-store.ts';
import { NOW } from '../test/contract/store-samples.ts';
import type { Measure } from './report.ts';
import { quantile, timeEach } from './timing.ts';

const SIZES = { sessions: 1000, turns: 20, notes: 300 };
const MODEL = { provider: 'bench', model: 'conversations', dimensions: 8 };
const NAMESPACE = 'bench';
const WARM_UP_QUERIES = 20;
/** A search also reads the turns around those that it finds, and the sessions that they belong to. */
const MOST = 3;

const QUERIES = Array.from(
  { length: 120 },
  (_, i) => `${['oven', 'garden', 'invoice', 'bicycle'][i % 4]!} word${String(i * 5)} word${String(i * 3)}`,
);

/** Searches 20,000 turns of 1,000 sessions, and the same texts without sessions, one query after the other. */
export async function measureConversations(folder: string): Promise<Measure[]> {
  const sessions = await searchTimes(join(folder, 'sessions'), true);
  const plain = await searchTimes(join(folder, 'plain'), false);
  return [0.5, 0.95].map((share) => ({
    what: `search by words, p${String(share * 100)}`,
    unit: 'ms',
    ours: quantile(sessions, share),
    baseline: { name: 'the same without sessions', value: quantile(plain, share) },
    target: { of: 'ratio', most: MOST, checked: true },
  }));
}

async function searchTimes(folder: string, withSessions: boolean): Promise<number[]> {
  mkdirSync(folder, { recursive: true });
  const store = await openStore({ path: join(folder, 'loci.db') }, { create: true });
  try {
    await fillWithConversations(store, NAMESPACE, MODEL, { ...SIZES, withSessions });
    const search = (query: string): unknown =>
      runSearch({
        ...{ store, namespace: NAMESPACE, query, filter: { now: NOW }, limit: 10 },
        ranking: DEFAULT_RANKING,
        vectors: null,
      });
    await timeEach(QUERIES.slice(0, WARM_UP_QUERIES), search);
    return await timeEach(QUERIES.slice(WARM_UP_QUERIES), search);
  } finally {
    await store.close();
  }
}
