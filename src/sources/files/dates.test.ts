import { describe, expect, it } from 'vitest';
import { changedDate, createdDate, noteDate, timeOfFile } from './dates.ts';

describe('noteDate', () => {
  it.each([
    ['2026-05-01', '2026-05-01'],
    ['2026-05-01 Planning', '2026-05-01'],
    ['Meeting 2026-05-01', '2026-05-01'],
    ['2026_05_01', '2026-05-01'],
    ['2026.05.01', '2026-05-01'],
    ['20260501', '2026-05-01'],
    ['202605011230 Planning', '2026-05-01'],
    ['2024-02-29', '2024-02-29'],
  ])('of a file named %s is %s', (fileName, day) => {
    expect(noteDate({}, fileName)).toEqual({ day, timestamp: new Date(`${day}T00:00:00`).getTime() });
  });

  it.each([
    'Kitchen',
    '2026',
    '2026-05',
    '2025-02-29',
    '2026-13-01',
    '12345678',
    '2026-05-012',
    '202605',
    'CONV-2026-0501',
  ])('of a file named %s is unknown', (fileName) => {
    expect(noteDate({}, fileName)).toBeNull();
  });

  it('prefers the front matter to the name of the file', () => {
    expect(noteDate({ created: '2026-01-02', date: '2026-03-04' }, '2026-05-06')?.day).toBe('2026-03-04');
    expect(noteDate({ created: '2026-01-02' }, '2026-05-06')?.day).toBe('2026-01-02');
    expect(noteDate({ date: 'tomorrow', created: 5 }, '2026-05-06')?.day).toBe('2026-05-06');
  });
});

describe('createdDate', () => {
  it.each([
    ['2026-05-01', '2026-05-01T00:00:00'],
    ['2026-5-1', '2026-05-01T00:00:00'],
    ['2026-05-01 9:30', '2026-05-01T09:30:00'],
    ['2026-05-01T09:30:15', '2026-05-01T09:30:15'],
    ['2026-05-01T09:30:15.123Z', '2026-05-01T09:30:15Z'],
    ['2026-05-01 09:30:15 +0200', '2026-05-01T09:30:15+02:00'],
  ])('parses %s', (written, iso) => {
    expect(createdDate({ created: written })).toEqual({ day: '2026-05-01', timestamp: Date.parse(iso) });
  });

  it.each(['2026-05-32', '2026-05-01 24:00', '2026-05-01 10:61', '01.05.2026', '', 'x'.repeat(10_000)])(
    'returns null for %s',
    (written) => {
      expect(createdDate({ created: written })).toBeNull();
    },
  );

  it('prefers `created` to `date`', () => {
    expect(createdDate({ date: '2026-03-04', created: '2026-01-02' })?.day).toBe('2026-01-02');
    expect(createdDate({ date: '2026-03-04' })?.day).toBe('2026-03-04');
  });
});

describe('changedDate', () => {
  it.each(['updated', 'modified', 'updated_at', 'lastmod', 'date modified'])('reads `%s`', (field) => {
    expect(changedDate({ created: '2026-01-02', [field]: '2026-03-04' })?.day).toBe('2026-03-04');
  });

  it('is null for a note that does not say so', () => {
    expect(changedDate({ date: '2026-03-04', created: '2026-01-02' })).toBeNull();
  });
});

describe('timeOfFile', () => {
  it('limits times to what ISO 8601 can write', () => {
    expect(timeOfFile(1_795_000_000_123n)).toBe(1_795_000_000_123);
    for (const outOfRange of [8_640_000_000_000_001n, 2n ** 60n]) {
      expect(new Date(timeOfFile(outOfRange)).toISOString()).toBe('9999-12-31T00:00:00.000Z');
      expect(new Date(timeOfFile(-outOfRange)).toISOString()).toBe('0001-01-01T00:00:00.000Z');
    }
  });
});
