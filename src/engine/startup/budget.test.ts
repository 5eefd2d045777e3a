import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StartupEntry } from '../../store/admin-model.ts';
import { packStartup, joinTexts } from './startup.ts';

function entry(key: string, priority: number, content: string): StartupEntry {
  return {
    agent: '',
    key,
    content,
    priority,
    reinforce: false,
    createdAt: 0,
    updatedAt: 0,
    deletedAt: null,
  };
}

/** The text, and the keys of the entries that are left out. */
function packed(entries: readonly StartupEntry[], budget: number): readonly [string, ...string[]] {
  const { included, leftOut } = packStartup(entries, budget);
  return [joinTexts(included), ...leftOut.map(({ entry: { key } }) => key)];
}

const SOUL = entry('soul', 0, 'You are Ada.');
const TEAM = entry('team', 3, 'Ann.');

describe('packStartup', () => {
  it('cuts an entry at a paragraph, else at a sentence or a line, and marks it', () => {
    const paragraphs = 'The first rule is long.\n\nThe second rule is long too. It goes on and on.';
    const rules = entry('rules', 1, paragraphs);
    expect(packed([rules], 45)).toEqual(['The first rule is long.\n\n[… cut]']);
    expect(packed([rules], 65)).toEqual(['The first rule is long.\n\nThe second rule is long too. [… cut]']);
    const list = entry('list', 1, '- one\n- two\n- three and more');
    expect(packed([list], 22)).toEqual(['- one\n- two\n[… cut]']);
  });

  it('does not end with a heading where a sentence after it fits', () => {
    const rules = entry('rules', 1, '# Rules\n\nBe brief in mails. Be kind in all that you write.');
    expect(packed([rules], 45)).toEqual(['# Rules\n\nBe brief in mails. [… cut]']);
  });

  it('cuts an entry of priority 0 anywhere rather than leave it out', () => {
    expect(packed([entry('soul', 0, 'x'.repeat(100)), TEAM], 30)).toEqual([
      `${'x'.repeat(22)} [… cut]`,
      'team',
    ]);
    expect(packed([entry('soul', 0, 'word '.repeat(20))], 30)).toEqual(['word word word word [… cut]']);
    expect(packed([entry('soul', 0, 'x'.repeat(100))], 5)).toEqual(['xxxx…']);
    expect(packed([entry('soul', 0, '😀😀😀')], 4)).toEqual(['😀…']);
    expect(packed([SOUL], 0)).toEqual(['', 'soul']);
  });

  it('gives a part of each entry of priority 0, and the whole of those that are short', () => {
    const long = entry('a', 0, 'One two three four five six. '.repeat(20));
    const short = entry('b', 0, 'Be brief.');
    const other = entry('c', 0, 'Seven eight nine ten eleven. '.repeat(20));
    const [text, ...leftOut] = packed([long, short, other, TEAM], 200);
    expect(leftOut).toEqual(['team']);
    expect(text).toMatch(
      /^One two three .*six\. \[… cut\]\n\nBe brief\.\n\nSeven eight .*eleven\. \[… cut\]$/,
    );
    expect(text.length).toBeGreaterThan(150);
  });

  it('holds the budget, the order, and the rule for lower priorities', () => {
    const content = fc.string({
      minLength: 1,
      maxLength: 60,
      unit: fc.constantFrom('a', ' ', '.', '\n', '😀'),
    });
    const entries = fc
      .array(fc.tuple(fc.integer({ min: 0, max: 3 }), content), { maxLength: 8 })
      .map((all) => all.toSorted((a, b) => a[0] - b[0]).map(([p, text], i) => entry(String(i), p, text)));
    fc.assert(
      fc.property(entries, fc.integer({ min: 0, max: 200 }), (all, budget) => {
        const { included, leftOut } = packStartup(all, budget);
        expect(joinTexts(included).length).toBeLessThanOrEqual(budget);
        expect(joinTexts(included).isWellFormed()).toBe(true);
        const keys = [...included, ...leftOut].map((one) => one.entry.key);
        expect(keys.toSorted()).toEqual(all.map(({ key }) => key).toSorted());
        const partial = [...included.filter((one) => one.text !== one.entry.content), ...leftOut];
        const lowest = Math.min(...partial.map((one) => one.entry.priority));
        for (const one of included) expect(one.entry.priority).toBeLessThanOrEqual(lowest);
        const first = all.filter(({ priority }) => priority === 0).length;
        if (budget >= first * 6) for (const one of leftOut) expect(one.entry.priority).toBeGreaterThan(0);
      }),
    );
  });
});
