import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { calendarText, event, todo } from './calendar-text.ts';
import { runProgram } from './run-program.ts';

const BERLIN = 'TZID=Europe/Berlin';

describe('times of ical.mjs', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'loci-times-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  /** Runs the program for the period from the day of `now` to `days` days later. Returns the timestamp of each document by id. */
  async function timesOf(
    components: readonly (readonly string[])[],
    { now, days, timeZone = 'Europe/Berlin' }: { now: string; days: number; timeZone?: string },
  ): Promise<Record<string, unknown>> {
    const file = join(folder, 'times.ics');
    writeFileSync(file, calendarText(components));
    const { documents, stderr } = await runProgram(
      'ical.mjs',
      [file, '--now', now, '--past', '0', '--days', String(days)],
      { timeZone },
    );
    expect(stderr).toBe('');
    return Object.fromEntries(documents.map(({ id, timestamp }) => [id, timestamp]));
  }

  const winter = { now: '2026-10-24T10:00:00Z', days: 2 };

  it('keep the local time at the end of summer time, except in UTC', async () => {
    const daily = 'RRULE:FREQ=DAILY;COUNT=3';
    const components = [
      event('zone', `DTSTART;${BERLIN}:20261024T100000`, daily),
      event('float', 'DTSTART:20261024T100000', daily),
      event('utc', 'DTSTART:20261024T100000Z', daily),
      event('day', 'DTSTART;VALUE=DATE:20261024', daily),
    ];
    expect(await timesOf(components, winter)).toEqual({
      'zone@2026-10-24T08:00:00Z': '2026-10-24T08:00:00Z',
      'zone@2026-10-25T09:00:00Z': '2026-10-25T09:00:00Z',
      'zone@2026-10-26T09:00:00Z': '2026-10-26T09:00:00Z',
      'float@2026-10-24T10:00:00': '2026-10-24T10:00:00',
      'float@2026-10-25T10:00:00': '2026-10-25T10:00:00',
      'float@2026-10-26T10:00:00': '2026-10-26T10:00:00',
      'utc@2026-10-24T10:00:00Z': '2026-10-24T10:00:00Z',
      'utc@2026-10-25T10:00:00Z': '2026-10-25T10:00:00Z',
      'utc@2026-10-26T10:00:00Z': '2026-10-26T10:00:00Z',
      'day@2026-10-24': '2026-10-24',
      'day@2026-10-25': '2026-10-25',
      'day@2026-10-26': '2026-10-26',
    });
  });

  it('that occur twice are the first of both, and skipped ones are an hour later', async () => {
    const night = `DTSTART;${BERLIN}:20261024T023000`;
    expect(await timesOf([event('twice', night, 'RRULE:FREQ=DAILY;COUNT=3')], winter)).toEqual({
      'twice@2026-10-24T00:30:00Z': '2026-10-24T00:30:00Z',
      'twice@2026-10-25T00:30:00Z': '2026-10-25T00:30:00Z',
      'twice@2026-10-26T01:30:00Z': '2026-10-26T01:30:00Z',
    });
    const skipped = [event('skipped', `DTSTART;${BERLIN}:20260328T023000`, 'RRULE:FREQ=DAILY;COUNT=3')];
    expect(await timesOf(skipped, { now: '2026-03-28T01:00:00Z', days: 2 })).toEqual({
      'skipped@2026-03-28T01:30:00Z': '2026-03-28T01:30:00Z',
      'skipped@2026-03-29T01:30:00Z': '2026-03-29T01:30:00Z',
      'skipped@2026-03-30T00:30:00Z': '2026-03-30T00:30:00Z',
    });
  });

  it('are removed by EXDATE and added by RDATE, in any zone', async () => {
    const components = [
      event(
        'series',
        `DTSTART;${BERLIN}:20261123T100000`,
        'RRULE:FREQ=DAILY;UNTIL=20261128T090000Z',
        `EXDATE;${BERLIN}:20261124T100000,20261125T100000`,
        'EXDATE:20261126T090000Z',
        'EXDATE;VALUE=DATE:20261127',
        'EXDATE:',
        'RDATE;TZID=America/New_York:20261129T100000',
        'RDATE;VALUE=PERIOD:20261130T090000Z/PT3H',
      ),
    ];
    expect(await timesOf(components, { now: '2026-11-22T10:00:00Z', days: 14 })).toEqual({
      'series@2026-11-23T09:00:00Z': '2026-11-23T09:00:00Z',
      'series@2026-11-28T09:00:00Z': '2026-11-28T09:00:00Z',
      'series@2026-11-29T15:00:00Z': '2026-11-29T15:00:00Z',
      'series@2026-11-30T09:00:00Z': '2026-11-30T09:00:00Z',
    });
  });

  it('of a moved occurrence change and its id does not, and a cancelled one is not printed', async () => {
    const rule = 'RRULE:FREQ=WEEKLY;COUNT=5';
    const components = [
      event('w', `RECURRENCE-ID;${BERLIN}:20261202T100000`, `DTSTART;${BERLIN}:20261203T140000`),
      event('w', `DTSTART;${BERLIN}:20261125T100000`, rule),
      event('w', 'RECURRENCE-ID:20261209T090000Z', 'DTSTART:20261209T090000Z', 'STATUS:CANCELLED'),
      // One occurrence is moved out of the period, and one into it.
      event('w', `RECURRENCE-ID;${BERLIN}:20261216T100000`, `DTSTART;${BERLIN}:20270115T100000`),
      event('w', 'RECURRENCE-ID;VALUE=DATE:20261223', `DTSTART;${BERLIN}:20261201T080000`),
      // This is the older of two versions.
      event('w', `RECURRENCE-ID;${BERLIN}:20261202T100000`, 'DTSTART:20261204T140000Z', 'SEQUENCE:-1'),
      event('alone', 'RECURRENCE-ID:20261130T100000Z', 'DTSTART:20261201T100000Z'),
    ];
    expect(await timesOf(components, { now: '2026-11-25T08:00:00Z', days: 24 })).toEqual({
      'w@2026-11-25T09:00:00Z': '2026-11-25T09:00:00Z',
      'w@2026-12-02T09:00:00Z': '2026-12-03T13:00:00Z',
      'w@2026-12-23T09:00:00Z': '2026-12-01T07:00:00Z',
      'alone@2026-11-30T10:00:00Z': '2026-12-01T10:00:00Z',
    });
  });

  it('of an occurrence and all later ones can be moved together, several times', async () => {
    const [id, from] = [`RECURRENCE-ID;RANGE=THISANDFUTURE;${BERLIN}`, `DTSTART;${BERLIN}`];
    const components = [
      event('w', `${from}:20261007T100000`, 'DURATION:PT1H', 'RRULE:FREQ=WEEKLY;COUNT=8'),
      event('w', `${id}:20261104T100000`, `${from}:20261105T080000`, 'DURATION:PT2H'),
      // This change is in summer time and also applies to occurrences in winter.
      event('w', `${id}:20261021T100000`, `${from}:20261021T150000`),
      event('w', `${id}:20261118T100000`, `${from}:20261118T100000`, 'STATUS:CANCELLED'),
    ];
    expect(await timesOf(components, { now: '2026-10-14T06:00:00Z', days: 60 })).toEqual({
      'w@2026-10-14T08:00:00Z': '2026-10-14T08:00:00Z',
      'w@2026-10-21T08:00:00Z': '2026-10-21T13:00:00Z',
      'w@2026-10-28T09:00:00Z': '2026-10-28T14:00:00Z',
      'w@2026-11-04T09:00:00Z': '2026-11-05T07:00:00Z',
      'w@2026-11-11T09:00:00Z': '2026-11-12T07:00:00Z',
    });
  });

  it('end with UNTIL, as a day, in UTC, or in local time', async () => {
    const late = `DTSTART;${BERLIN}:20261123T233000`;
    const components = [
      event('day', late, 'RRULE:FREQ=DAILY;UNTIL=20261124'),
      event('utc', late, 'RRULE:FREQ=DAILY;UNTIL=20261124T223000Z'),
      event('before', late, 'RRULE:FREQ=DAILY;UNTIL=20261124T222959Z'),
      event('clock', late, 'RRULE:FREQ=DAILY;UNTIL=20261124T233000'),
      // Outlook writes the end of whole days like this: midnight in Berlin, in UTC.
      event('whole', 'DTSTART;VALUE=DATE:20261123', 'RRULE:FREQ=DAILY;UNTIL=20261123T230000Z'),
    ];
    const found = await timesOf(components, { now: '2026-11-22T10:00:00Z', days: 14 });
    expect(Object.keys(found).sort()).toEqual([
      'before@2026-11-23T22:30:00Z',
      ...['clock', 'day', 'utc'].flatMap((uid) => [
        `${uid}@2026-11-23T22:30:00Z`,
        `${uid}@2026-11-24T22:30:00Z`,
      ]),
      'whole@2026-11-23',
      'whole@2026-11-24',
    ]);
  });

  it('may be in zones of Outlook, Evolution, or of a VTIMEZONE', async () => {
    const definition = [
      ...['BEGIN:VTIMEZONE', 'TZID:Mine', 'BEGIN:STANDARD', 'DTSTART:19700101T000000', 'TZOFFSETFROM:+0130'],
      ...[
        'TZOFFSETTO:+0130',
        'END:STANDARD',
        'BEGIN:DAYLIGHT',
        'DTSTART:20261125T020000',
        'RDATE:20281125T020000',
      ],
      ...['TZOFFSETFROM:+0130', 'TZOFFSETTO:+0300', 'END:DAYLIGHT', 'END:VTIMEZONE'],
    ];
    const components = [
      event('windows', 'DTSTART;TZID=W. Europe Standard Time:20261124T100000'),
      event(
        'label',
        'DTSTART;TZID="(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna":20261124T100000',
      ),
      event('path', 'DTSTART;TZID=/freeassociation.sourceforge.net/Europe/Berlin:20261124T100000'),
      event('mine', 'DTSTART;TZID=Mine:20261124T100000', 'RRULE:FREQ=DAILY;COUNT=2'),
      definition,
      // A zone with a standard name has its current rules, not those that the file defines.
      event('law', 'DTSTART;TZID=Asia/Tokyo:20261124T100000'),
      definition.map((line) => (line === 'TZID:Mine' ? 'TZID:Asia/Tokyo' : line)),
    ];
    expect(await timesOf(components, { now: '2026-11-22T10:00:00Z', days: 14 })).toEqual({
      law: '2026-11-24T01:00:00Z',
      windows: '2026-11-24T09:00:00Z',
      label: '2026-11-24T09:00:00Z',
      path: '2026-11-24T09:00:00Z',
      'mine@2026-11-24T08:30:00Z': '2026-11-24T08:30:00Z',
      'mine@2026-11-25T07:00:00Z': '2026-11-25T07:00:00Z',
    });
  });

  it('include events that began earlier, and days on which the clocks change', async () => {
    const file = join(folder, 'long.ics');
    const components = [
      event('night', `DTSTART;${BERLIN}:20261024T220000`, `DTEND;${BERLIN}:20261025T030000`),
      event('nominal', `DTSTART;${BERLIN}:20261024T220000`, 'DURATION:P1D'),
      event('exact', `DTSTART;${BERLIN}:20261024T220000`, 'DURATION:PT24H'),
      event('over', `DTSTART;${BERLIN}:20261024T090000`, 'DURATION:PT1H'),
      event('holiday', 'DTSTART;VALUE=DATE:20261020', 'DTEND;VALUE=DATE:20261026'),
      event('was', 'DTSTART;VALUE=DATE:20261020', 'DTEND;VALUE=DATE:20261025'),
    ];
    writeFileSync(file, calendarText(components));
    const args = [file, '--now', '2026-10-25T10:00:00Z', '--past', '0', '--days', '0'];
    const { documents } = await runProgram('ical.mjs', args, { timeZone: 'Europe/Berlin' });
    expect(Object.fromEntries(documents.map(({ id, metadata }) => [id, metadata['ends']]))).toEqual({
      night: '2026-10-25T02:00:00Z',
      nominal: '2026-10-25T21:00:00Z',
      exact: '2026-10-25T20:00:00Z',
      holiday: '2026-10-25',
    });
    expect(documents.map(({ text }) => text)).toContain(
      'night · Sat 24 Oct 2026, 22:00 – Sun 25 Oct 2026, 03:00',
    );
  });

  it('of todos are their due times; open todos stay, completed ones expire', async () => {
    const file = join(folder, 'todos.ics');
    const components = [
      todo('overdue', 'DUE;VALUE=DATE:20260101'),
      todo('undated'),
      todo('done', 'DUE:20261122T100000Z', 'STATUS:COMPLETED', 'COMPLETED:20261122T080000Z'),
      todo('long done', 'STATUS:COMPLETED', 'COMPLETED:20261101T080000Z'),
      todo('dropped', 'DUE;VALUE=DATE:20261122', 'STATUS:CANCELLED'),
      todo(
        'rent',
        `DTSTART;${BERLIN}:20260901T090000`,
        `DUE;${BERLIN}:20260901T180000`,
        'RRULE:FREQ=MONTHLY',
      ),
      todo(
        'rent',
        `RECURRENCE-ID;${BERLIN}:20261201T090000`,
        `DUE;${BERLIN}:20261202T180000`,
        'PERCENT-COMPLETE:100',
      ),
    ];
    writeFileSync(file, calendarText(components));
    const { documents } = await runProgram('ical.mjs', [file, '--now', '2026-11-22T10:00:00Z'], {
      timeZone: 'Europe/Berlin',
    });
    expect(documents.map(({ id, timestamp, completed }) => [id, timestamp, completed])).toEqual([
      ['undated', undefined, false],
      ['overdue', '2026-01-01', false],
      ['rent@2026-11-01T08:00:00Z', '2026-11-01T17:00:00Z', false],
      ['done', '2026-11-22T10:00:00Z', true],
      ['rent@2026-12-01T08:00:00Z', '2026-12-02T17:00:00Z', true],
    ]);
  });
});
