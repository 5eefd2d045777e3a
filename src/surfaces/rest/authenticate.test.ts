import { describe, expect, it } from 'vitest';
import { RateLimit } from './authenticate.ts';

describe('RateLimit', () => {
  it('permits a burst of twice the rate, then the rate, for each key', () => {
    const clock = { now: 0 };
    const limit = new RateLimit(10, () => clock.now);
    const waits = (key: string, count: number) => Array.from({ length: count }, () => limit.take(key));
    expect(waits('a', 21)).toEqual([...Array<number>(20).fill(0), 1]);
    expect(limit.take('b')).toBe(0);
    clock.now += 100;
    expect(waits('a', 2)).toEqual([0, 1]);
    clock.now += 60_000;
    expect(waits('a', 21).filter((wait) => wait > 0)).toHaveLength(1);
  });

  it('returns the seconds to wait', () => {
    const limit = new RateLimit(1, () => 0);
    expect([limit.take('a'), limit.take('a'), limit.take('a')]).toEqual([0, 0, 1]);
  });

  it('has no limit at 0', () => {
    const limit = new RateLimit(0);
    expect(Array.from({ length: 1000 }, () => limit.take('a')).every((wait) => wait === 0)).toBe(true);
  });

  it('keeps the buckets of the ten thousand keys that were used last', () => {
    const limit = new RateLimit(1, () => 0);
    const takeOthers = (count: number): void => {
      for (let i = 0; i < count; i++) limit.take(`key ${String(i)}`);
    };
    expect([limit.take('busy'), limit.take('busy'), limit.take('busy')]).toEqual([0, 0, 1]);
    takeOthers(9999);
    expect(limit.take('busy')).toBe(1);
    takeOthers(10_000);
    expect(limit.take('busy')).toBe(0);
  });
});
