import { expect, it } from 'vitest';
import { outputText, tables } from './output-text.ts';
import { makeStyle } from './style.ts';

const view = { style: makeStyle(false), columns: 40, terminal: false, options: new Set<string>() };
const facts = [
  { key: 'os', value: 'Linux\n\u001b[31m', tags: ['a', 'b'], score: 0.5, agent: null, took_ms: 12 },
  { key: 'k'.repeat(50), value: 'v', tags: [], score: 1, agent: null, took_ms: 65_000 },
];

it('prints the named columns that are not empty, and clips them for a terminal alone', () => {
  const render = tables({ facts: 'key agent tags score took_ms value' }, 'No facts.', 'total');
  const lines = render({ facts, total: 9, next: 3 }, view).split('\n');
  expect(lines[0]).toMatch(/^key +tags +score +took +value$/);
  expect(lines[1]).toMatch(/^os +a, b +0\.500 +12 ms +Linux ␛\[31m$/);
  expect(lines[2]).toMatch(/^k{50} +1 +65 s +v$/);
  expect(lines.slice(3)).toEqual(['', 'total         9', '', '`--after 3` shows the next page', '']);
  const long = [{ key: 'os', value: 'word '.repeat(20), score: 1 }];
  const clipped = render({ facts: long, total: 9 }, { ...view, terminal: true }).split('\n');
  expect(Math.max(...clipped.map((line) => line.length))).toBe(40);
  expect(clipped[1]).toMatch(/^os +1 +word .*…$/);
  expect(render({ facts: [] }, view)).toBe('No facts.\n');
});

it('prints a block for each row where a terminal has no room for whole identifiers and times', () => {
  const rows = [...facts, { key: 'at', at: '2026-09-14T18:30:00.000Z' }];
  const shown = tables({ facts: 'key value at' })({ facts: rows }, { ...view, terminal: true });
  expect(shown).toMatch(
    /^key +os\nvalue +Linux ␛\[31m\n\nkey +k{50}\nvalue +v\n\nkey +at\nat +2026-09-1\d [\d:]{8}\n$/,
  );
});

it('prints an output without a form as tables, names and values, with a row for each of many texts', () => {
  const output = { facts: facts.slice(1), ok: true, problems: ['first '.repeat(9), 'second'], none: null };
  expect(outputText(output, view)).toMatch(/^key +value[^]*\n\nok +yes\nproblems +(first ){9}\n +second\n$/);
});
