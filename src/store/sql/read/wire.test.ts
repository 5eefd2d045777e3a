import { describe, expect, it } from 'vitest';
import { type PackedPassages, PassageCache, type PassageRequest } from './wire.ts';

const TEXT = 'x'.repeat(1_000_000);
const FILTER = { now: 0 };

/** A passage of a megabyte, and the record with the same id, as SQLite sends them. */
function packed(ids: readonly number[], epoch: number, isCurrent: boolean): PackedPassages {
  const header = ['uuid', '', 'memory', '', 'user', null, '', 'note', '', '[]', '{}', 0, 0, null, null];
  return {
    epoch,
    isCurrent,
    neighbourhoods: [],
    passages: JSON.stringify(ids.map((id) => [id, id, 0, '[]', TEXT, 1, 1, 'hash', null])),
    records: JSON.stringify(ids.map((id) => [id, ...header])),
  };
}

/** A cache over a store that has every passage, and the requests that reached the store. */
function cacheOf(epochs: readonly number[] = []): { cache: PassageCache; requests: PassageRequest[] } {
  const requests: PassageRequest[] = [];
  const cache = new PassageCache((_namespace, request) => {
    requests.push(request);
    const epoch = epochs[requests.length - 1] ?? 1;
    const isCurrent = request.epoch === epoch;
    const known = new Set(isCurrent ? request.cached : []);
    return Promise.resolve(
      packed(
        request.ids.filter((id) => !known.has(id)),
        epoch,
        isCurrent,
      ),
    );
  });
  return { cache, requests };
}

describe('PassageCache', () => {
  it('keeps at most 16 MB of the passages of all namespaces, those that were used last', async () => {
    const { cache, requests } = cacheOf();
    for (let id = 1; id <= 20; id++) await cache.passages(id % 2 === 0 ? 'a' : 'b', [id], FILTER);
    await cache.passages('a', [2, 18, 20], FILTER);
    await cache.passages('b', [1, 17, 19], FILTER);
    expect(requests.slice(-2).map(({ cached }) => cached)).toEqual([
      [18, 20],
      [17, 19],
    ]);
  });

  it('does not return a passage of another namespace or of an earlier epoch', async () => {
    const { cache, requests } = cacheOf([1, 1, 1, 2, 2]);
    await cache.passages('a', [1], FILTER);
    await cache.passages('b', [2], FILTER);
    await cache.passages('b', [1], FILTER);
    await cache.passages('b', [2], FILTER);
    await cache.passages('b', [2], FILTER);
    // The answer to the fourth request has a later epoch and the passage again.
    expect(requests.map(({ cached, epoch }) => [cached, epoch])).toEqual([
      [[], null],
      [[], null],
      [[], 1],
      [[2], 1],
      [[2], 2],
    ]);
  });
});
