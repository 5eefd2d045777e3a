import { describe, expect, it } from 'vitest';
import { upcomingDay } from './calendar.ts';

/** A Sunday, in the local time zone. */
const NOW = new Date(2026, 10, 22, 15, 30).getTime();

describe('upcomingDay', () => {
  it.each([
    ['today 15:31', new Date(2026, 10, 22, 15, 31)],
    ['today 23:59', new Date(2026, 10, 22, 23, 59)],
    ['tomorrow 00:01', new Date(2026, 10, 23, 0, 1)],
    ['tomorrow 10:00', new Date(2026, 10, 23, 10)],
    ['Tuesday 10:05', new Date(2026, 10, 24, 10, 5)],
    ['Saturday 23:59', new Date(2026, 10, 28, 23, 59)],
    // The same weekday again is a date: "Sunday" would be today.
    ['29 Nov', new Date(2026, 10, 29, 10)],
    ['4 Dec', new Date(2026, 11, 4)],
    ['3 Jan 2027', new Date(2027, 0, 3)],
    // Midnight means the whole day.
    ['today', new Date(2026, 10, 22)],
    ['tomorrow', new Date(2026, 10, 23)],
    ['Friday', new Date(2026, 10, 27)],
  ])('returns "%s"', (words, time) => {
    const ahead = upcomingDay(time.getTime(), NOW);
    expect([ahead?.day, ...(ahead?.time ? [ahead.time] : [])].join(' ')).toBe(words);
  });

  it('returns null for past times: this minute, this morning, yesterday', () => {
    for (const time of [
      NOW,
      new Date(2026, 10, 22, 9).getTime(),
      new Date(2026, 10, 21).getTime(),
      new Date(2026, 10, 21, 23, 59).getTime(),
    ])
      expect(upcomingDay(time, NOW)).toBeNull();
  });

  it('counts days correctly when daylight saving time begins or ends', () => {
    for (let days = 0; days < 800; days++) {
      const noon = new Date(2026, 0, 1 + days, 12).getTime();
      const next = new Date(2026, 0, 2 + days).getTime();
      expect(upcomingDay(next, noon)).toEqual({ day: 'tomorrow', time: null });
    }
  });
});
