import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTimestamp } from './timestamp.ts';

function timeOf(raw: string | number): number | null {
  return readTimestamp(raw)?.time ?? null;
}

describe('parsing timestamps', () => {
  it('accepts a number of milliseconds, or of seconds if it is small', () => {
    expect(timeOf(1_764_060_000_000)).toBe(1_764_060_000_000);
    expect(timeOf(1_764_060_000)).toBe(1_764_060_000_000);
    expect(timeOf(1_764_060_000.5)).toBe(1_764_060_000_500);
    expect(timeOf('1764060000')).toBe(1_764_060_000_000);
    expect(timeOf('1764060000000')).toBe(1_764_060_000_000);
    expect(timeOf(-86_400)).toBe(-86_400_000);
    expect(timeOf(0)).toBe(0);
  });

  it('accepts ISO 8601 with a zone, extended or basic', () => {
    const time = Date.UTC(2026, 10, 25, 9, 30);
    for (const written of [
      '2026-11-25T09:30:00Z',
      '2026-11-25t09:30z',
      '20261125T093000Z',
      '2026-11-25T10:30:00+01:00',
      '2026-11-25 10:30:00 +0100',
      '20261125T043000-05',
      ' 2026-11-25T15:00:00.000+05:30 ',
    ])
      expect(timeOf(written), written).toBe(time);
    expect(timeOf('2026-11-25T09:30:00.1239Z')).toBe(time + 123);
    expect(timeOf('0050-01-01T00:00:00Z')).toBe(Date.parse('0050-01-01T00:00:00Z'));
  });

  it('interprets a day or time without a zone as local', () => {
    const midnight = new Date(2026, 10, 25).getTime();
    for (const written of ['2026-11-25', '20261125', '2026-11-25T00:00', '20261125T000000'])
      expect(timeOf(written), written).toBe(midnight);
    expect(timeOf('2026-11-25 18:05')).toBe(new Date(2026, 10, 25, 18, 5).getTime());
  });

  it('returns null for other values', () => {
    for (const written of [
      '',
      'tomorrow',
      '2026-02-30',
      '2026-13-01',
      '2026-00-10',
      '2026-11-25T24:00:00Z',
      '2026-11-25T10:61Z',
      '2026-11-25T10:00:00+25:00',
      '25.11.2026',
      '2026-11',
      '202611',
      '202611250930',
      '0000-01-01T00:00:00Z',
      '１２３４-11-25',
    ])
      expect(timeOf(written), written).toBeNull();
    for (const number of [Infinity, NaN, -Infinity, 1e20, -1e20]) expect(timeOf(number)).toBeNull();
  });

  it('parses every ISO 8601 time, and never throws', () => {
    const times = fc.date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true });
    fc.assert(
      fc.property(times, (time) => {
        expect(timeOf(time.toISOString())).toBe(time.getTime());
      }),
    );
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.double()), (written) => {
        const read = timeOf(written);
        expect(read === null || Number.isInteger(read)).toBe(true);
      }),
    );
  });

  it('says which day is meant, or may be', () => {
    const day = new Date(2026, 4, 2).getTime();
    for (const written of ['2026-05-02', '20260502'])
      expect(readTimestamp(written), written).toEqual({ time: day, day, hasTime: false });
    for (const written of [
      ...['2026-05-02T00:00:00.000Z', '2026-05-02T00:00Z', '20260502T000000Z', '2026-05-02T00:00:00+14:00'],
      ...['2026-05-02T00:00:00-12:00', '2026-05-02T00:00:00.0000000', '2026-05-02T23:59:59.999Z'],
      ...['2026-05-02T23:59:59+0530', Date.UTC(2026, 4, 2), Date.UTC(2026, 4, 2) / 1000, day],
      new Date(day).toISOString(),
    ])
      expect(readTimestamp(written), String(written)).toMatchObject({ day, hasTime: true });
    const afternoon = new Date(2026, 4, 2, 15, 7);
    for (const written of [afternoon.toISOString(), '2026-05-02T15:07', afternoon.getTime()])
      expect(readTimestamp(written), String(written)).toMatchObject({ day: null, hasTime: true });
  });
});
