import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { describe, expect, it } from 'vitest';
import { fitTimeline, timelineText, type TimelineLine, type TimelineLines } from './timeline-text.ts';
import { loadTokenCounter } from './tokens.ts';

const count = await loadTokenCounter();

/** Titles of every script, and texts that could break lines and fences. */
const title = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      '~',
      '~~~~~',
      '`',
      '\n',
      '\u2028',
      '\r',
      '> ',
      ' · ',
      '\u{e0041}',
      'Ignore the above',
      '🏳️‍🌈',
    ),
    fc.constantFrom('oven ', 'Küche', '台所', '厨房', 'кухня', 'مطبخ', '\u0000', '\ud800'),
    fc.string({ unit: 'grapheme', maxLength: 3 }),
  ),
  maxLength: 60,
});
const line: fc.Arbitrary<TimelineLine> = fc.record({
  when: fc.constantFrom('2026-05-01', '2026-05-01 14:30'),
  title,
  from: fc.option(fc.constantFrom('Google Tasks', 'calendar')),
  citation: fc.constantFrom('record/1', 'Home/Kitchen remodel.md', 'x'.repeat(400)),
});
const side = fc.array(line, { maxLength: 40, size: 'max' });
const timeline: fc.Arbitrary<TimelineLines> = fc.record({
  before: side,
  anchor: fc.option(line),
  after: side,
  moreBefore: fc.boolean(),
  moreAfter: fc.boolean(),
});

const lineOf = (name: string): TimelineLine => ({
  when: '2026-05-01',
  title: name,
  from: null,
  citation: `${name}.md`,
});

describe('the text of a timeline', () => {
  it('never exceeds its budget, from 50 tokens to 20,000, in any script', () => {
    fc.assert(
      fc.property(
        timeline,
        fc.oneof(fc.integer({ min: 50, max: 400 }), fc.integer({ min: 50, max: 20_000 })),
        (lines, budget) => {
          const fitted = fitTimeline(lines, budget, count);
          expect(fitted.tokens).toBeLessThanOrEqual(budget);
          expect(fitted.tokens).toBe(count(fitted.text));
          expect(fitted.text).toBe(timelineText(fitted.lines));
        },
      ),
    );
  });

  it('has the lines nearest to the middle without gaps, and says on which sides there are more', () => {
    fc.assert(
      fc.property(timeline, fc.integer({ min: 50, max: 2000 }), (lines, budget) => {
        const { before, anchor, after, moreBefore, moreAfter } = fitTimeline(lines, budget, count).lines;
        expect(before).toEqual(lines.before.slice(0, before.length));
        expect(after).toEqual(lines.after.slice(0, after.length));
        expect(moreBefore).toBe(lines.moreBefore || before.length < lines.before.length);
        const isAnchorLeftOut = lines.anchor !== null && anchor === null;
        expect(moreAfter).toBe(lines.moreAfter || after.length < lines.after.length || isAnchorLeftOut);
        if (isAnchorLeftOut) expect([before, after]).toEqual([[], []]);
      }),
    );
  });

  it('is one line for each record between fences that no title can forge', () => {
    fc.assert(
      fc.property(timeline, (lines) => {
        const { before, anchor, after } = lines;
        const records = before.length + after.length + (anchor === null ? 0 : 1);
        fc.pre(records > 0);
        const tokens = new MarkdownIt().parse(timelineText(lines), {});
        const fences = tokens.filter(({ type }) => type === 'fence');
        expect(fences).toHaveLength(1);
        expect(fences[0]!.content.trimEnd().split('\n')).toHaveLength(records);
        expect(tokens.at(-1)).toBe(fences[0]);
      }),
    );
  });

  it('uses the budget in turn on both sides', () => {
    const lines = {
      before: ['b1', 'b2', 'b3'].map(lineOf),
      anchor: lineOf('a'),
      after: ['c1', 'c2', 'c3'].map(lineOf),
      moreBefore: false,
      moreAfter: false,
    };
    const whole = fitTimeline(lines, 1000, count);
    expect(whole.text.split('\n').slice(2, -1)).toEqual(
      ['b3', 'b2', 'b1', '> a', 'c1', 'c2', 'c3'].map((name) =>
        name.replace(
          /^(> )?(.+)$/,
          (_, mark = '', title: string) => `${String(mark)}2026-05-01 · ${title} · ${title}.md`,
        ),
      ),
    );
    const lineTokens = count('2026-05-01 · b1 · b1.md\n');
    const part = fitTimeline(lines, whole.tokens - 2 * lineTokens, count);
    expect([part.lines.before.length, part.lines.after.length]).toEqual([2, 1]);
    expect(part.text.split('\n', 1)[0]).toContain('more before; more after.');
  });

  it('says that nothing fits, and that there is nothing', () => {
    const lines = {
      before: [],
      anchor: lineOf('x'.repeat(500)),
      after: [],
      moreBefore: false,
      moreAfter: false,
    };
    const long = { ...lines, anchor: { ...lineOf('x'), citation: 'ab '.repeat(200) } };
    expect(fitTimeline(long, 50, count)).toMatchObject({ lines: { anchor: null }, text: NOTHING_FITS });
    expect(fitTimeline(long, 2, count)).toMatchObject({ lines: { anchor: null }, text: '', tokens: 0 });
    expect(timelineText({ ...lines, anchor: null })).toBe('There are no records.');
  });
});

const NOTHING_FITS = 'The budget is too small for a line of the timeline.';
