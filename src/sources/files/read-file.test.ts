import { describe, expect, it } from 'vitest';
import { timeOfFile } from './read-file.ts';

describe('timeOfFile', () => {
  it('limits times to what ISO 8601 can write', () => {
    expect(timeOfFile(1_795_000_000_123n)).toBe(1_795_000_000_123);
    for (const outOfRange of [8_640_000_000_000_001n, 2n ** 60n]) {
      expect(new Date(timeOfFile(outOfRange)).toISOString()).toBe('9999-12-31T00:00:00.000Z');
      expect(new Date(timeOfFile(-outOfRange)).toISOString()).toBe('0001-01-01T00:00:00.000Z');
    }
  });
});
