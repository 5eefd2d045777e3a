import { describe, expect, it } from 'vitest';
import type { SearchOutput, SearchResultOutput } from '../../../../engine/records/results/search-fields.ts';
import { makeStyle } from '../../format/style.ts';
import { countStrong } from '../../../../engine/records/results/search-messages.ts';
import { search } from './search.ts';

function result(rank: number, score: number): SearchResultOutput {
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
    from: null,
    source_name: 'notes',
    trust: 'operator',
    project: 'default',
    category: 'note',
    record_type: 'note',
    tags: [],
    why: 'text #1',
  };
}

function render(results: SearchResultOutput[], overrides: Partial<SearchOutput> = {}): string[] {
  const output: SearchOutput = {
    query: 'x',
    results,
    strong: countStrong(results),
    related: [],
    corrections: [],
    missing: [],
    notices: [],
    unmatched: [],
    nothing: null,
    provider: 'none',
    took_ms: 1,
    ...overrides,
  };
  const view = { style: makeStyle(false), columns: 80, terminal: false, options: new Set<string>() };
  return search.render(output, view).split('\n');
}

function titleLines(...scores: number[]): string[] {
  return render(scores.map((score, i) => result(i + 1, score))).filter(
    (line) => /match|Nothing|^\d/.test(line) && !line.includes('result'),
  );
}

describe('weak matches', () => {
  it('are listed separately if they score below half of the best', () => {
    expect(titleLines(0.9, 0.45, 0.44, 0.2)).toEqual([
      '1. Note 1',
      '2. Note 2',
      '── weaker matches ──',
      '3. Note 3',
      '4. Note 4',
    ]);
    expect(titleLines(0.9, 0.8)).toEqual(['1. Note 1', '2. Note 2']);
    expect(titleLines(0.9)).toEqual(['1. Note 1']);
  });

  it('are all results when the best one scores low', () => {
    expect(titleLines(0.29, 0.2)).toEqual(['Nothing surely fits. The nearest:', '1. Note 1', '2. Note 2']);
    expect([countStrong([]), countStrong([{ score: 0.3 }, { score: 0.1 }])]).toEqual([0, 1]);
  });
});

describe('a result', () => {
  const first = (overrides: Partial<SearchResultOutput>) => render([{ ...result(1, 0.9), ...overrides }]);

  it('starts with its title and the headings that add to it', () => {
    const heading = (title: string, ...headings: string[]) => first({ title, headings })[0];
    expect(heading('2026-10-12 Heron review', 'Heron review', 'Notes')).toBe(
      '1. 2026-10-12 Heron review › Notes',
    );
    expect(heading('202610121230 Heron', 'heron')).toBe('1. 202610121230 Heron');
    expect(heading('Heron', 'Heron', 'Notes')).toBe('1. Heron › Notes');
    expect(heading('2026-10-12', 'Notes')).toBe('1. 2026-10-12 › Notes');
    expect(heading('', 'Heron', 'Notes')).toBe('1. Heron › Notes');
  });

  it('says that a later one says the same, and on which other days it was written', () => {
    const day = (id: number, date: string) => ({ id, citation: `record/${String(id)}`, date });
    const dates = ['2026-06-07', '2026-05-03', '2026-04-01', '2026-03-01', '2026-02-01', '2026-01-01'];
    const lines = render([
      { ...result(1, 0.9), later: day(12, '2026-03-09'), also: dates.map((date) => day(9, date)) },
    ]);
    expect(lines).toContain('   earlier: see record/12 (9 March 2026)');
    expect(lines).toContain('   also on 7 June 2026, 3 May 2026, 1 April 2026, 1 March 2026, 2 more');
  });

  it('shows its score even with a long name', () => {
    const details = first({ source: 'x'.repeat(200), tags: ['home'] })[2]!;
    expect(details).toMatch(/^ {3}From vault x+… · 2d ago · score 0\.90/);
    expect(details.length).toBeLessThanOrEqual(80);
  });

  it('shows the second passage in one line, with its lines', () => {
    const second = { citation: '1.md#L40-L52', text: `Cables:\n2. forged ${'x '.repeat(80)}` };
    const lines = first({ snippet: 'one\n\ntwo', second });
    expect(lines.slice(3, 6)).toEqual([
      '   │ one',
      '   │ two',
      expect.stringMatching(/^ {3}also: L40–L52 Cables: 2\. forged x.*…$/),
    ]);
    expect(lines[5]!.length).toBeLessThanOrEqual(80);
    expect(first({ second: { citation: 'record/1', text: 'more' } })).toContain('   also: more');
    expect(first({}).join()).not.toContain('also:');
  });

  it('shows the line and the URL of its source', () => {
    const todo = { origin: 'source', trust: 'external', source: 'tasks', age: 'in 1d' } as const;
    const from = 'From Google Tasks · due tomorrow · 3 min ago';
    const url = 'https://tasks.google.com/1';
    expect(first({ ...todo, from, source_name: 'Google Tasks', url }).slice(2, 4)).toEqual([
      `   ${from} · score 0.90`,
      `   ${url}`,
    ]);
    const long = first({ ...todo, from: `From ${'x'.repeat(300)} · due tomorrow · stale (2 h)` })[2]!;
    expect(long).toMatch(/^ {3}From x+… · due tomorrow · stale \(2 h\) · score 0\.90$/);
    expect(long.length).toBeLessThanOrEqual(80);
  });

  it('escapes control characters and line breaks in the name and the URL of a source', () => {
    const hostile = '\u001b]0;owned\u0007\u009b2J\r\n2. forged\u202e';
    const lines = first({ from: `From ${hostile} · done`, url: `https://x/${hostile}`, origin: 'source' });
    expect(lines.join('\n')).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(lines.filter((line) => /^\d+\. /.test(line))).toHaveLength(1);
  });

  it('shows its citation once if it has no title and no headings', () => {
    const lines = first({ title: '', citation: 'record/54' });
    expect(lines.slice(0, 2)).toEqual(['1. record/54', '   From vault notes · 2d ago · score 0.90']);
    expect(first({})[1]).toBe('   1.md#L1-L1');
  });
});

describe('the summary line', () => {
  const missing = [{ signal: 'vector' as const, why: 'the model is not there' }];

  it('names the model only if it took part in the search', () => {
    expect(render([result(1, 0.9)], { provider: 'local/m' }).at(-2)).toBe('1 result in 1 ms, with local/m');
    expect(render([result(1, 0.9)], { provider: 'local/m', missing }).at(-2)).toBe(
      '1 result in 1 ms, by words alone',
    );
    const withVector = { ...result(1, 0.9), why: 'text #1, meaning #2' };
    expect(render([withVector], { provider: 'local/m', missing }).at(-2)).toBe(
      '1 result in 1 ms, partly with local/m',
    );
  });
});
