import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyze } from '../core/text/analyze.ts';
import { snippet, SNIPPET_LENGTH, snippetWithProperties } from './snippet.ts';

function marked(text: string, ...terms: string[]): string[] {
  const { text: shown, marks } = snippet(text, new Set(terms));
  return marks.map(([start, end]) => shown.slice(start, end));
}

const FILLER = 'some words that do not match the query and continue for quite a while. '.repeat(20);

describe('snippet', () => {
  it('is the whole text of a short passage, with marks on the matched words', () => {
    expect(snippet('Ovens bake; the oven’s door.', new Set(['oven']))).toEqual({
      text: 'Ovens bake; the oven’s door.',
      marks: [
        [0, 5],
        [16, 22],
      ],
    });
    expect(snippet('', new Set(['oven']))).toEqual({ text: '', marks: [] });
  });

  it('is the part around the match', () => {
    const text = `${FILLER}Then the oven broke. ${FILLER}`;
    const shown = snippet(text, new Set(['oven']));
    expect(shown.text).toMatch(/^….*the oven broke\..*…$/);
    expect(shown.text.length).toBeLessThan(SNIPPET_LENGTH * 1.2);
    expect(marked(text, 'oven')).toEqual(['oven']);
    // The text is cut between words.
    const edges = shown.text.replaceAll('…', '').trim().split(' ');
    expect(text.split(' ')).toContain(edges[0]);
    expect(text.split(' ')).toContain(edges.at(-1));
  });

  it('has whole sentences, those after the match first', () => {
    const [before, after] = ['Nothing is here yet. '.repeat(40), 'It was sold in May. '.repeat(40)];
    const { text } = snippet(`${before}Then the oven broke. ${after}`, new Set(['oven']), 100);
    expect(text).toBe(`…Then the oven broke. ${'It was sold in May. '.repeat(4).trimEnd()}…`);
    const atEnd = snippet(`${before}Then the oven broke.`, new Set(['oven']), 100).text;
    expect(atEnd).toBe(`…${'Nothing is here yet. '.repeat(3)}Then the oven broke.`);
  });

  it('prefers the window with more different terms', () => {
    const text = `oven oven oven ${FILLER}the oven and the tiles ${FILLER}`;
    expect(marked(text, 'oven', 'tile')).toEqual(['oven', 'tiles']);
  });

  it('is the beginning when no word matches', () => {
    expect(snippet(FILLER, new Set(['oven'])).text).toMatch(/^some words.*…$/);
  });

  it('marks a run of Chinese bigrams with one mark', () => {
    expect(marked('我们的厨房改造计划。', '厨房', '房改', '改造')).toEqual(['厨房改造']);
    const long = `${'今天没有什么可说的。'.repeat(80)}厨房改造了。${'明天也没有。'.repeat(80)}`;
    expect(marked(long, '厨房')).toEqual(['厨房']);
  });

  it('never cuts within a surrogate pair', () => {
    for (const offset of ['', 'a']) {
      const { text } = snippet(`${offset}${'𠮷'.repeat(300)}烤箱${'𠮷'.repeat(300)}`, new Set(['烤箱']));
      expect(text.isWellFormed()).toBe(true);
      expect(text).toContain('烤箱');
    }
  });

  it('is a slice with ordered marks on matched words and at least one match, for every text', () => {
    const fragment = fc.oneof(
      fc.lorem({ maxCount: 40 }),
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc.constantFrom('oven', 'Ovens ', '烤箱', '😀'.repeat(90), 'x'.repeat(300), '\n\n', ' '),
    );
    const terms = new Set(['oven', '烤箱', 'lorem']);
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 30 }), (fragments) => {
        const whole = fragments.join('').replaceAll('…', '');
        const { text, marks } = snippet(whole, terms);
        expect(whole).toContain(text.replaceAll('…', ''));
        expect(text.isWellFormed()).toBe(whole.isWellFormed());
        let last = -1;
        for (const [start, end] of marks) {
          expect(start).toBeGreaterThan(last);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(text.length);
          last = end;
          const inside = analyze(text.slice(start, end)).map(({ term }) => term);
          expect(inside.some((term) => terms.has(term))).toBe(true);
        }
        const matches = analyze(whole).some(({ kind, term }) => kind !== 'tail' && terms.has(term));
        expect(marks.length > 0).toBe(matches);
      }),
      { numRuns: 300 },
    );
  });
});

describe('snippetWithProperties', () => {
  const passage = { text: 'Likes oats.', above: 'Hanna' };
  const properties = ['name: Hanna', 'birthday: 1988-03-17', 'food: oats'];
  const shown = (...terms: string[]) => snippetWithProperties(passage, properties, new Set(terms));

  it('shows and marks the properties with terms that nothing else has', () => {
    const { text, marks } = shown('hanna', 'birthdai', 'oat');
    expect(text).toBe('birthday: 1988-03-17\n\nLikes oats.');
    expect(marks.map(([start, end]) => text.slice(start, end))).toEqual(['birthday', 'oats']);
    expect(shown('1988').text).toContain('birthday: 1988-03-17');
  });

  it('has no properties when the passage, its title or its headings contain the terms', () => {
    expect(shown('hanna', 'oat')).toEqual(snippet(passage.text, new Set(['oat'])));
    expect(shown('car').text).toBe('Likes oats.');
  });

  it('is at most three properties, each around its match, when there is no text', () => {
    const long = ['a', 'b', 'c', 'd'].map((name) => `${name}: ${'so '.repeat(90)}oven ${'so '.repeat(90)}`);
    const { text, marks } = snippetWithProperties({ text: '', above: '' }, long, new Set(['oven']));
    expect(text.split(' · ')).toHaveLength(3);
    expect(text.length).toBeLessThan(450);
    expect(marks.map(([start, end]) => text.slice(start, end))).toEqual(['oven', 'oven', 'oven']);
  });
});
