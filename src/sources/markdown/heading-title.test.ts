import { describe, expect, it } from 'vitest';
import { headingTitle } from './heading-title.ts';

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
