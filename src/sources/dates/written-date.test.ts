import { describe, expect, it } from 'vitest';
import { dayIn, findDate, readDate, shownOrder, type OrderOf } from './written-date.ts';

const unknown: OrderOf = () => null;

function read(text: string, orderOf = unknown): string | null {
  const date = readDate(text, orderOf);
  if (date === null || date === 'ambiguous') return date;
  expect(date.timestamp).toBe(Date.parse(date.iso));
  return date.iso.replace(/T00:00:00$/, '');
}

describe('readDate', () => {
  it.each([
    ['2024-05-16', '2024-05-16'],
    ['2024-5-6', '2024-05-06'],
    ['2024/05/16', '2024-05-16'],
    ['2024. 5. 16.', '2024-05-16'],
    ['20240516', '2024-05-16'],
    ['17.05.2024', '2024-05-17'],
    ['05/17/2024', '2024-05-17'],
    ['5/5/2024', '2024-05-05'],
    ['May 16th, 2024', '2024-05-16'],
    ['16-May-2024', '2024-05-16'],
    ['1st of May 2024', '2024-05-01'],
    ['2024 May 16', '2024-05-16'],
    ['16. Mai 2024', '2024-05-16'],
    ['jeudi 16 mai 2024', '2024-05-16'],
    ['16 de mayo de 2024', '2024-05-16'],
    ['16 мая 2024', '2024-05-16'],
    ['2024年5月16日', '2024-05-16'],
    ['2024-W20', '2024-05-13'],
    ['2024-W20-4', '2024-05-16'],
    ['2020-W53-7', '2021-01-03'],
    ['[[2024-05-16]]', '2024-05-16'],
    ['[[Daily/2024-05-16|yesterday]]', '2024-05-16'],
    ['[[2024/05/16]]', '2024-05-16'],
    ['<2024-05-16 Thu>', '2024-05-16'],
    ['2024-02-29', '2024-02-29'],
  ])('reads the day %s', (text, day) => {
    expect(read(text)).toBe(day);
  });

  it.each([
    ['Wednesday, May 1st 2024, 10:00:00 am', '2024-05-01T10:00:00'],
    ['2024-05-04 10:30 PM', '2024-05-04T22:30:00'],
    ['2024-05-04 22:30 PM', '2024-05-04T22:30:00'],
    ['2024-05-04 12:05 am', '2024-05-04T00:05:00'],
    ['May 4, 2024 10 p.m.', '2024-05-04T22:00:00'],
    ['2024-05-09 Thu 09:00', '2024-05-09T09:00:00'],
    ['2024-05-09 9:30', '2024-05-09T09:30:00'],
    ['Donnerstag, 16. Mai 2024 um 10:00 Uhr', '2024-05-16T10:00:00'],
    ['2024年5月16日 (木) 10:00', '2024-05-16T10:00:00'],
    ['202405141030', '2024-05-14T10:30:00'],
    ['20240514T103015Z', '2024-05-14T10:30:15Z'],
    ['2024-05-14T10:00:00.123+02:00', '2024-05-14T10:00:00+02:00'],
    ['2024-05-14 10:00:00 -0500', '2024-05-14T10:00:00-05:00'],
    ['2024-05-14T10:00:00+02:00[Europe/Berlin]', '2024-05-14T10:00:00+02:00'],
    ['Wed, 01 May 2024 10:00:00 GMT', '2024-05-01T10:00:00Z'],
    ['Wed May 01 2024 10:00:00 GMT+0200 (Central European Summer Time)', '2024-05-01T10:00:00+02:00'],
  ])('reads the time %s', (text, iso) => {
    expect(read(text)).toBe(iso);
  });

  it('reads seconds and milliseconds since 1970', () => {
    for (const text of ['1714644000', '1714644000000'])
      expect(readDate(text, unknown)).toMatchObject({ timestamp: 1_714_644_000_000 });
  });

  it.each([
    'tomorrow',
    '2024',
    '2024-05',
    '05/2024',
    '24-05-07',
    '2024-02-30',
    '31.04.2024',
    '2024-13-01',
    '2024-W54',
    '2024-05-01 24:00',
    '2024-05-01 10:61',
    '2024-05-01 10',
    '2024-05-01 - 2024-05-03',
    'before 2024-05-01',
    '2024-05-01 or so',
    '2024050110',
    '1850-01-01',
    '',
    'x'.repeat(10_000),
  ])('does not read %s', (text) => {
    expect(read(text)).toBeNull();
  });

  it('reads a date that may begin with the day or the month by the order, and not without one', () => {
    for (const text of ['03-05-2024', '3/5/2024', '03_05_2024 08:14 AM']) {
      expect(read(text)).toBe('ambiguous');
      expect(readDate(text, () => 'day-first')).toMatchObject({ day: '2024-05-03' });
      expect(readDate(text, () => 'month-first')).toMatchObject({ day: '2024-03-05' });
    }
    expect(read('05/17/2024', () => 'day-first')).toBe('2024-05-17');
    // Dates with dots begin with the day, unless the owner says else.
    expect(['1.2.2024', '03.04.2024', '05.17.2024'].map((text) => read(text))).toEqual([
      '2024-02-01',
      '2024-04-03',
      '2024-05-17',
    ]);
    expect(read('03.05.2024', () => 'month-first')).toBe('2024-03-05');
    expect(read('03/05/2024', (separator) => (separator === '/' ? 'month-first' : 'day-first'))).toBe(
      '2024-03-05',
    );
  });

  it('reads the order from the weekday', () => {
    expect(read('Friday, 03-05-2024')).toBe('2024-05-03');
    expect(read('03-05-2024 Tue')).toBe('2024-03-05');
    expect(read('Sunday, 03-05-2024')).toBe('ambiguous');
  });
});

describe('findDate', () => {
  it.each([
    ['2026-05-01 Planning', '2026-05-01'],
    ['Meeting 2026-05-01', '2026-05-01'],
    ['2026_05_01', '2026-05-01'],
    ['20260501', '2026-05-01'],
    ['202605011230 Planning', '2026-05-01'],
    ['Call 20240518', '2024-05-18'],
    ['IMG_20240518_123456', '2024-05-18'],
    ['May 15th, 2024', '2024-05-15'],
    ['Met Bob on 3 May 2024 at work', '2024-05-03'],
    ['2024年5月16日', '2024-05-16'],
    ['report 17_05_2024 final', '2024-05-17'],
    ['2024-W21', '2024-05-20'],
    ['Week 2024W21', '2024-05-20'],
  ])('finds the day in %s', (text, day) => {
    expect(dayIn(findDate(text)!, unknown)).toBe(day);
  });

  it.each([
    'Kitchen',
    '2026',
    '2026-05',
    '2025-02-29',
    '12345678',
    '2026-05-012',
    '202605',
    'CONV-2026-0501',
    'v1.2.2024',
    'Best of May 2024',
    'Top 10 set 2024',
  ])('finds none in %s', (text) => {
    expect(findDate(text)).toBeNull();
  });

  it('says which order a date shows', () => {
    const orders = ['17.05.2024', '05.17.2024', '03.05.2024', '05.05.2024', '2024-05-17'];
    expect(orders.map((text) => shownOrder(findDate(text)!))).toEqual([
      'day-first',
      'month-first',
      null,
      null,
      null,
    ]);
  });

  it.each(['1 ', 'a', 'may 1 ', '2024-', '. ', '1.', '[', '20'])('takes linear time for %s', (piece) => {
    const time = (length: number): number => {
      const text = piece.repeat(length / piece.length);
      const start = performance.now();
      findDate(text);
      return performance.now() - start;
    };
    time(20_000);
    expect(time(2_000_000)).toBeLessThan(2000);
  });
});
