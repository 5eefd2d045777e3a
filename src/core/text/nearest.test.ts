import { describe, expect, it } from 'vitest';
import { likelyEdits, nearest } from './nearest.ts';

describe('nearest', () => {
  const keys = ['namespace', 'project', 'store', 'search', 'vaults'];

  it('finds what a typing error meant, whatever its case', () => {
    expect(nearest('serach', keys)).toBe('search');
    expect(nearest('VAULT', keys)).toBe('vaults');
    expect(nearest('name_space', keys)).toBe('namespace');
  });

  it('suggests nothing for another word or an endless one', () => {
    expect(nearest('telemetry', keys)).toBeUndefined();
    expect(nearest('s'.repeat(101), ['s'.repeat(101)])).toBeUndefined();
    expect(nearest('search', [])).toBeUndefined();
  });
});

describe('likelyEdits', () => {
  it('counts the edits of a mistake, and sees none in another word', () => {
    expect([likelyEdits('Oven', 'oven'), likelyEdits('kichen', 'Kitchen')]).toEqual([0, 1]);
    expect([likelyEdits('oven', 'ovenproof'), likelyEdits('oven', 'tiles')]).toEqual([null, null]);
  });
});
