import { describe, expect, it } from 'vitest';
import { storedPassage } from '../../../test/contract/stored-passage.ts';
import { parseQuery } from '../query/parse.ts';
import type { WeightedTerm } from '../retrieve/text.ts';
import { anchorsIn, combineAnchors, matchAnchor } from './anchor-text.ts';
import { DEFAULT_RANKING } from './ranking.ts';

const ANCHOR_TEXT = DEFAULT_RANKING.anchorText!;

function anchors(text: string): { target: string; sentence: string; link: string }[] {
  return anchorsIn(storedPassage({ text })).map(({ target, sentence, terms, start, end }) => ({
    target,
    sentence,
    link: terms.slice(start, end).join(' '),
  }));
}

function coverage(text: string, query: string, replacements = new Map<string, Set<string>>()): number {
  const [anchor] = anchorsIn(storedPassage({ text }));
  const terms = parseQuery(query).terms.map((term): WeightedTerm => ({ ...term, passages: 2 }));
  return matchAnchor(anchor!, terms, replacements, ANCHOR_TEXT).coverage;
}

describe('anchorsIn', () => {
  it('gives each link the sentence around it, as a reader sees it', () => {
    const text = 'Not this one. The [[Oven|big one]] comes in [autumn](Plan%202.md#May)! Nor this.';
    const sentence = 'The big one comes in autumn!';
    expect(anchors(text)).toEqual([
      { target: 'Oven', sentence, link: 'big on' },
      { target: 'Plan 2.md', sentence, link: 'autumn' },
    ]);
  });

  it('separates list items and Chinese sentences', () => {
    expect(anchors('- [[Oven]]: hot\n  1. [ ] [[Tiles]]: blue').map(({ sentence }) => sentence)).toEqual([
      'Oven: hot',
      'Tiles: blue',
    ]);
    expect(anchors('你好。查看[[烤箱|大家伙]]。谢谢。')).toMatchObject([
      { target: '烤箱', sentence: '查看大家伙。', link: '大家 家伙' },
    ]);
  });

  it('leaves out links to the web and within the note, and records that are not notes of a vault', () => {
    expect(anchors('See [the shop](https://example.org/oven.md) and [[#Prices]].')).toEqual([]);
    const memory = storedPassage({ text: 'See [[Oven]].', record: { origin: 'memory' } });
    expect(anchorsIn(memory)).toEqual([]);
  });

  it('takes time in proportion to the length of hostile text', () => {
    for (const text of ['['.repeat(20_000), '[[a'.repeat(7000), '[[a]]. '.repeat(3000), '![](('.repeat(4000)])
      expect(anchorsIn(storedPassage({ text })).length).toBeLessThanOrEqual(3000);
  });
});

describe('matchAnchor', () => {
  it('ignores a query that only names the other notes of a list of links', () => {
    const list = '[[Pea soup]] · [[Jollof]] · the [[Noodles]] of the week';
    const match = (link: number, query: string): number => {
      const terms = parseQuery(query).terms.map((term): WeightedTerm => ({ ...term, passages: 2 }));
      return matchAnchor(anchorsIn(storedPassage({ text: list }))[link]!, terms, new Map(), ANCHOR_TEXT)
        .coverage;
    };
    expect([match(0, 'pea soup'), match(1, 'pea soup'), match(1, 'jollof')]).toEqual([1, 0, 1]);
    expect(match(2, 'noodles of the week')).toBe(1);
    expect(match(1, 'pea soup of the week')).toBeGreaterThan(0);
  });

  it('is the share of the query that the sentence has', () => {
    expect(coverage('The [[Oven|big one]] of this autumn', 'the big one this autumn')).toBe(1);
    expect(coverage('The [[Oven|big one]]', 'big autumn')).toBe(0.5);
    expect(coverage('The [[Oven|big one]]', 'small')).toBe(0);
  });

  it('counts terms far from the link in part', () => {
    const far = 'autumn one two three four five six seven [[Oven]]';
    expect(coverage(far, 'autumn oven')).toBe((1 + ANCHOR_TEXT.farShare) / 2);
    expect(coverage('autumn one two three four five [[Oven]]', 'autumn oven')).toBe(1);
    expect(coverage('[[Oven]] one two three four five six autumn', 'autumn oven')).toBeLessThan(1);
  });

  it('matches the corrections of a misspelt word', () => {
    expect(coverage('The [[Oven|big one]]', 'biig', new Map([['biig', new Set(['big'])]]))).toBe(1);
  });
});

describe('combineAnchors', () => {
  it('counts the best link in full and others less, never above 1', () => {
    expect(combineAnchors([])).toBe(0);
    expect(combineAnchors([0.4])).toBeCloseTo(0.4);
    expect(combineAnchors([0.2, 0.4])).toBeCloseTo(1 - 0.6 * 0.9);
    expect(combineAnchors([0.4, 0.2, 0.2, 0.2])).toBe(combineAnchors([0.4, 0.2, 0.2]));
    expect(combineAnchors([1, 1, 1])).toBe(1);
  });
});
