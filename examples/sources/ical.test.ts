import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { calendarText, event } from './calendar-text.ts';
import { EXAMPLES, type PrintedDocument, runProgram } from './run-program.ts';

describe('ical.mjs', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'loci-ical-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('prints two weeks from yesterday of the sample calendars', async () => {
    const { code, documents, stderr } = await runProgram('ical.mjs', [
      'data/calendars',
      ...['--now', '2026-11-22T12:00:00Z'],
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(documents.map(({ text }) => text.split('\n')[0])).toEqual([
      'Wrap the hand plane for Erik · done',
      'Kitchen cabinets go in · Mon 23 Nov 2026 – Fri 27 Nov 2026',
      'Paper and glass collection · Tue 24 Nov 2026',
      "Parents' evening · Tue 24 Nov 2026, 17:40–18:20 · at Gullwing School, classes 2A and 6B",
      'Choose cabinet handles · due Wed 25 Nov 2026',
      'Orchestra (6B) · Wed 25 Nov 2026, 15:15–16:15',
      'Forest school (2A) · Fri 27 Nov 2026',
      'Brightwell delivers the range · Tue 1 Dec 2026',
      'Orchestra (6B) · Tue 1 Dec 2026, 15:15–16:15',
      'Dentist, both children · Wed 2 Dec 2026, 10:10–10:50 · at Dr Okonjo-Reyes, Pier Road',
      'Forest school (2A) · Fri 4 Dec 2026',
      "Book club: The Quiet Ledger · Thu 3 Dec 2026, 19:30–21:30 · at Mei Lin's",
      "Choir (Erik), dress rehearsal · Fri 4 Dec 2026, 18:00–20:00 · at St Brannock's chapel",
    ]);
  });

  it('reads a line that is folded within a character', async () => {
    const text = calendarText([event('a', 'DTSTART:20261124T100000Z', 'LOCATION:Café Zoë')]);
    const file = join(folder, 'folded.ics');
    const bytes = Buffer.from(text);
    const at = bytes.indexOf('é') + 1;
    writeFileSync(file, Buffer.concat([bytes.subarray(0, at), Buffer.from('\r\n '), bytes.subarray(at)]));
    const { documents } = await runProgram('ical.mjs', [file, '--now', '2026-11-22T12:00:00Z']);
    expect(documents.map((each) => each.text)).toEqual(['a · Tue 24 Nov 2026, 05:00 · at Café Zoë']);
  });

  it('fails with the command that installs node-ical when the package is missing', async () => {
    const copy = join(folder, 'copy');
    cpSync(EXAMPLES, copy, { recursive: true, filter: (path) => !path.endsWith('.test.ts') });
    const { code, stdout, stderr } = await runProgram('ical.mjs', ['data/calendars'], {
      examples: `${copy}/`,
    });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      'ical: the package node-ical is missing: run `npm install node-ical` in the folder of ical.mjs\n',
    );
    expect((await runProgram('ical.mjs', ['--help'], { examples: `${copy}/` })).code).toBe(0);
  });

  it('prints all fields of an event, unfolded and without escapes', async () => {
    const { documents } = await runProgram('ical.mjs', ['data/calendars', '--now', '2026-12-02T12:00:00Z']);
    expect(documents.find(({ id }) => id === 'dentist-2026-12@cormorant.example')).toEqual({
      id: 'dentist-2026-12@cormorant.example',
      title: 'Dentist, both children',
      text:
        'Dentist, both children · Wed 2 Dec 2026, 10:10–10:50 · at Dr Okonjo-Reyes, Pier Road\n' +
        "Nils's molar has a white spot to look at. Bring the insurance card.\nParking is behind the pier.",
      timestamp: '2026-12-02T15:10:00Z',
      tags: ['health', 'children'],
      metadata: { calendar: 'Family', location: 'Dr Okonjo-Reyes, Pier Road', ends: '2026-12-02T15:50:00Z' },
    });
    expect(documents.find(({ title }) => title === 'Brightwell delivers the range')).toMatchObject({
      timestamp: '2026-12-01',
      url: 'https://brightwell.example/orders/BW-60418',
    });
  });

  it('keeps the local time of a series at the end of summer time, in a zone that the file defines', async () => {
    const { documents } = await runProgram('ical.mjs', [
      'data/calendars/school.ics',
      ...['--now', '2026-10-18T12:00:00Z', '--days', '17'],
    ]);
    const orchestra = documents.filter(({ title }) => title === 'Orchestra (6B)');
    expect(orchestra.map(({ timestamp }) => timestamp)).toEqual([
      '2026-10-20T19:15:00Z',
      '2026-11-03T20:15:00Z',
    ]);
  });

  it('writes days and times in the local zone', async () => {
    const { documents } = await runProgram(
      'ical.mjs',
      ['data/calendars/family.ics', '--now', '2026-12-02T12:00:00Z', '--past', '0', '--days', '0'],
      { timeZone: 'Europe/Berlin' },
    );
    expect(documents.map(({ text }) => text.split('\n')[0])).toContain(
      'Dentist, both children · Wed 2 Dec 2026, 16:10–16:50 · at Dr Okonjo-Reyes, Pier Road',
    );
  });

  it('prints the newer of two versions, in any order and file', async () => {
    const versions = join(folder, 'versions');
    mkdirSync(versions);
    const at = (hour: number, ...lines: readonly string[]) =>
      event('v', `DTSTART:20261125T${hour}0000`, ...lines);
    writeFileSync(join(versions, 'a.ics'), calendarText([at(12, 'SEQUENCE:2'), at(11, 'SEQUENCE:1')]));
    writeFileSync(join(versions, 'b.ics'), calendarText([at(14, 'SEQUENCE:2', 'DTSTAMP:20261120T100000Z')]));
    writeFileSync(join(versions, 'c.ics'), calendarText([at(13, 'SEQUENCE:2', 'DTSTAMP:20261119T100000Z')]));
    const { documents } = await runProgram('ical.mjs', [versions, '--now', '2026-11-22T12:00:00Z']);
    // A time without a zone is a local time.
    expect(documents.map(({ id, text }) => [id, text])).toEqual([['v', 'v · Wed 25 Nov 2026, 14:00']]);
    writeFileSync(join(versions, 'd.ics'), calendarText([at(14, 'SEQUENCE:3')], ['METHOD:CANCEL']));
    const cancelled = await runProgram('ical.mjs', [versions, '--now', '2026-11-22T12:00:00Z']);
    expect(cancelled.documents).toEqual([]);
  });

  it('keeps to the limits of documents', async () => {
    const file = join(folder, 'long.ics');
    const long = '🎻 '.repeat(4000);
    const lines = ['SUMMARY', 'LOCATION', 'DESCRIPTION', 'CATEGORIES'].map((name) => `${name}:${long}`);
    const uid = `UID:${long}`;
    const many = `CATEGORIES:${Array.from({ length: 200 }, (_, index) => `c${index}`).join(',')}`;
    const component = ['BEGIN:VEVENT', uid, ...lines, many, 'URL:not an address', 'DTSTART:20261125T100000Z'];
    writeFileSync(file, calendarText([[...component, 'END:VEVENT']]));
    const { documents } = await runProgram('ical.mjs', [file, '--now', '2026-11-22T12:00:00Z']);
    const [{ id, title = '', text, tags = [], metadata, ...rest }] = documents as [PrintedDocument];
    expect(rest).toEqual({ timestamp: '2026-11-25T10:00:00Z' });
    expect(id).toMatch(/^[0-9a-f]{64}$/);
    expect([title.length, tags.length, tags[0]?.length]).toEqual([500, 64, 99]);
    expect(String(metadata['location']).length).toBe(300);
    expect(text.length).toBeLessThan(3000);
    expect([title, text, ...tags].every((part) => part.isWellFormed())).toBe(true);
  });

  it('reports an invalid file and an unsupported series, and prints the others', async () => {
    const family = join(folder, 'mixed');
    mkdirSync(family);
    const day = 'DTSTART;VALUE=DATE:20261125';
    writeFileSync(join(family, 'a.ics'), 'once upon a time');
    writeFileSync(
      join(family, 'b.ics'),
      calendarText([
        event('good', day),
        event('often', day, 'RRULE:FREQ=SECONDLY'),
        event('garbled', day, 'RRULE:every day'),
        event('when', 'DTSTART:soon'),
        event('where', 'DTSTART;TZID=Nowhere:20261125T100000'),
      ]),
    );
    writeFileSync(join(family, 'c.ics'), calendarText([event('kept', day)]).replace(/END:VEVENT.*/s, 'SUMM'));
    writeFileSync(join(family, 'notes.txt'), 'no calendar');
    const { code, documents, stderr } = await runProgram('ical.mjs', [
      family,
      join(folder, 'missing'),
      ...['--now', '2026-11-22T12:00:00Z'],
    ]);
    expect(code).toBe(0);
    expect(documents.map(({ id }) => id)).toEqual(['good']);
    expect(stderr.replaceAll(folder, '').trim().split('\n')).toEqual([
      'ical: /missing: there is no such file or folder',
      'ical: /mixed/a.ics: not an iCalendar file',
      'ical: /mixed/c.ics: ends within VEVENT, which is left out',
      'ical: "often" (often): it repeats SECONDLY: that is not followed',
      'ical: "garbled" (garbled): the rule "every day" is not understood',
      'ical: "when" (when): "soon" is no time',
      'ical: "where" (where): nobody knows the time zone "Nowhere"',
    ]);
  });

  it('names a calendar by its name, its file, or its folder if every event has a file', async () => {
    const lake = join(folder, 'lake');
    mkdirSync(lake);
    const day = 'DTSTART;VALUE=DATE:20261125';
    writeFileSync(join(lake, 'one.ics'), calendarText([event('one', day)]));
    writeFileSync(join(lake, 'sea.ics'), calendarText([event('two', day), event('three', day)]));
    writeFileSync(join(lake, 'x.ics'), calendarText([event('four', day)], ['X-WR-CALNAME:Pond']));
    const { documents } = await runProgram('ical.mjs', [lake, '--now', '2026-11-22T12:00:00Z']);
    expect(documents.map(({ id, metadata }) => [id, metadata['calendar']])).toEqual([
      ['four', 'Pond'],
      ['one', 'lake'],
      ['three', 'sea'],
      ['two', 'sea'],
    ]);
  });

  it('prints nothing for a folder without calendars', async () => {
    expect(await runProgram('ical.mjs', [EXAMPLES])).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  it('exits with 1 if nothing could be read', async () => {
    const missing = await runProgram('ical.mjs', ['missing.ics', 'data']);
    expect(missing).toMatchObject({ code: 0, stdout: '' });
    const { code, stdout, stderr } = await runProgram('ical.mjs', ['missing.ics', 'day-text.mjs']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('missing.ics: there is no such file or folder');
  });

  it('exits with 2 for a wrong command line, and prints help', async () => {
    for (const args of [
      [],
      ['--nope'],
      ['data', '--days', 'x'],
      ['data', '--past=-1'],
      ['data', '--now', 'x'],
    ])
      expect(await runProgram('ical.mjs', args), args.join(' ')).toMatchObject({ code: 2, stdout: '' });
    const { code, stdout } = await runProgram('ical.mjs', ['--help']);
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Usage: node ical.mjs'),
    });
  });
});
