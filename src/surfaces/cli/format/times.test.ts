import { describe, expect, it } from 'vitest';
import { ageInWords, leftInWords, localDay, localTime, untilInWords } from './times.ts';

/** A time of this machine's zone, as answers tell it. */
function iso(local: string): string {
  return new Date(local).toISOString();
}

const now = Date.parse('2026-11-22T09:15:53');

describe('times for people', () => {
  it('say until when: the day, and the time of day where it is near', () => {
    expect(untilInWords(iso('2026-12-22T09:15:53'), now)).toBe('22 December 2026');
    expect(untilInWords(iso('2026-11-24T09:15:53'), now)).toBe('24 November 2026');
    expect(untilInWords(iso('2026-11-24T09:15:52'), now)).toBe('24 November 2026, 09:15');
  });

  it('say when, in the zone in which a reader lives', () => {
    expect(localTime(iso('2026-11-02T03:04:05'))).toBe('2026-11-02 03:04:05');
  });

  it('say the day alone of what begins with it', () => {
    expect(localDay(iso('2026-11-02T00:00:00'))).toBe('2026-11-02');
    expect(localDay(iso('2026-11-02T00:00:01'))).toBe('2026-11-02 00:00:01');
    expect(localDay(iso('2026-11-02T10:00:00'))).toBe('2026-11-02 10:00:00');
  });

  it('say how long ago, and how much is left', () => {
    expect(ageInWords(iso('2026-11-19T09:15:53'), now)).toBe('3d ago');
    expect(leftInWords(iso('2026-11-22T11:15:53'), now)).toBe('2h left');
    expect(leftInWords(iso('2026-11-22T09:16:00'), now)).toBe('<1min left');
    expect(leftInWords(iso('2026-11-22T09:15:53'), now)).toBe('over');
  });
});
