import { expect, it } from 'vitest';
import { recordAge } from './record-age.ts';

const NOW = Date.parse('2026-11-25T12:00:00');
const DAY_MS = 86_400_000;

function ageOf(createdDaysAgo: number, metadata: Record<string, string>): string {
  return recordAge({ origin: 'vault', createdAt: NOW - createdDaysAgo * DAY_MS, metadata }, NOW);
}

it('is the time since the note says that it was changed', () => {
  expect(ageOf(200, { modified: '2026-11-22T00:00:00' })).toBe('3d ago');
});

it('is the time since the creation of a note that does not say so', () => {
  expect(ageOf(200, {})).toBe('6mo ago');
  expect(ageOf(200, { modified: 'lately' })).toBe('6mo ago');
});

it('ignores a change before the creation, and one that is still to come', () => {
  expect(ageOf(3, { modified: '2020-01-01T00:00:00' })).toBe('3d ago');
  expect(ageOf(3, { modified: '2027-01-01T00:00:00' })).toBe('3d ago');
  // A note about a coming event keeps the time until it.
  expect(ageOf(-10, { modified: '2026-11-22T00:00:00' })).toBe('in 1w');
});

it('counts no hours of a whole day', () => {
  const day = (date: string): string =>
    recordAge(
      { origin: 'source', createdAt: Date.parse(`${date}T00:00:00`), metadata: { wholeDay: true } },
      NOW,
    );
  expect(['2026-11-24', '2026-11-25', '2026-11-26', '2026-12-05'].map(day)).toEqual([
    '1d ago',
    'today',
    'tomorrow',
    'in 1w',
  ]);
});
