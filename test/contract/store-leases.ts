import { ADMIN_NAMESPACE } from '../../src/store/rules/admin-namespace.ts';
import { describe, expect, it } from 'vitest';
import type { LeaseRequest } from '../../src/store/admin-model.ts';
import type { Subject } from './store-contract.ts';
import { NOW } from './store-samples.ts';

const YEAR = 365 * 24 * 60 * 60 * 1000;

export function describeLeases({ store, namespace }: Subject): void {
  /** A request for a lease that nobody else asks for. */
  const lease = (): ((holder: string, now?: number) => LeaseRequest) => {
    const name = namespace();
    return (holder, now = NOW) => ({ name, holder, now, until: now + 10 });
  };

  const take = (request: LeaseRequest, ns = ADMIN_NAMESPACE as string): Promise<number | null> =>
    store().admin.takeLease(ns, request);
  const drop = (name: string, holder: string): Promise<void> =>
    store().admin.dropLease(ADMIN_NAMESPACE, name, holder);

  describe('a lease', () => {
    it('is one’s at a time, and its holder may prolong it', async () => {
      const request = lease();
      const token = await take(request('a'));
      expect(token).toEqual(expect.any(Number));
      expect(await take(request('b', NOW + 9))).toBeNull();
      expect(await take(request('a', NOW + 9))).toBe(token);
      expect(await take(request('b', NOW + 10))).toBeNull();
    });

    it('is somebody else’s once its time is over, with a higher number', async () => {
      const request = lease();
      const first = await take(request('a'));
      const second = await take(request('b', NOW + 10));
      expect(second).toBeGreaterThan(first!);
      expect(await take(request('a', NOW + 11))).toBeNull();
      expect(await take(request('a', NOW + 20))).toBeGreaterThan(second!);
    });

    it('is free once it is given back, by its holder alone', async () => {
      const request = lease();
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

    it('is prolonged after its time too, under the same number, as long as nobody took it over', async () => {
      const request = lease();
      const token = await take(request('a'));
      expect(await take(request('a', NOW + 1000))).toBe(token);
      expect(await take(request('b', NOW + 1009))).toBeNull();
    });

    it('is free when the clock has gone back by a year since, and its former holder takes part again', async () => {
      const request = lease();
      const first = await take(request('a'));
      const second = await take(request('b', NOW - YEAR));
      expect(second).toBeGreaterThan(first!);
      expect(await take(request('a', NOW - YEAR + 9))).toBeNull();
      expect(await take(request('a', NOW - YEAR + 10))).toBeGreaterThan(second!);
    });

    it('is its holder’s still when the clock goes back by a year and the holder is the first to ask', async () => {
      const request = lease();
      const token = await take(request('a'));
      expect(await take(request('a', NOW - YEAR))).toBe(token);
      expect(await take(request('b', NOW - YEAR + 9))).toBeNull();
    });

    it('is free when the clock has gone forward by a year, and again when it goes back', async () => {
      const request = lease();
      const first = await take(request('a'));
      const second = await take(request('b', NOW + YEAR));
      expect(second).toBeGreaterThan(first!);
      expect(await take(request('a', NOW + YEAR + 1))).toBeNull();
      expect(await take(request('a', NOW + 20))).toBeGreaterThan(second!);
    });

    it('lasts through clocks that differ by as much as it is asked for', async () => {
      const request = lease();
      await take(request('a'));
      expect(await take(request('b', NOW - 10))).toBeNull();
      expect(await take(request('b', NOW - 11))).not.toBeNull();
    });

    it('is taken over, with a higher number, by whoever must not wait', async () => {
      const request = lease();
      const first = await take(request('a'));
      const second = await take({ ...request('b'), takesOver: true });
      expect(second).toBeGreaterThan(first!);
      expect(await take(request('a', NOW + 9))).toBeNull();
      expect(await take({ ...request('b'), takesOver: true })).toBe(second);
    });

    it('is independent of leases of other names and namespaces', async () => {
      const [one, other, ns] = [lease(), lease(), namespace()];
      await take(one('a'));
      expect(await take(other('b'))).not.toBeNull();
      expect(await take(one('b'), ns)).not.toBeNull();
      expect(await take(one('c'), ns)).toBeNull();
    });

    it('goes to one of many who ask at once', async () => {
      const request = lease();
      const asked = Array.from({ length: 20 }, (_, i) => take(request(String(i))));
      expect((await Promise.all(asked)).filter((token) => token !== null)).toHaveLength(1);
    });
  });
}
