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
    ['Home/Rent 2.md', 'beginning'],
    ['Home/Rent 12.md', 'beginning'],
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

  it('compares the beginnings of texts, without front matter and spaces', () => {
    expect(areVersions(`---\na: 1\n---\n${text}`, `${text}\nMore.`, 'beginning')).toBe(true);
    expect(areVersions(text.repeat(2), `${text}${text.slice(0, 40)} was raised by ten`, 'beginning')).toBe(
      true,
    );
    expect(areVersions(text, `${text.slice(0, 12)}paid by somebody else.`, 'beginning')).toBe(false);
    expect(areVersions(`# Rent\n${text}`, `# Rent\n${text.replace('1,450', '1,200')}`, 'beginning')).toBe(
      true,
    );
    expect(areVersions(text, `${text.slice(0, 40)} as the tenants of the flat above hear`, 'beginning')).toBe(
      false,
    );
    expect(areVersions('# Day', '# Day', 'beginning')).toBe(false);
    expect(areVersions('', '', 'beginning')).toBe(false);
  });

  it('compares the words of texts', () => {
    expect(areVersions(text, text.replace('1,450', '1,200'), 'most words')).toBe(true);
    expect(areVersions(text, 'The computer of Sam has the name of the file.', 'most words')).toBe(false);
    expect(areVersions('', text, 'most words')).toBe(false);
  });
});
