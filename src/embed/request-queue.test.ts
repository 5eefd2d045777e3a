import { describe, expect, it } from 'vitest';
import { ProviderError } from './http/provider-error.ts';
import { RequestQueue } from './request-queue.ts';

const busy = (retryAfterMs: number): ProviderError => new ProviderError('busy', 'busy', { retryAfterMs });

describe('RequestQueue', () => {
  it('runs no more requests at once than it may, and lets owners have their turn', async () => {
    const queue = new RequestQueue({ concurrency: 2, requestsPerMinute: null });
    let running = 0;
    let most = 0;
    const order: string[] = [];
    const run = (owner: string): Promise<void> =>
      queue.run(
        async () => {
          running += 1;
          most = Math.max(most, running);
          order.push(owner);
          await new Promise((resolve) => void setImmediate(resolve));
          running -= 1;
        },
        { owner, repeat: false },
      );
    await Promise.all([...Array.from({ length: 6 }, () => run('many')), run('few')]);
    expect(most).toBe(2);
    expect(order.indexOf('few')).toBeLessThan(5);
  });

  it('starts no request before the rate limit allows it', async () => {
    const queue = new RequestQueue({ concurrency: 8, requestsPerMinute: 6000 });
    const began = performance.now();
    const run = (): Promise<number> => queue.run(() => Promise.resolve(performance.now()), { repeat: false });
    const starts = await Promise.all(Array.from({ length: 11 }, run));
    // After a pause, two may start together.
    expect(Math.max(...starts) - began).toBeGreaterThan(85);
  });

  it('waits as long as it is told, also with requests that were not refused', async () => {
    const queue = new RequestQueue({ concurrency: 1, requestsPerMinute: null });
    const started = performance.now();
    let tries = 0;
    const refusedOnce = queue.run(
      () => (tries++ === 0 ? Promise.reject(busy(60)) : Promise.resolve(performance.now())),
      { repeat: true },
    );
    const other = queue.run(() => Promise.resolve(performance.now()), { repeat: true });
    expect((await Promise.all([refusedOnce, other])).every((time) => time - started >= 59)).toBe(true);
    expect(tries).toBe(2);
  });

  it('gives up at once if it is told to wait for longer than five minutes, or not to repeat', async () => {
    const queue = new RequestQueue({ concurrency: 1, requestsPerMinute: null });
    let tries = 0;
    const fail = (error: Error) => (): Promise<never> => {
      tries += 1;
      return Promise.reject(error);
    };
    await expect(queue.run(fail(busy(3_600_000)), { repeat: true })).rejects.toThrow('busy');
    await expect(queue.run(fail(busy(1)), { repeat: false })).rejects.toThrow('busy');
    await expect(queue.run(fail(new ProviderError('refused', 'no')), { repeat: true })).rejects.toThrow('no');
    expect(tries).toBe(3);
  });

  it('tries a provider that cannot be reached three times, and stops waiting when the signal fires', async () => {
    const queue = new RequestQueue({ concurrency: 1, requestsPerMinute: null });
    const stop = new AbortController();
    let tries = 0;
    const down = (): Promise<never> => {
      tries += 1;
      if (tries === 2) stop.abort();
      return Promise.reject(new ProviderError('unreachable', 'ECONNREFUSED'));
    };
    await expect(queue.run(down, { repeat: true, signal: stop.signal })).rejects.toMatchObject({
      code: 'aborted',
    });
    expect(tries).toBe(2);
    await expect(queue.run(down, { repeat: true })).rejects.toThrow('ECONNREFUSED');
    expect(tries).toBe(5);
    expect(await queue.run(() => Promise.resolve('free again'), { repeat: true })).toBe('free again');
  });

  it('refuses at once what is not to be repeated while the provider has asked for no requests', async () => {
    const queue = new RequestQueue({ concurrency: 1, requestsPerMinute: null });
    const first = Promise.withResolvers<string>();
    const stop = new AbortController();
    let tries = 0;
    const backfill = queue.run(
      () => {
        tries += 1;
        return first.promise;
      },
      { repeat: true, signal: stop.signal },
    );
    // One waits for its turn when the provider says so, and the other comes later.
    const waiting = queue.run(() => Promise.resolve('sent'), { repeat: false });
    const refusal = expect(waiting).rejects.toMatchObject({ kind: 'paused' });
    first.reject(busy(40_000));
    await refusal;
    const later = queue.run(() => Promise.resolve('sent'), { repeat: false });
    await expect(later).rejects.toThrow(/asked for no requests for another 4[01] s/);
    stop.abort();
    await expect(backfill).rejects.toMatchObject({ code: 'aborted' });
    expect(tries).toBe(1);
  });

  it('takes a stopped request out of the queue', async () => {
    const queue = new RequestQueue({ concurrency: 1, requestsPerMinute: null });
    const first = Promise.withResolvers<string>();
    const running = queue.run(() => first.promise, { repeat: false });
    const stop = new AbortController();
    const waiting = queue.run(() => Promise.resolve('second'), { repeat: false, signal: stop.signal });
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'aborted' });
    first.resolve('first');
    expect(await running).toBe('first');
    expect(await queue.run(() => Promise.resolve('third'), { repeat: false })).toBe('third');
  });
});
