import { describe, expect, it } from 'vitest';
import { ageText, durationText, expiryText, localTimeText, timeLeftText } from './times.ts';

/** Converts a local time to ISO 8601 in UTC, the format of outputs. */
function iso(local: string): string {
  return new Date(local).toISOString();
}

const now = Date.parse('2026-11-22T09:15:53');

describe('times', () => {
  it('expiryText shows the day, and the time of day if it is near', () => {
    expect(expiryText(iso('2026-12-22T09:15:53'), now)).toBe('22 December 2026');
    expect(expiryText(iso('2026-11-24T09:15:53'), now)).toBe('24 November 2026');
    expect(expiryText(iso('2026-11-24T09:15:52'), now)).toBe('24 November 2026, 09:15');
  });

  it('localTime uses the local time zone', () => {
    expect(localTimeText(iso('2026-11-02T03:04:05'))).toBe('2026-11-02 03:04:05');
  });

  it('ageText and timeLeftText show a distance from now', () => {
    expect(ageText(iso('2026-11-19T09:15:53'), now)).toBe('3d ago');
    expect(timeLeftText(iso('2026-11-22T11:15:53'), now)).toBe('2h left');
    expect(timeLeftText(iso('2026-11-22T09:16:00'), now)).toBe('<1min left');
    expect(timeLeftText(iso('2026-11-22T09:15:53'), now)).toBe('expired');
  });

  it.each([
    [0.42, '0.4 s'],
    [99.6, '100 s'],
    [119, '2 min'],
    [7500, '2 h 5 min'],
  ])('durationText shows %d seconds as %s', (seconds, text) => {
    expect(durationText(seconds)).toBe(text);
  });
});
