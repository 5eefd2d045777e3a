import { expect, it } from 'vitest';
import { FairQueue } from './semaphore.ts';

it('takes owners in turn and the items of each in order', () => {
  const queue = new FairQueue<string>();
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) queue.push(item.slice(0, 1), item);
  const next = (count: number): (string | undefined)[] => Array.from({ length: count }, () => queue.shift());
  expect(next(2)).toEqual(['a1', 'b1']);
  queue.push('b', 'b2');
  expect(next(6)).toEqual(['c1', 'a2', 'b2', 'c2', 'a3', undefined]);
});

it('takes an owner that comes while another has its turn before the next item of that one', () => {
  const queue = new FairQueue<string>();
  for (const item of ['a1', 'a2', 'a3']) queue.push('a', item);
  expect(queue.shift()).toBe('a1');
  queue.push('b', 'b1');
  expect([queue.shift(), queue.shift(), queue.shift(), queue.shift()]).toEqual(['b1', 'a2', 'a3', undefined]);
});
