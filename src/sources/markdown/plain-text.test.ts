import { describe, expect, it } from 'vitest';
import { hasProse, headingTitle, plainText } from './plain-text.ts';

describe('plainText', () => {
  it.each([
    ['> [!note] Careful\n> **Hot** [[Kitchen remodel|the kitchen]]', 'Careful\nHot the kitchen'],
    ['> [!info]-\n> Two lines\nof it ^abc', 'Two lines of it'],
    ['| a | [[x\\|y]] |\n|---|:-:|\n| 1 | `2` |', 'a | y\n1 | 2'],
    ['- [ ] open\n- [x] done\n  1. *first*\n     of all', '☐ open\n☑ done\n  1. first of all'],
    ['Above[^1]\n\n---\n\n***\n\nbelow ==this==<br>that', 'Above\nbelow this that'],
    ['```js\nconst a = "**b**";\n```\nsnake_case and <name>', 'const a = "**b**";\nsnake_case and <name>'],
    ['## Oven\n\n# Heat #\nIt is hot.', 'Heat\nIt is hot.'],
    ['[a page](https://x.example) of [[House#Oven]]', 'a page of House > Oven'],
    ['> [!tip]- Descaling\n> Use vinegar.', 'Descaling\nUse vinegar.'],
    ['```dataview\nTABLE x FROM "y"\n```\n![[a b.png|300]] ![[Manual]] ![[scan.pdf#page=3]]', 'Manual'],
    ['', ''],
  ])('of %j has no markup', (markdown, text) => {
    expect(plainText(markdown, new Set(['oven']))).toBe(text);
  });
});

describe('hasProse', () => {
  it.each([
    '## References\n\n- [[Mutex]]\n- [A paper](https://x.example)\n',
    '![[Prices#Students]]\n\n![[Prices#Schools]]',
    '**Related:** [[Mutex]] · [[Thread]]',
    'See also [[Mutex]]\n\n---',
    '# Oven\n\n#home #kitchen',
    '***',
    '',
  ])('is false of links, embeds, headings and rules: %j', (markdown) => {
    expect(hasProse(markdown)).toBe(false);
  });

  it.each([
    'It is a [[Mutex]]',
    '## Oven\n\nHot.',
    '- [Paper](https://x.example), Knuth 1973',
    '```\n[[x]]\n```',
    '厨房',
  ])('is true of %j', (markdown) => {
    expect(hasProse(markdown)).toBe(true);
  });
});

describe('headingTitle', () => {
  it.each([
    ['Plain words', 'Plain words'],
    ['**Bold** and _slanted_ and `code_name`', 'Bold and slanted and code_name'],
    ['snake_case_name', 'snake_case_name'],
    ['[[Note]], [[Note|alias]] and [[Note#Part]]', 'Note, alias and Note > Part'],
    ['[a link](http://a.b/c) and <b>tags</b>', 'a link and tags'],
    ['shown %%hidden%% too', 'shown too'],
    ['1 &lt; 2 \\* 3', '1 < 2 * 3'],
    ['two\nlines', 'two lines'],
    ['%% unclosed [[ and **', '%% unclosed [[ and **'],
    ['', ''],
  ])('returns for %j the title %j', (source, title) => {
    expect(headingTitle(source)).toBe(title);
  });

  it('cuts long titles between code points', () => {
    expect(headingTitle('x'.repeat(5000))).toBe('x'.repeat(200));
    expect(headingTitle(`x${'😀'.repeat(200)}`).isWellFormed()).toBe(true);
  });
});
