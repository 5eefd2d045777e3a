import { describe, expect, it } from 'vitest';
import type { LeaseRequest } from '../../src/store/leases.ts';
import type { Subject } from './store-contract.ts';
import { NOW } from './store-samples.ts';

export function describeLeases({ store, namespace }: Subject): void {
  /** A request for a lease that nobody else asks for. */
  const lease = (): ((holder: string, now?: number) => LeaseRequest) => {
    const name = namespace();
    return (holder, now = NOW) => ({ name, holder, now, until: now + 10 });
  };

  describe('a lease', () => {
    it('is one’s at a time, and its holder may prolong it', async () => {
      const request = lease();
      const token = await store().takeLease(request('a'));
      expect(token).toEqual(expect.any(Number));
      expect(await store().takeLease(request('b', NOW + 9))).toBeNull();
      expect(await store().takeLease(request('a', NOW + 9))).toBe(token);
      expect(await store().takeLease(request('b', NOW + 10))).toBeNull();
    });

    it('is somebody else’s once its time is over, with a higher number', async () => {
      const request = lease();
      const first = await store().takeLease(request('a'));
      const second = await store().takeLease(request('b', NOW + 10));
      expect(second).toBeGreaterThan(first!);
      expect(await store().takeLease(request('a', NOW + 11))).toBeNull();
      expect(await store().takeLease(request('a', NOW + 20))).toBeGreaterThan(second!);
    });

    it('is free once it is given back, by its holder alone', async () => {
      const request = lease();
      const first = await store().takeLease(request('a'));
      const { name } = request('a');
      await store().dropLease(name, 'b');
      expect(await store().takeLease(request('b'))).toBeNull();
      await store().dropLease(name, 'a');
      const second = await store().takeLease(request('b'));
      expect(second).toBeGreaterThan(first!);
      await store().dropLease(name, 'a');
      expect(await store().takeLease(request('a'))).toBeNull();
      await store().dropLease('a lease that nobody took', 'a');
    });

    it('is apart from others', async () => {
      const [one, other] = [lease(), lease()];
      await store().takeLease(one('a'));
      expect(await store().takeLease(other('b'))).not.toBeNull();
    });

    it('goes to one of many who ask at once', async () => {
      const request = lease();
      const asked = Array.from({ length: 20 }, (_, i) => store().takeLease(request(String(i))));
      expect((await Promise.all(asked)).filter((token) => token !== null)).toHaveLength(1);
    });
  });
}
