import { expect, it } from 'vitest';
import { storedPassage } from '../../../test/contract/stored-passage.ts';
import type { Hit } from '../../search/rank/confidence.ts';
import { currentFirst } from './search.ts';

type Given = readonly [id: number, successor?: number | string];

/** Hits of the records of these numbers; each may have ended, and have a successor. */
function order(...records: readonly Given[]): number[] {
  const hits = records.map(([id, successor]) => {
    const by = typeof successor === 'number' ? `record/${String(successor)}` : successor;
    const metadata = by === undefined ? {} : { valid_until: '2026-11-26T12:00:00.000Z', superseded_by: by };
    return { passage: storedPassage({ record: { id, origin: 'memory', metadata } }) } as Hit;
  });
  return currentFirst(hits).map(({ passage }) => passage.record.id);
}

it.each<[what: string, given: readonly Given[], expected: number[]]>([
  ['what is current stays where it is', [[1], [2], [3]], [1, 2, 3]],
  ['a successor comes before what it has ended', [[7], [1, 3], [2], [3]], [7, 3, 1, 2]],
  ['a chain begins with what is true now', [[1, 2], [2, 3], [9], [3]], [3, 2, 1, 9]],
  ['a successor that was not found moves nothing', [[1, 8], [2]], [1, 2]],
  ['a successor that comes first already stays', [[3], [1, 3], [2]], [3, 1, 2]],
  [
    'records that name each other end',
    [
      [1, 2],
      [2, 1],
    ],
    [2, 1],
  ],
  ['a name that is no record moves nothing', [[1, 'record/x'], [2]], [1, 2]],
])('%s', (_, given, expected) => {
  expect(order(...given)).toEqual(expected);
});
