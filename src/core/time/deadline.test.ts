import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Deadline, within } from './deadline.ts';

describe('Deadline', () => {
  it('is past when the budget is used up, and stays so', () => {
    let now = 100;
    const deadline = new Deadline(5, () => now);
    expect(deadline.isPast).toBe(false);
    now = 104.9;
    expect(deadline.isPast).toBe(false);
    now = 105;
    expect(deadline.isPast).toBe(true);
    now = 0;
    expect(deadline.isPast).toBe(true);
  });

  it('is never past without a budget', () => {
    expect(new Deadline().isPast).toBe(false);
  });
});

const late = (): string => 'late';
const never = Promise.withResolvers<string>().promise;

it.each([
  ['what the work returns', Promise.resolve('done'), 10_000, 'done'],
  ['what is for late work', never, 1, 'late'],
  ['what the work returns, without a limit', Promise.resolve('done'), 0, 'done'],
])('returns %s', async (_, work, maxMs, result) => {
  expect(await within(work, maxMs, late)).toBe(result);
});

it('throws what the work throws in time, or what is thrown for late work', async () => {
  await expect(within(Promise.reject(new Error('no')), 10_000, late)).rejects.toThrow('no');
  const { promise, reject } = Promise.withResolvers<string>();
  const waited = within(promise, 1, () => {
    throw new Error('late');
  });
  await expect(waited).rejects.toThrow('late');
  // An unhandled rejection would fail the test run.
  reject(new Error('too late'));
  await setImmediate();
});
