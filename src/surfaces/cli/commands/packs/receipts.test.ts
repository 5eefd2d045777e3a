import { describe, expect, it } from 'vitest';
import { makeStyle } from '../../format/style.ts';
import { receiptDiff, receiptList } from './receipts.ts';

it('a list of receipts is cut at the width of a terminal, and nowhere else', () => {
  const lane = 'graph-with-a-long-name'.repeat(4);
  const receipt = { id: 'r1', at: '2026-11-25T12:00:00.000Z', kind: 'pack' as const, failed_lanes: [lane] };
  const counts = { items: 1, candidates: 2, budget: 100, used_tokens: 90 };
  const output = {
    receipts: [{ ...receipt, ...counts, project: null, query: null, titles: [] }],
    unreadable: [],
    next: null,
  };
  const view = { style: makeStyle(false), columns: 80, options: new Set<string>() };
  expect(receiptList.render(output, { ...view, terminal: false })).toContain(`failed: ${lane}\n`);
  expect(receiptList.render(output, { ...view, terminal: true })).not.toContain(lane);
});

describe('two receipts', () => {
  const view = { style: makeStyle(false), columns: 80, terminal: false, options: new Set<string>() };
  const side = { id: 'r1', kind: 'pack' as const, at: '2026-11-25T12:00:00.000Z' };
  const item = { record: 'u1', id: 1, title: 'Oven' };
  const diff = {
    before: { ...side, budget: 800, used_tokens: 797 },
    after: { ...side, budget: 1500, used_tokens: 1478 },
    ...{ same_query: false, same_text: false, stayed: 2 },
    came_in: [{ ...item, citation: 'Oven.md', place: 3, reason: 'budget' as const }],
    left: [{ ...item, citation: null, place: 1, reason: null }],
    moved: [{ ...item, citation: 'Quotes.md', before: 2, after: 1 }],
  };

  it('are compared in words', () => {
    expect(receiptDiff.render(diff, view).split('\n')).toEqual([
      'The queries differ.',
      '',
      expect.stringMatching(/^came in +3 +Oven\.md +left out before: budget$/),
      expect.stringMatching(/^left +1 +u1 +not found now$/),
      expect.stringMatching(/^moved +2 to 1 +Quotes\.md/),
      '',
      '2 stayed in place. 797 of 800 tokens before, 1478 of 1500 tokens after.',
      '',
    ]);
    expect(receiptDiff.render({ ...diff, same_text: true }, view)).toBe('Both texts are the same.\n');
  });
});
