import { DEFAULT_RANKING } from '../../src/search/rank/ranking.ts';
import { startRun, type SearchOptions, type SearchRun } from '../../src/search/run.ts';
import type { Store } from '../../src/store/store.ts';

/** A run for stages that call no store. The given fields replace those of an ordinary search. */
export function searchRun(query: string, fields: Partial<SearchOptions & SearchRun> = {}): SearchRun {
  const started = startRun({
    store: {} as Store,
    namespace: 'n',
    filter: { now: 0 },
    limit: 10,
    ranking: DEFAULT_RANKING,
    vectors: null,
    ...fields,
    query,
  });
  const { query: _query, ...overrides } = fields;
  return { ...started, vectors: null, ...overrides };
}
