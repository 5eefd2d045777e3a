import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import { describe, expect, it } from 'vitest';
import type { LeaseRequest } from '../../src/store/admin-model.ts';
import type { StoreFixture } from './store-contract.ts';
import { NOW } from './store-samples.ts';
import { dropLease, takeLease } from './written-samples.ts';

const YEAR = 365 * 24 * 60 * 60 * 1000;

export function describeLeases({ store, namespace }: StoreFixture): void {
  /** Makes requests for a lease that no other test uses. */
  const newLease = (): ((holder: string, now?: number) => LeaseRequest) => {
    const name = namespace();
    return (holder, now = NOW) => ({ name, holder, now, until: now + 10 });
  };

  const take = (request: LeaseRequest, ns = ADMIN_NAMESPACE as string): Promise<number | null> =>
    takeLease(store(), ns, request);
  const drop = (name: string, holder: string): Promise<void> =>
    dropLease(store(), ADMIN_NAMESPACE, name, holder);

  describe('a lease', () => {
    it('has one holder at a time, who may renew it', async () => {
      const request = newLease();
      const token = await take(request('a'));
      expect(token).toEqual(expect.any(Number));
      expect(await take(request('b', NOW + 9))).toBeNull();
      expect(await take(request('a', NOW + 9))).toBe(token);
      expect(await take(request('b', NOW + 10))).toBeNull();
    });

    it('can be taken by another holder after it expires, with a higher token', async () => {
      const request = newLease();
      const first = await take(request('a'));
      const second = await take(request('b', NOW + 10));
      expect(second).toBeGreaterThan(first!);
      expect(await take(request('a', NOW + 11))).toBeNull();
      expect(await take(request('a', NOW + 20))).toBeGreaterThan(second!);
    });

    it('is free after its holder releases it, but not after another process tries to', async () => {
      const request = newLease();
      const first = await take(request('a'));
      const { name } = request('a');
      await drop(name, 'b');
      expect(await take(request('b'))).toBeNull();
      await drop(name, 'a');
      const second = await take(request('b'));
      expect(second).toBeGreaterThan(first!);
      await drop(name, 'a');
      expect(await take(request('a'))).toBeNull();
      await drop('a lease that nobody took', 'a');
    });

    it('can be renewed after it expires, with the same token, unless another holder took it', async () => {
      const request = newLease();
      const token = await take(request('a'));
      expect(await take(request('a', NOW + 1000))).toBe(token);
      expect(await take(request('b', NOW + 1009))).toBeNull();
    });

    it('is free after the clock is set back by a year, also for its former holder later', async () => {
      const request = newLease();
      const first = await take(request('a'));
      const second = await take(request('b', NOW - YEAR));
      expect(second).toBeGreaterThan(first!);
      expect(await take(request('a', NOW - YEAR + 9))).toBeNull();
      expect(await take(request('a', NOW - YEAR + 10))).toBeGreaterThan(second!);
    });

    it('stays with its holder after the clock is set back by a year if the holder is the first to request it', async () => {
      const request = newLease();
      const token = await take(request('a'));
      expect(await take(request('a', NOW - YEAR))).toBe(token);
      expect(await take(request('b', NOW - YEAR + 9))).toBeNull();
    });

    it('is free after the clock is set forward by a year, and again after it is set back', async () => {
      const request = newLease();
      const first = await take(request('a'));
      const second = await take(request('b', NOW + YEAR));
      expect(second).toBeGreaterThan(first!);
      expect(await take(request('a', NOW + YEAR + 1))).toBeNull();
      expect(await take(request('a', NOW + 20))).toBeGreaterThan(second!);
    });

    it('is respected by clocks that differ by up to the requested duration', async () => {
      const request = newLease();
      await take(request('a'));
      expect(await take(request('b', NOW - 10))).toBeNull();
      expect(await take(request('b', NOW - 11))).not.toBeNull();
    });

    it('can be taken over before it expires, with a higher token', async () => {
      const request = newLease();
      const first = await take(request('a'));
      const second = await take({ ...request('b'), takesOver: true });
      expect(second).toBeGreaterThan(first!);
      expect(await take(request('a', NOW + 9))).toBeNull();
      expect(await take({ ...request('b'), takesOver: true })).toBe(second);
    });

    it('tells who has it until it expires or is released', async () => {
      const request = newLease();
      const { name } = request('a');
      const holderAt = async (at: number): Promise<string | undefined> =>
        (await store().admin.lease(ADMIN_NAMESPACE, { name, at }))?.holder;
      expect(await holderAt(NOW)).toBeUndefined();
      await take(request('a'));
      expect([await holderAt(NOW + 9), await holderAt(NOW + 10)]).toEqual(['a', undefined]);
      await drop(name, 'a');
      expect(await holderAt(NOW)).toBeUndefined();
    });

    it('is independent of leases of other names and namespaces', async () => {
      const [one, other, ns] = [newLease(), newLease(), namespace()];
      await take(one('a'));
      expect(await take(other('b'))).not.toBeNull();
      expect(await take(one('b'), ns)).not.toBeNull();
      expect(await take(one('c'), ns)).toBeNull();
    });

    it('is granted to one of many concurrent requests', async () => {
      const request = newLease();
      const attempts = Array.from({ length: 20 }, (_, i) => take(request(String(i))));
      expect((await Promise.all(attempts)).filter((token) => token !== null)).toHaveLength(1);
    });
  });
}
