import { describe, expect, it } from 'vitest';
import { Deadline } from './deadline.ts';

describe('Deadline', () => {
  it('is past when the budget is used up, and stays so', () => {
    let now = 100;
    const deadline = new Deadline(5, () => now);
    expect(deadline.isPast).toBe(false);
    now = 104.9;
    expect(deadline.isPast).toBe(false);
    now = 105;
    expect(deadline.isPast).toBe(true);
    now = 0;
    expect(deadline.isPast).toBe(true);
  });

  it('is never past without a budget', () => {
    expect(new Deadline().isPast).toBe(false);
  });
});
