import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { CallerLimit } from './caller-limit.ts';

const signal = new AbortController().signal;

/** Runs operations until they are told to end. */
function operations(limit: CallerLimit) {
  const began: string[] = [];
  const end = new Map<string, () => void>();
  const start = (name: string, options: { steps?: boolean; signal?: AbortSignal } = {}): Promise<string> =>
    limit.run({ caller: name.slice(0, 1), steps: false, signal, ...options }, async () => {
      began.push(name);
      const { promise, resolve } = Promise.withResolvers<undefined>();
      end.set(name, () => resolve(undefined));
      await promise;
      return name;
    });
  return { began, end, start };
}

it('runs four operations of each caller at once, and the others in the order in which they came', async () => {
  const { began, end, start } = operations(new CallerLimit(60_000));
  const all = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'b1'].map((name) => start(name));
  await expect.poll(() => began).toEqual(['a1', 'a2', 'a3', 'a4', 'b1']);
  end.get('a3')!();
  await all[2];
  await expect.poll(() => began).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'a5']);
  for (const name of ['a1', 'a2', 'a4', 'a5', 'b1']) end.get(name)!();
  await expect.poll(() => began.at(-1)).toBe('a6');
  end.get('a6')!();
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'b1']);
});

it('runs one operation of several steps beside the others', async () => {
  const { began, end, start } = operations(new CallerLimit(60_000));
  const all = [start('a1', { steps: true }), start('a2', { steps: true }), start('a3')];
  await expect.poll(() => began).toEqual(['a1', 'a3']);
  for (const name of ['a1', 'a3']) end.get(name)!();
  await expect.poll(() => began.at(-1)).toBe('a2');
  end.get('a2')!();
  await Promise.all(all);
});

it('refuses what waits too long or is one of too many, and leaves out what is aborted', async () => {
  const { began, end, start } = operations(new CallerLimit(20));
  const first = start('a1', { steps: true });
  const controller = new AbortController();
  const aborted = start('a2', { steps: true, signal: controller.signal });
  controller.abort(new Error('gone'));
  await expect(aborted).rejects.toThrow('gone');
  const waiting = Array.from({ length: 101 }, (_, i) => start(`a${String(i + 3)}`, { steps: true }));
  const codes = (await Promise.allSettled(waiting)).map(
    (each) => each.status === 'rejected' && (each.reason as { code: string }).code,
  );
  expect(new Set(codes)).toEqual(new Set(['rate_limited']));
  end.get('a1')!();
  expect(await first).toBe('a1');
  expect(began).toEqual(['a1']);
});

it('goes on after an operation that fails', async () => {
  const limit = new CallerLimit(60_000);
  const fail = () => limit.run({ caller: 'a', steps: true, signal }, () => Promise.reject(new Error('no')));
  await expect(fail()).rejects.toThrow('no');
  await expect(fail()).rejects.toThrow('no');
});

it('keeps no place for an operation that is aborted when another one ends', async () => {
  const limit = new CallerLimit(60_000);
  const controller = new AbortController();
  const run = (work: () => Promise<unknown>) =>
    limit.run({ caller: 'a', steps: true, signal: controller.signal }, work);
  const { promise, reject } = Promise.withResolvers<never>();
  const first = run(() => promise);
  const second = run(() => Promise.resolve());
  // Both end within one turn of the event loop, the running one first.
  reject(new Error('gone'));
  controller.abort(new Error('gone'));
  await expect(first).rejects.toThrow('gone');
  await expect(second).rejects.toThrow('gone');
  expect(await limit.run({ caller: 'a', steps: true, signal }, () => Promise.resolve('free'))).toBe('free');
});

it('an operation that is aborted keeps its place until its work ends', async () => {
  const { began, end, start } = operations(new CallerLimit(60_000));
  const controller = new AbortController();
  const first = start('a1', { steps: true, signal: controller.signal });
  const second = start('a2', { steps: true });
  await expect.poll(() => began).toEqual(['a1']);
  controller.abort(new Error('gone'));
  await setImmediate();
  expect(began).toEqual(['a1']);
  end.get('a1')!();
  await first;
  await expect.poll(() => began).toEqual(['a1', 'a2']);
  end.get('a2')!();
  await second;
});
