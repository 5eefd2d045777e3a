/** What a fresh process loads, in one bundle as in the package. */

export { DEFAULT_RANKING } from '../src/search/rank/ranking.ts';
export { runSearch } from '../src/search/search.ts';
export { openStore } from '../src/store/registry.ts';
