import { describe, expect, it } from 'vitest';
import type { Json } from '../../core/types.ts';
import { dateField, modifiedDate, noteDates } from './note-dates.ts';

function datesOf(properties: Record<string, Json>, fileName = 'Note'): ReturnType<typeof noteDates> {
  const fields = Object.entries(properties).flatMap(([property, value]) => dateField(property, value) ?? []);
  return noteDates(fields, fileName, () => null);
}

describe('the dates of a note', () => {
  it.each([
    ...['created', 'Created', 'CREATED', 'createdAt', 'created_at', 'created-at', 'creation_date'],
    ...['creationDate', 'date created', 'date-created', 'Creation Date'],
  ])('are read from `%s`', (property) => {
    expect(datesOf({ [property]: '2024-05-16' }).created?.day).toBe('2024-05-16');
  });

  it.each([
    'updated',
    'modified',
    'updated_at',
    'lastmod',
    'Last Modified',
    'date modified',
    'modificationDate',
  ])('are read from `%s`', (property) => {
    expect(datesOf({ [property]: '2024-05-16' }).metadata).toEqual({ modified: '2024-05-16T00:00:00' });
  });

  it('are those of the front matter, or else that of the name of the file', () => {
    expect(datesOf({ created: '2026-01-02', date: '2026-03-04' }, '2026-05-06').metadata).toEqual({
      date: '2026-03-04',
      created: '2026-01-02',
    });
    expect(datesOf({ created: '2026-01-02' }, '2026-05-06').metadata).toEqual({
      date: '2026-01-02',
      created: '2026-01-02',
    });
    expect(datesOf({ date: '2026-01-02', created: '2026-01-02' }).metadata).toEqual({ date: '2026-01-02' });
    expect(datesOf({}, '2026-05-06').metadata).toEqual({ date: '2026-05-06' });
    expect(datesOf({ title: '2026-01-01' })).toMatchObject({ created: null, metadata: {} });
  });

  it('may be a number, a list of one, or a link without quotes', () => {
    for (const value of [20240516, ['2024-05-16'], [['2024-05-16']], '[[2024-05-16]]'])
      expect(datesOf({ date: value }).created?.day).toBe('2024-05-16');
  });

  it('are named if they cannot be read, and the first that can counts', () => {
    const { created, unreadable } = datesOf({
      created: 'soon',
      createdAt: '2026-01-02',
      updated: ['a', 'b'],
    });
    expect([created?.day, unreadable]).toEqual(['2026-01-02', ['created: soon', 'updated: a, b']]);
    expect(datesOf({ date: '2024', created: 5 }, '2026-05-06')).toMatchObject({
      metadata: { date: '2026-05-06' },
      unreadable: ['created: 5'],
    });
    const placeholders = { date: '{{date}}', created: '<% tp.date.now() %>', updated: '', modified: null };
    expect(datesOf(placeholders).unreadable).toEqual([]);
  });

  it.each([
    ['2024-05', { date: '2024-05-01', period: '2024-05' }],
    ['2024-05 Review', { date: '2024-05-01', period: '2024-05' }],
    ['May 2024', { date: '2024-05-01', period: '2024-05' }],
    ['2024-Q2', { date: '2024-04-01', period: '2024-Q2' }],
    ['2024-Q4 - goals', { date: '2024-10-01', period: '2024-Q4' }],
    ['Q3 2024', { date: '2024-07-01', period: '2024-Q3' }],
    ['2023', { date: '2023-01-01', period: '2023' }],
    ['2024年5月', { date: '2024-05-01', period: '2024-05' }],
    ['1984', {}],
    ['2024-13', {}],
    ['2024 taxes', {}],
    ['Best of May 2024', {}],
    ['CONV-2026-05', {}],
  ])('may be a period in the name of the file: %s', (name, metadata) => {
    expect(datesOf({}, name).metadata).toEqual(metadata);
  });

  it('may be a period in a property, unless a day is known', () => {
    for (const created of ['[[2024/05]]', '2024-05', '[[Monthly/2024-05]]', 'May 2024'])
      expect(datesOf({ created }).metadata).toEqual({ date: '2024-05-01', period: '2024-05' });
    expect(datesOf({ date: 2023 }, 'Plans').metadata).toEqual({ date: '2023-01-01', period: '2023' });
    expect(datesOf({ date: '2024-05' }, '2024-05-09').metadata).toEqual({ date: '2024-05-09' });
    expect(datesOf({ updated: '2024-05' })).toMatchObject({ metadata: {}, unreadable: [] });
  });

  it.each([
    '2024-05-05T00:00:00.000Z',
    '2024-05-05T23:30:00-08:00',
    '2024-05-05T00:30:00+14:00',
    '2024-05-05',
  ])('are days, wherever they were written: %s', (date) => {
    const { created, metadata } = datesOf({ date });
    const local = new Date(created!.timestamp);
    expect([local.getFullYear(), local.getMonth() + 1, local.getDate()]).toEqual([2024, 5, 5]);
    expect(metadata).toEqual({ date: '2024-05-05' });
  });

  it('are not those of a person or a work that the note is about', () => {
    const inline = (property: string, value: string) =>
      noteDates([dateField(property, value, true)!], 'Note', () => null);
    expect(datesOf({ 'date-created': '1932-05-06' })).toMatchObject({ created: null, metadata: {} });
    expect(inline('date', '1932-05-06')).toMatchObject({ created: null, metadata: {}, unreadable: [] });
    expect(inline('date', '2024-05-06').metadata).toEqual({ date: '2024-05-06' });
    // A diary that was copied.
    expect(datesOf({ date: '1932-05-06' }).metadata).toEqual({ date: '1932-05-06' });
  });

  it('may be in `data`, if its value is a date', () => {
    expect(datesOf({ data: '2024-05-16' }).metadata).toEqual({ date: '2024-05-16' });
    expect(datesOf({ data: '03/05/2024' }).ambiguous).toEqual(['data: 03/05/2024']);
    for (const data of ['a table', 5, ['x', 'y'], { rows: 3 }, true])
      expect(datesOf({ data })).toMatchObject({ metadata: {}, unreadable: [] });
  });

  it('are named if their order is not known, in properties and names of files', () => {
    expect(datesOf({ created: '03-05-2024' })).toMatchObject({
      created: null,
      metadata: {},
      ambiguous: ['created: 03-05-2024'],
    });
    expect(datesOf({ updated: '2024-05-16' }, '03-05-2024')).toMatchObject({
      metadata: { modified: '2024-05-16T00:00:00' },
      ambiguous: ['03-05-2024'],
    });
    expect(datesOf({ date: '2024-05-16' }, '03-05-2024').ambiguous).toEqual([]);
  });
});

it('the last change is read from the metadata of a record', () => {
  expect(modifiedDate({ modified: '2024-05-16T10:00:00+02:00' })).toMatchObject({
    day: '2024-05-16',
    timestamp: Date.parse('2024-05-16T10:00:00+02:00'),
  });
  for (const modified of ['lately', 5, null, '03-05-2024']) expect(modifiedDate({ modified })).toBeNull();
});
