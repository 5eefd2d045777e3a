import { describe, expect, it } from 'vitest';
import { openSqliteInMemory } from '../../test/contract/sqlite-in-memory.ts';
import { ALL_LIVE, note, NOW, write } from '../../test/contract/store-samples.ts';
import { weightedTerms } from '../../test/contract/retrieval-result.ts';
import { storedPassage } from '../../test/contract/stored-passage.ts';
import type { RecordDraft, RecordWrite } from '../store/model.ts';
import type { Store } from '../store/store.ts';
import { anchorsIn, combineAnchors, matchAnchor } from './linked-notes.ts';
import { DEFAULT_RANKING } from './rank/ranking.ts';
import type { Correction } from './retrieve/text.ts';
import type { SearchOptions } from './run.ts';
import { runSearch, type SearchOutcome } from './search.ts';

/** A note of a vault whose metadata has the links of its text. */
function page(title: string, text: string, fields: Partial<RecordDraft> = {}): RecordWrite {
  const links = [...text.matchAll(/\[\[([^\]|]+)/g)].map(([, target]) => ({ target: target! }));
  return note(text, { title, key: `${title}.md`, metadata: { links }, ...fields });
}

const OVEN = page('Oven', 'Model HB-7, delivered to the back door.');
const START = page('Start here', 'Costs: the [[Oven|big one this autumn]]. Also [[Tiles]].');
const OTHERS = Array.from({ length: 30 }, (_, i) => page(`Loaf ${String(i)}`, 'Flour, water, salt.'));

async function search(
  query: string,
  writes: readonly RecordWrite[],
  options: Partial<SearchOptions> = {},
): Promise<SearchOutcome> {
  const store = openSqliteInMemory();
  await write(store, 'n', ...writes);
  return searchIn(store, query, options);
}

async function searchIn(
  store: Store,
  query: string,
  options: Partial<SearchOptions> = {},
): Promise<SearchOutcome> {
  const defaults = { namespace: 'n', filter: ALL_LIVE, limit: 10, ranking: DEFAULT_RANKING, vectors: null };
  return runSearch({ ...defaults, store, query, ...options });
}

const titles = ({ hits }: SearchOutcome): string[] => hits.map(({ passage }) => passage.record.title);

describe('linkedNotes', () => {
  it('finds a note by the words with which another note links to it', async () => {
    const outcome = await search('the big one this autumn', [OVEN, START, ...OTHERS]);
    expect(titles(outcome)).toEqual(['Start here', 'Oven']);
    const [, oven] = outcome.hits;
    expect(oven!.links!.best).toMatchObject({
      title: 'Start here',
      sentence: 'Costs: the big one this autumn.',
    });
    const sum = [...oven!.contributions, ...oven!.boosts].reduce((total, { added }) => total + added, 0);
    expect(sum).toBeCloseTo(oven!.score, 10);
    const without = { ...DEFAULT_RANKING, anchorText: null };
    expect(titles(await search('the big one this autumn', [OVEN, START], { ranking: without }))).toEqual([
      'Start here',
    ]);
  });

  it('leaves out a note that the operators of the query exclude', async () => {
    const found = async (operators: string): Promise<string[]> =>
      titles(await search(`the big one this autumn ${operators}`, [OVEN, START], { operators: true }));
    expect(await found('-bread')).toEqual(['Start here', 'Oven']);
    for (const operators of ['-delivered', '-"back door"', '-path:oven', 'file:start'])
      expect(await found(operators), operators).toEqual(['Start here']);
  });

  it('needs two words of the query, or all of it', async () => {
    const { hits } = await search('autumn flour', [OVEN, START, ...OTHERS]);
    expect(hits.map(({ links }) => links)).not.toContainEqual(expect.anything());
    expect(titles(await search('autumn', [OVEN, START, ...OTHERS]))).toContain('Oven');
  });

  it('counts the links of one note to another once', async () => {
    const strength = async (...texts: string[]): Promise<number> => {
      const pages = texts.map((text, i) => page(`Page ${String(i)}`, text));
      const { hits } = await search('big autumn costs', [OVEN, ...pages], { limit: 50 });
      return hits.find(({ passage }) => passage.record.title === 'Oven')!.links!.strength;
    };
    const once = await strength('The big autumn [[Oven]].');
    expect(await strength('The big autumn [[Oven]]. '.repeat(50))).toBe(once);
    const twice = await strength('The big autumn [[Oven]].', 'A big autumn [[Oven]].');
    expect(twice).toBeGreaterThan(once);
    const links = Array.from({ length: 40 }, () => 'The big autumn [[Oven]].');
    expect(await strength(...links)).toBeLessThan(1);
  });

  it('ignores links of a note to itself and to notes that do not exist', async () => {
    const oven = page('Oven', 'The big one this autumn: [[Oven]], [[Nowhere]].');
    const { hits } = await search('the big one this autumn', [oven, ...OTHERS]);
    expect(hits.map(({ links }) => links)).toEqual([null]);
  });

  it('reads no link of a note that the search may not see, and shows no note that it may not see', async () => {
    const query = 'the big one this autumn';
    const hiddenStart = { ...START, draft: { ...START.draft, project: 'secret' } };
    const inProject = { filter: { ...ALL_LIVE, project: 'default' } };
    expect(titles(await search(query, [OVEN, hiddenStart], inProject))).toEqual([]);
    const hiddenOven = { ...OVEN, draft: { ...OVEN.draft, project: 'secret' } };
    expect(titles(await search(query, [hiddenOven, START], inProject))).toEqual(['Start here']);
    const expired = { ...START, draft: { ...START.draft, expiresAt: NOW } };
    expect(titles(await search(query, [OVEN, expired]))).toEqual([]);
    const store = openSqliteInMemory();
    const [, start] = await write(store, 'n', OVEN, START);
    await write(store, 'other', START);
    await store.records.commit('n', { deletions: [{ id: start!, at: NOW }] });
    expect(titles(await searchIn(store, query))).toEqual([]);
  });

  it('finds a note only by its own words when the query is a quoted phrase', async () => {
    expect(titles(await search('"big one this autumn"', [OVEN, START]))).toEqual(['Start here']);
  });

  it('follows a changed link at once', async () => {
    const store = openSqliteInMemory();
    const [, start] = await write(store, 'n', OVEN, START, page('Tiles', 'Blue.'));
    const changed = page('Start here', 'Costs: the [[Tiles|big one this autumn]].');
    await write(store, 'n', { ...changed, id: start! });
    expect(titles(await searchIn(store, 'the big one this autumn'))).toEqual(['Start here', 'Tiles']);
  });
});

const ANCHOR_TEXT = DEFAULT_RANKING.anchorText!;

function anchors(text: string): { target: string; sentence: string; link: string }[] {
  return anchorsIn(storedPassage({ text })).map(({ target, sentence, terms, start, end }) => ({
    target,
    sentence,
    link: terms.slice(start, end).join(' '),
  }));
}

function coverage(text: string, query: string, corrections: readonly Correction[] = []): number {
  const [anchor] = anchorsIn(storedPassage({ text }));
  return matchAnchor(anchor!, weightedTerms(query, 2, corrections), ANCHOR_TEXT).coverage;
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
      const anchor = anchorsIn(storedPassage({ text: list }))[link]!;
      return matchAnchor(anchor, weightedTerms(query, 2), ANCHOR_TEXT).coverage;
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
    expect(coverage('The [[Oven|big one]]', 'biig', [{ word: 'biig', replacements: ['big'] }])).toBe(1);
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
