import { describe, expect, it } from 'vitest';
import { areVersions, namedCopyOf } from './conflict-copies.ts';

const listed = new Set(['Home/Rent.md', 'Home/Rent', 'Rent.canvas', 'a-b.md', 'Trip (2024).md']);

describe('namedCopyOf', () => {
  it.each([
    'Home/Rent.sync-conflict-20240301-101112-ABCDEF7.md',
    'Home/Rent.sync-conflict-20240301-101112.md',
    'Home/Rent_conflict-20250301-101112.md',
    "Home/Rent (Sam's conflicted copy 2025-03-01).md",
    'Home/Rent (Sam’s MacBook conflicted copy 2025-03-01 (1)).md',
    'Home/Rent (conflicted copy 2025-03-01 101112).md',
    'Home/Rent (Conflicted copy MacBook-Pro 202503011011).md',
    'Home/Rent (In Konflikt stehende Kopie von Sam 2025-03-01).md',
  ])('knows %s by its name', (key) => {
    const isKnown = { original: 'Home/Rent.md', needs: null };
    expect(namedCopyOf(key, listed)).toEqual(key.includes('(1))') ? null : isKnown);
  });

  it.each([
    ['Home/Rent 2.md', 'beginning and most words'],
    ['Home/Rent 12.md', 'beginning and most words'],
    ['Home/Rent-DESKTOP-AB12CD.md', 'most words'],
    ['Home/Rent-SAMS-PC.md', 'most words'],
  ] as const)('knows %s only together with its text', (key, needs) => {
    expect(namedCopyOf(key, listed)).toEqual({ original: 'Home/Rent.md', needs });
  });

  it('finds the original beside it, with the same ending', () => {
    expect(namedCopyOf('Trip (2024) (conflicted copy 2025-03-01).md', listed)?.original).toBe(
      'Trip (2024).md',
    );
    expect(namedCopyOf('a-b-DESKTOP-1.md', listed)?.original).toBe('a-b.md');
    expect(namedCopyOf('Rent_conflict-20250301-101112.canvas', listed)?.original).toBe('Rent.canvas');
  });

  it.each([
    'Rent.sync-conflict-20240301-101112-ABCDEF7.md',
    'Home/Rent_conflict-20250301-101112.canvas',
    'Home/Rent 1.md',
    'Home/Rent 2024.md',
    'Home/Rent-2024.md',
    'Home/Rent-DRAFT.md',
    'Home/Rent-desktop.md',
    'Home/Rent (conflict resolution).md',
    'Home/Rent (2025-03-01).md',
    'Home/Rent.md',
  ])('takes %s for a note of its own', (key) => {
    expect(namedCopyOf(key, listed)).toBeNull();
  });
});

describe('areVersions', () => {
  const text = 'The rent is 1,450 a month since October, and it is paid to Mrs Okafor.';

  it('compares the beginnings of texts, without front matter and spaces, and their words', () => {
    const areCopies = (a: string, b: string): boolean => areVersions(a, b, 'beginning and most words');
    expect(areCopies(`---\na: 1\n---\n${text}`, `${text}\nMore.`)).toBe(true);
    expect(areCopies(text, `${text.slice(0, 12)}paid by somebody else.`)).toBe(false);
    expect(areCopies(`# Rent\n${text}`, `# Rent\n${text.replace('1,450', '1,200')}`)).toBe(true);
    expect(areCopies(text, `${text.slice(0, 40)} as the tenants of the flat above hear`)).toBe(false);
    expect(areCopies('# Day', '# Day')).toBe(false);
    expect(areCopies('', '')).toBe(false);
  });

  const standup = (done: string, next: string, blocked: string): string =>
    `# Standup of the platform team\n\n## What was done\n${done}\n\n## What is next\n${next}\n\n## What blocks us\n${blocked}\n`;
  const monday = standup(
    '- Ana finished the export of invoices\n- Jo reviewed it',
    '- Ana writes the migration of customers',
    '- The certificate of the staging server has expired',
  );

  it.each(['beginning and most words', 'most words'] as const)(
    'tells notes of one template from versions of one note (%s)',
    (needs) => {
      const tuesday = standup(
        '- Jo deployed the search page',
        '- Kim plans the offsite in May, and asks for hotels',
        '- Nothing',
      );
      expect(areVersions(monday, tuesday, needs)).toBe(false);
      expect(areVersions(monday, standup('', '', ''), needs)).toBe(false);
      expect(areVersions(monday, `${monday}- Kim waits for a new laptop\n`, needs)).toBe(true);
    },
  );

  it('compares the words of texts', () => {
    expect(areVersions(text, text.replace('1,450', '1,200'), 'most words')).toBe(true);
    expect(areVersions(text, 'The computer of Sam has the name of the file.', 'most words')).toBe(false);
    expect(areVersions(text, text.slice(0, 24), 'most words')).toBe(false);
    expect(areVersions('', text, 'most words')).toBe(false);
  });
});
