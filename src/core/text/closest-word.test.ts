import { describe, expect, it } from 'vitest';
import { typoDistance, closestWord } from './closest-word.ts';

describe('closestWord', () => {
  const keys = ['namespace', 'project', 'store', 'search', 'vaults'];

  it('finds the intended word for a typo, and ignores case', () => {
    expect(closestWord('serach', keys)).toBe('search');
    expect(closestWord('VAULT', keys)).toBe('vaults');
    expect(closestWord('name_space', keys)).toBe('namespace');
  });

  it('returns undefined for a different word and for a very long one', () => {
    expect(closestWord('telemetry', keys)).toBeUndefined();
    expect(closestWord('s'.repeat(101), ['s'.repeat(101)])).toBeUndefined();
    expect(closestWord('search', [])).toBeUndefined();
  });
});

describe('typoDistance', () => {
  it('counts the edits of a typo, and returns null for a different word', () => {
    expect([typoDistance('Oven', 'oven'), typoDistance('kichen', 'Kitchen')]).toEqual([0, 1]);
    expect([typoDistance('oven', 'ovenproof'), typoDistance('oven', 'tiles')]).toEqual([null, null]);
  });
});
