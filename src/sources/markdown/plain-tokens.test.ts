import MarkdownIt from 'markdown-it';
import { expect, it } from 'vitest';
import { type BlockTokens, parseBlocks, plainBlockTokens } from './plain-tokens.ts';

const PARSER = new MarkdownIt().use(plainBlockTokens);
const TEXT = '# a\n\nb *c*\n\n- d\n  - e\n- f\n\n| g | h |\n|---|---|\n| i | j |\n\nk';

function taken(options: Pick<BlockTokens, 'keeps' | 'by'>, text = TEXT): string[][] {
  const calls: string[][] = [];
  parseBlocks(PARSER, text, {
    ...options,
    take: (tokens) => void calls.push(tokens.map(({ type, content }) => content || type)),
  });
  return calls;
}

it('passes the tokens of each top-level block on, complete and in order', () => {
  const blocks = taken({ keeps: (type) => !type.endsWith('_close'), by: 'block' });
  expect(blocks.map(([first]) => first)).toEqual([
    'heading_open',
    'paragraph_open',
    'bullet_list_open',
    'table_open',
    'paragraph_open',
  ]);
  expect(blocks[1]).toEqual(['paragraph_open', 'b *c*']);
  expect(blocks.flat().filter((each) => each.length === 1)).toEqual([...'adefghijk']);
});

it('passes tokens on singly, so that a huge block does not have all of them at once', () => {
  const calls = taken({ keeps: (type) => type === 'inline', by: 'singly' }, '| a | b |\n'.repeat(1000));
  const list = taken({ keeps: (type) => type === 'inline', by: 'singly' }, '- a\n'.repeat(1000));
  expect(calls.length + list.length).toBeGreaterThan(1000);
  expect(Math.max(...[...calls, ...list].map(({ length }) => length))).toBe(1);
});

it('does not keep tokens that are not needed', () => {
  const keeps: BlockTokens['keeps'] = (type, previous) =>
    type === 'heading_open' || (type === 'inline' && previous?.type === 'heading_open');
  expect(taken({ keeps, by: 'block' })).toEqual([['heading_open', 'a']]);
});
