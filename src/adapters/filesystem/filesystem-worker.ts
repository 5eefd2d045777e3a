/** The entry of the thread that searches the files of pools; see `filesystem.ts`. */

import { serveRequests } from '../../core/threads/serve-requests.ts';
import type { LocatedPool } from '../pools/pool-set.ts';
import { PoolSearch, type SearchedQuery } from './pool-search.ts';

export type FilesystemRequest =
  | { readonly kind: 'recall'; readonly query: SearchedQuery }
  | { readonly kind: 'state'; readonly pools: readonly LocatedPool[] }
  | { readonly kind: 'register'; readonly pools: readonly LocatedPool[]; readonly stop: Int32Array };

const search = new PoolSearch();

serveRequests(
  (message) => {
    const request = message as FilesystemRequest;
    switch (request.kind) {
      case 'recall':
        return search.recall(request.query);
      case 'state':
        return search.state(request.pools);
      case 'register':
        return search.register(request.pools, request.stop);
    }
  },
  // Queries of other pools need not wait until a large pool has been read.
  {
    ownerOf: (message) => {
      const request = message as FilesystemRequest;
      return request.kind === 'recall'
        ? request.query.pools.map(({ root }) => root).join('\0')
        : request.kind;
    },
  },
);
