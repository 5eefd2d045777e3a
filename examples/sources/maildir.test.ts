import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PrintedDocument, runProgram } from './run-program.ts';

const NOW = ['--now', '2026-11-22T12:00:00Z'];
/** 21 November 2026, noon, in UTC. */
const YESTERDAY = Date.UTC(2026, 10, 21, 12) / 1000;

describe('maildir.mjs', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'loci-maildir-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  /** Runs the program on a new Maildir with these messages in cur/, by name. Returns the documents. */
  async function documentsOf(
    messages: Readonly<Record<string, string | Buffer>>,
  ): Promise<readonly PrintedDocument[]> {
    const maildir = mkdtempSync(join(folder, 'mail-'));
    for (const part of ['new', 'cur', 'tmp']) mkdirSync(join(maildir, part));
    for (const [name, message] of Object.entries(messages))
      writeFileSync(join(maildir, 'cur', name), message);
    const { code, documents, stderr } = await runProgram('maildir.mjs', [maildir, ...NOW]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return documents;
  }

  it('prints the sample messages of the last week, newest first, and never a body', async () => {
    const { code, documents, stdout, stderr } = await runProgram('maildir.mjs', ['data/maildir', ...NOW]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(documents.map(({ id, text }) => [id, text])).toEqual([
      [
        'file:1795296605.M304121P811.cormorant',
        'Re: tile layout – straight stack? · from Signe Hølt · Sat 21 Nov 2026',
      ],
      [
        'cabinets-20261120@example.com',
        'Cabinets on Monday, please clear the hall · from Maren Holt · Fri 20 Nov 2026',
      ],
      [
        'bw-60418-4@brightwell.example',
        'Order BW-60418: your range comes on 1 December · ' +
          'from Brightwell Appliances – Mrs Lund · Thu 19 Nov 2026',
      ],
    ]);
    expect(documents[2]).toMatchObject({
      title: 'Order BW-60418: your range comes on 1 December',
      timestamp: '2026-11-19T21:30:00.000Z',
      metadata: {
        sender: 'orders@brightwell.example',
        name: 'Brightwell Appliances – Mrs Lund',
        folder: 'maildir',
        seen: true,
        answered: true,
        flagged: true,
      },
    });
    expect(stdout).not.toContain('BODY');
    const longer = await runProgram('maildir.mjs', ['data/maildir', ...NOW, '--days', '30']);
    expect(longer.documents.map(({ title }) => title)).toContain('Your deposit has been returned');
    expect(longer.stdout).not.toMatch(/half-price|Draft/);
  });

  it('decodes encoded words in several character sets', async () => {
    const subjects: readonly (readonly [string, string])[] = [
      ['=?UTF-8?q?caf=C3=A9_=3D_good?=', 'café = good'],
      ['=?iso-8859-15?Q?5_=A4?=', '5 €'],
      ['=?windows-1251?B?z/Do4uXy?=', 'Привет'],
      ['=?ISO-2022-JP?B?GyRCSCE0WxsoQg==?=', '函館'],
      ['=?gb2312?B?t6zH0bO0tbA=?=', '番茄炒蛋'],
      ['=?utf-8*en?Q?with_a_language?=', 'with a language'],
      ['=?utf-8?Q?one?=\r\n =?utf-8?Q?_two?= three\r\n\tfour', 'one two three four'],
      // A character is split between two encoded words.
      ['=?utf-8?B?w6k=?= =?utf-8?Q?=C3?= =?utf-8?Q?=A9?=', 'éé'],
      ['a =?utf-8?Q?b?= c', 'a b c'],
      ['=?x-unknown?Q?abc=FF?=', 'abc\u{fffd}'],
      ['=?utf-8?X?abc?= =?broken', '=?utf-8?X?abc?= =?broken'],
      ['=?utf-8?Q?line=0D=0ABcc:_x=00=E2=80=AEdesrever?=', 'line Bcc: x desrever'],
      ['plain: with a colon', 'plain: with a colon'],
      ['', 'No subject'],
    ];
    const documents = await documentsOf(
      Object.fromEntries(
        subjects.map(([subject], index) => [
          `${YESTERDAY - index}.M${index}.host:2,S`,
          `From: a@example.com\r\nSubject: ${subject}\r\n\r\nBODY`,
        ]),
      ),
    );
    expect(documents.map(({ title }) => title)).toEqual(subjects.map(([, decoded]) => decoded));
  });

  it('separates the name and the address of the sender', async () => {
    const senders: readonly (readonly [string, string, string])[] = [
      ['maren@example.com', '', 'maren@example.com'],
      ['<maren@example.com>', '', 'maren@example.com'],
      ['maren@example.com (Maren Holt)', 'Maren Holt', 'maren@example.com'],
      ['"Holt, Maren \\"M\\"" <maren@example.com>, b@example.com', 'Holt, Maren "M"', 'maren@example.com'],
      [
        '=?utf-8?Q?bank=40example.org_=3Cbank=40example.org=3E?= <evil@example.net>',
        'bank@example.org <bank@example.org>',
        'evil@example.net',
      ],
      ['undisclosed', 'undisclosed', ''],
    ];
    const documents = await documentsOf(
      Object.fromEntries(
        senders.map(([from], index) => [
          `${YESTERDAY - index}.M${index}.host:2,`,
          `from : ${from}\nSubject: s\n\nFrom: body@example.com\n`,
        ]),
      ),
    );
    expect(documents.map(({ metadata }) => [metadata['name'], metadata['sender']])).toEqual(
      senders.map(([, name, address]) => [name, address]),
    );
  });

  it('uses the Date header unless it is impossible', async () => {
    const message = (date: string) => `Date: ${date}\nSubject: ${date}\n\nFrom: body@example.com\n`;
    const documents = await documentsOf({
      [`${YESTERDAY}.a.host`]: message('Sat, 21 Nov 2026 10:00:00 +0100 (CET)'),
      [`${YESTERDAY}.b.host`]: message('Sat, 21 Nov 2036 10:00:00 +0100'),
      [`${YESTERDAY}.c.host`]: message('yesterday'),
      [`${YESTERDAY}.d.host`]: message('Mon, 2 Nov 2026 10:00:00 +0000'),
      [`${YESTERDAY - 30 * 86_400}.e.host`]: message('Sat, 21 Nov 2026 10:00:00 +0100'),
    });
    expect(Object.fromEntries(documents.map(({ title, timestamp }) => [title, timestamp]))).toEqual({
      'Sat, 21 Nov 2026 10:00:00 +0100 (CET)': '2026-11-21T09:00:00.000Z',
      'Sat, 21 Nov 2036 10:00:00 +0100': '2026-11-21T12:00:00.000Z',
      yesterday: '2026-11-21T12:00:00.000Z',
    });
    for (const { metadata, text } of documents) {
      expect(metadata['sender']).toBe('');
      expect(text).toContain('from nobody');
    }
  });

  it('reads 8-bit headers, prints copies once, and uses the time of files without a name', async () => {
    const maildir = join(folder, 'odd');
    for (const part of ['new', 'cur']) mkdirSync(join(maildir, part), { recursive: true });
    const write = (name: string, message: string | Buffer) => {
      const path = join(maildir, name);
      writeFileSync(path, message);
      utimesSync(path, YESTERDAY, YESTERDAY);
    };
    write('new/utf8', 'Subject: Küche\nMessage-ID: <1@a>\n\nBODY');
    write('new/latin1', Buffer.from('Subject: K\u{fc}che \u{fc}ber\nMessage-ID:\n <2@a>\n\nBODY', 'latin1'));
    write('cur/copy:2,S', 'Subject: Küche\nMessage-ID: <1@a>\n\nBODY');
    write('cur/unending', `Subject: unending\nX-Long: ${'BODY '.repeat(20_000)}`);
    write('cur/empty', '');
    write('cur/.hidden', 'Subject: hidden\n\n');
    write('cur/draft:2,DS', 'Subject: draft\n\n');
    if (process.platform !== 'win32') execFileSync('mkfifo', [join(maildir, 'cur', `${YESTERDAY}.pipe`)]);
    const { code, documents, stdout, stderr } = await runProgram('maildir.mjs', [maildir, ...NOW]);
    expect(code).toBe(0);
    expect(documents.map(({ id, title }) => [id, title]).sort()).toEqual([
      ['1@a', 'Küche'],
      ['2@a', 'Küche über'],
      ['file:unending', 'unending'],
    ]);
    // The copy in new/ is printed, not the one in cur/.
    expect(documents.find(({ id }) => id === '1@a')?.metadata['seen']).toBe(false);
    expect(stdout).not.toContain('BODY');
    expect(stderr).toContain('empty: not a message');
    if (process.platform !== 'win32') expect(stderr).toContain('pipe: not a file');
  });

  it('reports a folder that is not a Maildir, exits with 1 if there is no other, and with 2 for a wrong command line', async () => {
    const both = await runProgram('maildir.mjs', ['data', 'data/maildir', ...NOW]);
    expect(both.code).toBe(0);
    expect(both.documents).toHaveLength(3);
    expect(both.stderr).toBe('maildir: data: not a Maildir: it has no new/ and cur/\n');
    expect(await runProgram('maildir.mjs', [basename(folder)])).toMatchObject({ code: 1, stdout: '' });
    expect(await runProgram('maildir.mjs', [])).toMatchObject({ code: 2, stdout: '' });
    expect(await runProgram('maildir.mjs', ['data', '--days', '1.5'])).toMatchObject({ code: 2, stdout: '' });
  });
});
