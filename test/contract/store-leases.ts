import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import { describe, expect, it } from 'vitest';
import type { LeaseRequest } from '../../src/store/admin-model.ts';
import type { StoreFixture } from './store-contract.ts';
import { NOW } from './store-samples.ts';

const YEAR = 365 * 24 * 60 * 60 * 1000;

export function describeLeases({ store, namespace }: StoreFixture): void {
  /** Makes requests for a lease that no other test uses. */
  const newLease = (): ((holder: string, now?: number) => LeaseRequest) => {
    const name = namespace();
    return (holder, now = NOW) => ({ name, holder, now, until: now + 10 });
  };

  const takeLease = (request: LeaseRequest, ns = ADMIN_NAMESPACE as string): Promise<number | null> =>
    store().admin.takeLease(ns, request);
  const dropLease = (name: string, holder: string): Promise<void> =>
    store().admin.dropLease(ADMIN_NAMESPACE, name, holder);

  describe('a lease', () => {
    it('has one holder at a time, who may renew it', async () => {
      const request = newLease();
      const token = await takeLease(request('a'));
      expect(token).toEqual(expect.any(Number));
      expect(await takeLease(request('b', NOW + 9))).toBeNull();
      expect(await takeLease(request('a', NOW + 9))).toBe(token);
      expect(await takeLease(request('b', NOW + 10))).toBeNull();
    });

    it('can be taken by another holder after it expires, with a higher token', async () => {
      const request = newLease();
      const first = await takeLease(request('a'));
      const second = await takeLease(request('b', NOW + 10));
      expect(second).toBeGreaterThan(first!);
      expect(await takeLease(request('a', NOW + 11))).toBeNull();
      expect(await takeLease(request('a', NOW + 20))).toBeGreaterThan(second!);
    });

    it('is free after its holder releases it, but not after another process tries to', async () => {
      const request = newLease();
      const first = await takeLease(request('a'));
      const { name } = request('a');
      await dropLease(name, 'b');
      expect(await takeLease(request('b'))).toBeNull();
      await dropLease(name, 'a');
      const second = await takeLease(request('b'));
      expect(second).toBeGreaterThan(first!);
      await dropLease(name, 'a');
      expect(await takeLease(request('a'))).toBeNull();
      await dropLease('a lease that nobody took', 'a');
    });

    it('can be renewed after it expires, with the same token, unless another holder took it', async () => {
      const request = newLease();
      const token = await takeLease(request('a'));
      expect(await takeLease(request('a', NOW + 1000))).toBe(token);
      expect(await takeLease(request('b', NOW + 1009))).toBeNull();
    });

    it('is free after the clock is set back by a year, also for its former holder later', async () => {
      const request = newLease();
      const first = await takeLease(request('a'));
      const second = await takeLease(request('b', NOW - YEAR));
      expect(second).toBeGreaterThan(first!);
      expect(await takeLease(request('a', NOW - YEAR + 9))).toBeNull();
      expect(await takeLease(request('a', NOW - YEAR + 10))).toBeGreaterThan(second!);
    });

    it('stays with its holder after the clock is set back by a year if the holder is the first to request it', async () => {
      const request = newLease();
      const token = await takeLease(request('a'));
      expect(await takeLease(request('a', NOW - YEAR))).toBe(token);
      expect(await takeLease(request('b', NOW - YEAR + 9))).toBeNull();
    });

    it('is free after the clock is set forward by a year, and again after it is set back', async () => {
      const request = newLease();
      const first = await takeLease(request('a'));
      const second = await takeLease(request('b', NOW + YEAR));
      expect(second).toBeGreaterThan(first!);
      expect(await takeLease(request('a', NOW + YEAR + 1))).toBeNull();
      expect(await takeLease(request('a', NOW + 20))).toBeGreaterThan(second!);
    });

    it('is respected by clocks that differ by up to the requested duration', async () => {
      const request = newLease();
      await takeLease(request('a'));
      expect(await takeLease(request('b', NOW - 10))).toBeNull();
      expect(await takeLease(request('b', NOW - 11))).not.toBeNull();
    });

    it('can be taken over before it expires, with a higher token', async () => {
      const request = newLease();
      const first = await takeLease(request('a'));
      const second = await takeLease({ ...request('b'), takesOver: true });
      expect(second).toBeGreaterThan(first!);
      expect(await takeLease(request('a', NOW + 9))).toBeNull();
      expect(await takeLease({ ...request('b'), takesOver: true })).toBe(second);
    });

    it('tells who has it until it expires or is released', async () => {
      const request = newLease();
      const { name } = request('a');
      const holderAt = (now: number): Promise<string | null> =>
        store().admin.leaseHolder(ADMIN_NAMESPACE, name, now);
      expect(await holderAt(NOW)).toBeNull();
      await takeLease(request('a'));
      expect([await holderAt(NOW + 9), await holderAt(NOW + 10)]).toEqual(['a', null]);
      await dropLease(name, 'a');
      expect(await holderAt(NOW)).toBeNull();
    });

    it('is independent of leases of other names and namespaces', async () => {
      const [one, other, ns] = [newLease(), newLease(), namespace()];
      await takeLease(one('a'));
      expect(await takeLease(other('b'))).not.toBeNull();
      expect(await takeLease(one('b'), ns)).not.toBeNull();
      expect(await takeLease(one('c'), ns)).toBeNull();
    });

    it('is granted to one of many concurrent requests', async () => {
      const request = newLease();
      const attempts = Array.from({ length: 20 }, (_, i) => takeLease(request(String(i))));
      expect((await Promise.all(attempts)).filter((token) => token !== null)).toHaveLength(1);
    });
  });
}
