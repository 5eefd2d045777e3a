import { expect, it } from 'vitest';
import { findSection } from './find-section.ts';

const TEXT = '# Oven\n\nGas.\n\n## Advanced tips!\n\nMore.\n\n# Tiles\n\n## Advanced tips!\n\nGrey.\n';

it('finds the lines of a heading, whatever its case and punctuation', () => {
  expect(findSection(TEXT, 'oven')).toEqual({ from: 1, to: 7 });
  expect(findSection(TEXT, 'advanced-tips')).toEqual({ from: 5, to: 7 });
  expect(findSection(TEXT, 'Tiles#Advanced tips!')).toEqual({ from: 11, to: 13 });
});

it('lists at most ten headings instead', () => {
  expect(findSection(TEXT, 'Sink')).toEqual({ names: ['Oven', 'Advanced tips!', 'Tiles'], count: 3 });
  const many = Array.from({ length: 30 }, (_, i) => `# Part ${String(i)}\n`).join('\n');
  expect(findSection(many, 'Sink')).toMatchObject({ names: { length: 10 }, count: 30 });
});

const BLOCKS = `---
note: x ^front
---
Some text
of two lines. ^Text

- item ^item
  - nested
- other

| a | b |
| - | - |
| 1 | 2 |

^table

> quoted
> text ^quote

\`\`\`
code ^code
\`\`\`
`;

it.each([
  ['^text', { from: 4, to: 5 }],
  ['^item', { from: 7, to: 8 }],
  ['^table', { from: 11, to: 13 }],
  ['^quote', { from: 17, to: 18 }],
  ['^code', { names: ['^Text', '^item', '^table', '^quote'], count: 4 }],
])('finds the lines of the block %s', (name, lines) => {
  expect(findSection(BLOCKS, name)).toEqual(lines);
});
