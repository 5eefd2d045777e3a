import { describe, expect, it } from 'vitest';
import { openSqliteInMemory } from '../../test/contract/sqlite-in-memory.ts';
import { ALL_LIVE, note, NOW, write } from '../../test/contract/store-samples.ts';
import type { RecordDraft, RecordWrite } from '../store/model.ts';
import type { Store } from '../store/store.ts';
import { DEFAULT_RANKING } from './rank/ranking.ts';
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
