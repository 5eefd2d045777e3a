import { expect, it } from 'vitest';
import { LociError } from '../../core/errors.ts';
import type { Candidate } from '../../pack/candidate.ts';
import { runLanes, type Lane } from './lanes.ts';

function candidate(id: number, lane = 'search'): Candidate {
  return { record: { id }, lane } as Candidate;
}

function lane(name: string, change: Partial<Lane>): Lane {
  return { name, deadlineMs: 60_000, isOff: false, expand: () => Promise.resolve([]), ...change };
}

const BASE = [candidate(1), candidate(2)];

it('a lane that is off, fails or is late changes nothing but its entry in the receipt', async () => {
  const { promise: never } = Promise.withResolvers<Candidate[]>();
  let isAborted = false;
  const { candidates, lanes } = await runLanes(BASE, [
    lane('off', { isOff: true, expand: () => Promise.reject(new Error('it was asked')) }),
    lane('broken', { expand: () => Promise.reject(new LociError('store_corrupt', 'the table is gone')) }),
    lane('throws', {
      expand: () => {
        throw new TypeError('x is not a function');
      },
    }),
    lane('late', {
      deadlineMs: 1,
      expand: (_, signal) => {
        signal.addEventListener('abort', () => (isAborted = true));
        return never;
      },
    }),
  ]);
  expect(candidates).toEqual(BASE);
  expect(lanes.map(({ name, status, failure, candidates: found }) => [name, status, failure, found])).toEqual(
    [
      ['off', 'off', null, 0],
      ['broken', 'failed', 'store_corrupt', 0],
      ['throws', 'failed', 'internal', 0],
      ['late', 'late', null, 0],
    ],
  );
  expect(isAborted).toBe(true);
});

it('what a lane finds follows the base, each record once', async () => {
  const found = [candidate(2, 'graph'), candidate(3, 'graph')];
  const other = [candidate(3, 'other'), candidate(4, 'other')];
  const { candidates, lanes } = await runLanes(BASE, [
    lane('graph', { expand: () => Promise.resolve(found) }),
    lane('other', { expand: () => Promise.resolve(other) }),
  ]);
  expect(candidates.map(({ record, lane: by }) => [record.id, by])).toEqual([
    [1, 'search'],
    [2, 'search'],
    [3, 'graph'],
    [4, 'other'],
  ]);
  expect(lanes.map(({ candidates: added }) => added)).toEqual([1, 1]);
});
