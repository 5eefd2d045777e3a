import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MemoryDocument } from '../sources/document.ts';
import { withinCap } from './replace-documents.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const DAY = 86_400_000;

function document(id: string, days: number | null, completed: boolean | null = false): MemoryDocument {
  const timestamp = days === null ? null : NOW + days * DAY;
  return {
    id,
    text: id,
    title: null,
    tags: [],
    timestamp,
    wholeDay: false,
    metadata: {},
    completed,
    project: null,
    url: null,
  };
}

const documents = [
  document('done today', 0, true),
  document('old', -300),
  document('done long ago', -200, true),
  document('recent', -1),
  document('undated', null, null),
  document('next week', 7),
];

function keptIds(maxDocuments: number, keepCompleted = false): string[] {
  return withinCap(documents, { maxDocuments, keepCompleted, now: NOW }).map(({ id }) => id);
}

describe('withinCap', () => {
  it('removes completed documents first, the oldest of them before the others', () => {
    expect(keptIds(6)).toEqual(documents.map(({ id }) => id));
    expect(keptIds(5)).not.toContain('done long ago');
    expect(keptIds(4)).toEqual(['old', 'recent', 'undated', 'next week']);
  });

  it('removes the oldest open documents after the completed ones', () => {
    expect(keptIds(3)).toEqual(['recent', 'undated', 'next week']);
    expect(keptIds(1)).toEqual(['next week']);
  });

  it('treats completed documents like the others if they are to be kept', () =>
    expect(keptIds(4, true)).toEqual(['done today', 'recent', 'undated', 'next week']));

  it('keeps as many documents as the cap allows, in their order', () =>
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.option(fc.integer({ min: -900, max: 900 })), fc.option(fc.boolean()))),
        fc.integer({ min: 1, max: 20 }),
        fc.boolean(),
        (times, maxDocuments, keepCompleted) => {
          const all = times.map(([days, completed], i) => document(String(i), days, completed));
          const remaining = withinCap(all, { maxDocuments, keepCompleted, now: NOW });
          expect(remaining).toHaveLength(Math.min(all.length, maxDocuments));
          expect(remaining).toEqual(all.filter((each) => remaining.includes(each)));
        },
      ),
    ));
});
