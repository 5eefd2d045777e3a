import { describe, expect, it } from 'vitest';
import type { SearchOutput, SearchResult } from '../../../operations/search.ts';
import { makeStyle } from '../style.ts';
import { searchRenderer, sureCount } from './search.ts';

function result(rank: number, score: number): SearchResult {
  return {
    rank,
    id: rank,
    title: `Note ${String(rank)}`,
    citation: `${String(rank)}.md#L1-L1`,
    headings: [],
    snippet: 'text',
    highlights: [],
    score,
    created_at: '2026-09-14T00:00:00.000Z',
    age: '2d ago',
    origin: 'vault',
    source: 'notes',
    project: 'default',
    category: 'note',
    record_type: 'note',
    tags: [],
    why: 'text #1',
  };
}

function rendered(...scores: number[]): string[] {
  const output: SearchOutput = {
    query: 'x',
    results: scores.map((score, i) => result(i + 1, score)),
    corrections: [],
    missing: [],
    unmatched: [],
    provider: 'none',
    took_ms: 1,
  };
  const view = { style: makeStyle(false), columns: 80, terminal: false, options: new Set<string>() };
  return searchRenderer
    .render(output, view)
    .split('\n')
    .filter((line) => /sure|^\d/.test(line) && !line.includes('result'));
}

describe('results that are less sure', () => {
  it('stand behind a line, when they score below half of the best', () => {
    expect(rendered(0.9, 0.45, 0.44, 0.2)).toEqual([
      '1. Note 1',
      '2. Note 2',
      '── less sure ──',
      '3. Note 3',
      '4. Note 4',
    ]);
    expect(rendered(0.9, 0.8)).toEqual(['1. Note 1', '2. Note 2']);
    expect(rendered(0.9)).toEqual(['1. Note 1']);
  });

  it('are all of them when the best is a guess, and are counted from the best', () => {
    expect(rendered(0.29, 0.2)).toEqual(['None of these is sure:', '1. Note 1', '2. Note 2']);
    expect([sureCount([]), sureCount([{ score: 0.3 }, { score: 0.1 }])]).toEqual([0, 1]);
  });
});
