import { expect, it } from 'vitest';
import { outlineOf } from './blocks.ts';

function kinds(text: string): string[] {
  return outlineOf(text).blocks.map(({ kind }) => kind);
}

it.each([
  ['code in an item of a list', '- ```yaml\n  a: 1\n  ```\n\n%% hidden %%\n', ['code', 'comment']],
  ['a fence with words within code', '```\n```js\nx\n```\n\n%% hidden %%\n', ['code', 'comment']],
  ['code in a quote', '> ```\n> %% shown %%\n> ```\n\n%% hidden %%\n', ['code', 'comment']],
  ['a fence of tildes', '~~~\n```\n%% shown %%\n~~~\n%% hidden %%\n', ['code', 'comment']],
  ['a longer fence', '````\n```\n````\n<!-- hidden -->\n', ['code', 'comment']],
])('a comment after %s is a comment', (_, text, expected) => {
  expect(kinds(text)).toEqual(expected);
});
