import { expect, it } from 'vitest';
import { withDeadline } from './with-deadline.ts';

it('work with a deadline has its own result or error before it, and that of `late` after it', async () => {
  const never = Promise.withResolvers<string>().promise;
  const fail = (): never => {
    throw new Error('too late');
  };
  expect(await withDeadline(Promise.resolve('done'), 60_000, () => 'late')).toBe('done');
  await expect(withDeadline(Promise.reject(new Error('broken')), 60_000, fail)).rejects.toThrow('broken');
  expect(await withDeadline(never, 1, () => 'late')).toBe('late');
  await expect(withDeadline(never, 1, fail)).rejects.toThrow('too late');
});

it('a failure after the deadline concerns nobody', async () => {
  const { promise, reject } = Promise.withResolvers<string>();
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', note);
  expect(await withDeadline(promise, 1, () => 'late')).toBe('late');
  reject(new Error('nobody waits'));
  await new Promise(setImmediate);
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});
