import { describe, expect, it } from 'vitest';
import { typoDistance, closestWord } from './closest-word.ts';

describe('nearest', () => {
  const keys = ['namespace', 'project', 'store', 'search', 'vaults'];

  it('finds what a typing error meant, whatever its case', () => {
    expect(closestWord('serach', keys)).toBe('search');
    expect(closestWord('VAULT', keys)).toBe('vaults');
    expect(closestWord('name_space', keys)).toBe('namespace');
  });

  it('suggests nothing for another word or an endless one', () => {
    expect(closestWord('telemetry', keys)).toBeUndefined();
    expect(closestWord('s'.repeat(101), ['s'.repeat(101)])).toBeUndefined();
    expect(closestWord('search', [])).toBeUndefined();
  });
});

describe('likelyEdits', () => {
  it('counts the edits of a mistake, and sees none in another word', () => {
    expect([typoDistance('Oven', 'oven'), typoDistance('kichen', 'Kitchen')]).toEqual([0, 1]);
    expect([typoDistance('oven', 'ovenproof'), typoDistance('oven', 'tiles')]).toEqual([null, null]);
  });
});
