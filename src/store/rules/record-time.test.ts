import { describe, expect, it } from 'vitest';
import type { Metadata, Origin } from '../../core/types.ts';
import { recordTime } from './record-time.ts';

const [CREATED, UPDATED] = [Date.UTC(2026, 0, 1), Date.UTC(2026, 5, 1)];

function timeOf(origin: Origin, metadata: Metadata): number {
  return recordTime({ origin, metadata, createdAt: CREATED, updatedAt: UPDATED });
}

describe('the time of a record in the timeline', () => {
  it('is the start of an event or the day of a todo, and the last update where the source gave none', () => {
    expect(timeOf('source', {})).toBe(CREATED);
    expect(timeOf('source', { undated: true })).toBe(UPDATED);
  });

  it('is the day of a note, and the last update of a note without a day', () => {
    expect(timeOf('vault', { date: '2026-01-01' })).toBe(CREATED);
    expect(timeOf('vault', { date: '2026-01-01', created: '2026-01-01' })).toBe(CREATED);
    expect(timeOf('vault', {})).toBe(UPDATED);
  });

  it('is the day that a note is about, not the day on which it was created', () => {
    const metadata = { date: '2026-03-05', created: '2026-01-01' };
    expect(timeOf('vault', metadata)).toBe(Date.UTC(2026, 2, 5, 12));
  });

  it('is the day of a daily file of an OpenClaw agent', () => {
    expect(timeOf('memory', { file: 'memory/2026-01-01.md' })).toBe(CREATED);
    expect(timeOf('memory', { file: 'MEMORY.md' })).toBe(UPDATED);
  });

  it('is the last update where the date is none', () => {
    for (const date of ['2026-13-99', 'soon', 7, null]) expect(timeOf('vault', { date })).toBe(UPDATED);
    expect(timeOf('memory', { created: '2026-01-01' })).toBe(UPDATED);
  });
});
