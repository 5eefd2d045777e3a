import { expect, it } from 'vitest';
import { makeStyle } from '../../format/style.ts';
import { receiptList } from './receipts.ts';

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
