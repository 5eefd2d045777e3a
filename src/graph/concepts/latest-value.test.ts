import { expect, it } from 'vitest';
import { LatestValue } from './concept-graph.ts';

it('makes a value once for calls with one key, also at the same time, and again after another key', async () => {
  const latest = new LatestValue<string>();
  let made = 0;
  const get = (key: string): Promise<string> => latest.get(key, async () => `${key}${String(++made)}`);
  expect(await Promise.all([get('a'), get('a')])).toEqual(['a1', 'a1']);
  expect([await get('a'), await get('b'), await get('a')]).toEqual(['a1', 'b2', 'a3']);
});

it('does not keep an error', async () => {
  const latest = new LatestValue<string>();
  await expect(latest.get('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await latest.get('a', async () => 'yes')).toBe('yes');
});
