import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { settingsIn } from './graph.ts';
import { dayOfTitle, foldPageName, pageFileOf, pageOfLink, titleOfDay } from './page-names.ts';

const { graph } = settingsIn('{:file/name-format :triple-lowbar}', 'config.edn');
const { graph: legacy } = settingsIn('{}', 'config.edn');

describe('pageFileOf', () => {
  it.each([
    ['pages/Garden___Pond.md', 'Garden/Pond'],
    ['pages/Garden%2FPond.md', 'Garden/Pond'],
    ['pages/What is it%3F.md', 'What is it?'],
    ['pages/CON___.md', 'CON'],
    ['pages/50%25 off.md', '50% off'],
    ['pages/100% sure.md', '100% sure'],
    ['pages/snake_case.md', 'snake_case'],
    ['pages/%E5%BA%AD.md', '庭'],
    ['pages/___.md', '___'],
  ])('reads %s as %s', (key, title) => {
    expect(pageFileOf(key, graph)).toEqual({ title, day: null, names: [] });
  });

  it('reads a dot as a slash in graphs of the format before', () => {
    expect(pageFileOf('pages/Garden.Pond.md', legacy)).toMatchObject({ names: ['Garden/Pond'] });
    expect(pageFileOf('pages/Garden.Pond.md', graph)).toMatchObject({ title: 'Garden.Pond', names: [] });
  });

  it('reads a journal as the day in its name, in the folder of the journals only', () => {
    const day = { title: 'May 2nd, 2024', day: '2024-05-02', names: ['2024-05-02', '2024_05_02'] };
    expect(pageFileOf('journals/2024_05_02.md', graph)).toEqual(day);
    expect(pageFileOf('journals/plans.md', graph)).toMatchObject({ title: 'plans', day: null });
    expect(pageFileOf('pages/2024_05_02.md', graph)).toMatchObject({ title: '2024_05_02', day: null });
    const { graph: german } = settingsIn(
      '{:journals-directory "tage" :journal/file-name-format "dd-MM-yyyy" :journal/page-title-format "EEEE, dd.MM.yyyy"}',
      'config.edn',
    );
    expect(pageFileOf('tage/02-05-2024.md', german)).toMatchObject({
      title: 'Thursday, 02.05.2024',
      day: '2024-05-02',
    });
  });

  it('reads every name that Logseq makes of a title', () => {
    // The rules of Logseq for `:triple-lowbar`, for titles of the characters that they change.
    const fileName = (title: string): string =>
      title
        .replaceAll(/%(?=[\da-f]{2})/gi, '%25')
        .replaceAll(/[:*?"<>|#\\]+/g, (each) => encodeURIComponent(each).replaceAll('*', '%2A'))
        .replaceAll('___', '%5F%5F%5F')
        .replaceAll('_/', '%5F/')
        .replaceAll('/_', '/%5F')
        .replaceAll('/', '___');
    const part = fc.stringMatching(/^[a-zé庭_%?:*#"<>|2 f-]{1,8}$/u);
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 3 }), (parts) => {
        const title = parts.join('/');
        expect(pageFileOf(`pages/${fileName(title)}.md`, graph).title).toBe(title);
      }),
    );
  });
});

describe('pageOfLink', () => {
  it('names pages, days and blocks, but no files', () => {
    const page = (target: string): string | null => pageOfLink({ target }, graph);
    expect(page('Garden/Pond')).toBe('garden/pond');
    expect(page('/Garden/')).toBe('garden');
    expect(page('May 2nd, 2024')).toBe('2024-05-02');
    expect(page('../pages/Garden___Pond.md')).toBeNull();
    expect(page('((6512AA))')).toBe('((6512aa))');
    expect(pageOfLink({ target: 'C', heading: 'Language' }, graph)).toBe(foldPageName('C# Language'));
  });
});

describe('titles of journals', () => {
  it.each([
    'May 2nd, 2024',
    'May 2, 2024',
    '2nd May 2024',
    'Thu, 2024/05/02',
    '2024-05-02 Thursday',
    '2024-05-02',
    '2024_05_02',
    '20240502',
    '02.05.2024',
    'Thu, 05/02/2024',
    '05-02-2024',
    '2024年05月02日',
  ])('name the day in %s', (title) => {
    expect(dayOfTitle(title, 'MMM do, yyyy')).toBe('2024-05-02');
  });

  it('begin with the day where the format does', () => {
    expect(dayOfTitle('02-05-2024', 'dd-MM-yyyy')).toBe('2024-05-02');
    expect(dayOfTitle('02-05-2024', 'MM-dd-yyyy')).toBe('2024-02-05');
  });

  it.each(['Trip 2024-05-02', '2024', '2024-W18', 'May 2024', 'Feb 30th, 2024', '1714608000', 'Garden'])(
    'are not %s',
    (title) => {
      expect(dayOfTitle(title, 'MMM do, yyyy')).toBeNull();
    },
  );

  it('are read again in the formats that Logseq offers', () => {
    const day = fc.date({
      min: new Date('1901-01-01'),
      max: new Date('2199-12-31'),
      noInvalidDate: true,
    });
    const format = fc.constantFrom(
      'do MMM yyyy',
      'do MMMM yyyy',
      'MMM do, yyyy',
      'MMMM do, yyyy',
      'EEE, dd-MM-yyyy',
      'EEEE, MM/dd/yyyy',
      'yyyy-MM-dd EEEE',
      'dd.MM.yyyy',
      'MM_dd_yyyy',
      'yyyyMMdd',
      'yyyy年MM月dd日',
    );
    fc.assert(
      fc.property(day, format, (date, as) => {
        const written = date.toISOString().slice(0, 10);
        expect(dayOfTitle(titleOfDay(written, as), as)).toBe(written);
      }),
    );
  });
});
