import { openSqliteInMemory } from '../../test/contract/sqlite-in-memory.ts';
import { describe, expect, it } from 'vitest';
import { addVectors, ALL_LIVE, embed, note, unit, write } from '../../test/contract/store-samples.ts';
import type { Embedder } from '../embed/embedder.ts';
import type { RecordWrite } from '../store/model.ts';
import type { Store } from '../store/store.ts';
import { DEFAULT_RANKING } from './rank/ranking.ts';
import type { Hit } from './rank/confidence.ts';
import { runSearch, type SearchOutcome } from './search.ts';

/** A store that runs one of `actions` each time before it loads passages. */
function interrupted(store: Store, actions: (() => Promise<unknown>)[]): Store {
  return {
    ...store,
    search: {
      ...store.search,
      passages: async (...parameters) => {
        await actions.shift()?.();
        return store.search.passages(...parameters);
      },
    },
  };
}

async function titles(store: Store, query = 'marble'): Promise<string[]> {
  const outcome = await runSearch({
    store,
    namespace: 'n',
    query,
    filter: ALL_LIVE,
    limit: 10,
    ranking: DEFAULT_RANKING,
    vectors: null,
  });
  return outcome.hits.map(({ passage }) => passage.record.title);
}

describe('runSearch', () => {
  it('finds a record that is replaced before its passages are loaded', async () => {
    const store = openSqliteInMemory();
    const worktop = note('marble worktop', { title: 'Worktop' });
    const [id = 0] = await write(store, 'n', worktop, note('marble floor', { title: 'Floor' }));
    const replace = (): Promise<unknown> => write(store, 'n', { ...worktop, id });
    const found = await titles(interrupted(store, [replace, replace]));
    expect(found.sort()).toEqual(['Floor', 'Worktop']);
  });

  it('puts turns of the user first, unless the query asks for what an assistant has said', async () => {
    const store = openSqliteInMemory();
    const turn = (role: string, text: string): RecordWrite =>
      note(text, { title: role, origin: 'memory', metadata: { role, session: 's' } });
    const asked = turn('user', 'Which of the marble worktops is the hardest?');
    await write(store, 'n', asked, turn('assistant', 'Of the marble worktops take the grey one.'));
    expect((await titles(store, 'grey marble worktops'))[0]).toBe('user');
    expect((await titles(store, 'the grey marble worktop you recommended'))[0]).toBe('assistant');
  });

  it('finds a message of a user by what it mentions, although its own vector says something else', async () => {
    const store = openSqliteInMemory();
    const generation = await addVectors(store);
    const turn = (session: string, title: string, role = 'user'): RecordWrite =>
      note(`${title} is here`, { title, origin: 'memory', metadata: { role, session } });
    const said = (session: string, title: string): RecordWrite => turn(session, title, 'assistant');
    await write(store, 'n', turn('a', 'near'), turn('b', 'mentions'), said('c', 'answer'), turn('d', 'far'));
    const directions = new Map([
      ['near', unit(0.6, 0.8, 0)],
      ['far', unit(0, 0, 1)],
    ]);
    await embed(store, generation, 'n', (text) => directions.get(text.split(' ')[0]!) ?? unit(0.4, 0, 0.9));
    const query = unit(1, 0, 0);
    const embedder: Embedder = {
      ...{ provider: 'test', model: 'm', dimensions: 3, maxTokens: 512 },
      embed: () => Promise.resolve([query]),
      countTokens: (text) => text.length,
      close: () => Promise.resolve(),
    };
    const vectors = { embedder, generation };
    const search = async (): Promise<string[]> =>
      (
        await runSearch({
          ...{ store, namespace: 'n', query: 'kitchen', filter: ALL_LIVE, limit: 3, vectors },
          ranking: DEFAULT_RANKING,
        })
      ).hits.map(({ passage }) => passage.record.title);
    const { passages } = await store.vectors.pending('n', 0, { limit: 9 });
    const sentences = passages.flatMap(({ hash, text }) =>
      /mentions|answer/.test(text) ? [[hash, [query]] as const] : [],
    );
    expect((await search())[0]).toBe('near');
    await store.vectors.put('n', generation, [], new Map(sentences));
    expect((await search()).slice(0, 2)).toEqual(['mentions', 'near']);
  });

  it('returns results after a few attempts when records are replaced all the time', async () => {
    const store = openSqliteInMemory();
    const worktop = note('marble worktop', { title: 'Worktop' });
    const [id = 0] = await write(store, 'n', worktop, note('marble floor', { title: 'Floor' }));
    const replacements = Array.from({ length: 99 }, () => () => write(store, 'n', { ...worktop, id }));
    expect(await titles(interrupted(store, replacements))).toEqual(['Floor']);
    expect(replacements.length).toBeGreaterThan(90);
  });

  it('requires the whole of a long phrase, and all of many phrases, although the index compares only a part', async () => {
    const store = openSqliteInMemory();
    const words = Array.from({ length: 90 }, (_, i) => `w${String(i)}x`);
    const [first, last] = [words.slice(0, 20), words.slice(70)];
    await write(
      store,
      'n',
      note(words.join(' '), { title: 'All' }),
      note(words.slice(0, 19).join(' '), { title: 'Without the end' }),
      note(words.slice(0, 69).join(' '), { title: 'First' }),
    );
    const quoted = (part: readonly string[]): string => `"${part.join(' ')}"`;
    expect((await titles(store, quoted(first))).sort()).toEqual(['All', 'First']);
    const ofAll = Array.from({ length: 9 }, (_, i) => quoted(words.slice(10 * i, 10 * i + 10)));
    expect(await titles(store, ofAll.join(' '))).toEqual(['All']);
    expect(await titles(store, `${quoted(first)} ${quoted(last)}`)).toEqual(['All']);
    expect(await titles(store, quoted([...words, 'more']))).toEqual([]);
  });

  it('names the signals that did not compare everything within the deadline', async () => {
    const store = openSqliteInMemory();
    await write(store, 'n', note('marble worktop'), note('granite'));
    const options = { store, namespace: 'n', filter: ALL_LIVE, limit: 10, ranking: DEFAULT_RANKING };
    const search = (deadlineMs: number): Promise<SearchOutcome> =>
      runSearch({ ...options, query: 'marbel worktop', vectors: null, deadlineMs });
    const { retrieved } = await search(0);
    expect(retrieved.missing.map(({ signal }) => signal)).toEqual(['spelling', 'text']);
    expect(retrieved.missing[0]?.why).toContain('`search.deadline`');
    const complete = await search(60_000);
    expect(complete.retrieved.missing).toEqual([]);
    expect(complete.hits).toHaveLength(1);
  });

  it('ranks the passage with a code of the query first, even if its vector is not similar', async () => {
    const store = openSqliteInMemory();
    const others = Array.from({ length: 40 }, (_, i) => note(`ticket OPS-${String(2000 + i)} went well`));
    await write(store, 'n', note('ticket ABC-1128 waits for Lena', { title: 'that' }), ...others);
    const id = await addVectors(store);
    await embed(store, id, 'n', (text) => (text.includes('1128') ? unit(0, 1, 0) : unit(1, 0, 0)));
    for (const query of ['ABC-1128', '1128', 'ticket ABC-1128', 'what is ABC-1128 about']) {
      const options = { store, namespace: 'n', query, filter: ALL_LIVE, limit: 10, ranking: DEFAULT_RANKING };
      const { hits } = await runSearch({
        ...options,
        vectors: { embedder: constantEmbedder(), generation: id },
      });
      expect(hits[0]?.passage.record.title, query).toBe('that');
      expect(hits[0]?.confidence, query).toBeGreaterThan(0.7);
      expect(hits[1]?.confidence ?? 0, query).toBeLessThan(0.5);
    }
  });

  it('has little confidence in a note with a small share of the words, and orders results by score and confidence', async () => {
    const store = openSqliteInMemory();
    await write(
      store,
      'n',
      note('The surprise party for Ada is in the garden, with lanterns and a cake.'),
      ...Array.from({ length: 30 }, (_, i) => note(`an old note about the garden ${String(i)}`)),
      note('We show the old film with a note on it.'),
    );
    const options = { store, namespace: 'n', filter: ALL_LIVE, limit: 10, ranking: DEFAULT_RANKING };
    const search = (query: string): Promise<SearchOutcome> => runSearch({ ...options, query, vectors: null });
    const unanswered = await search('surprise violin thunderstorm compass');
    expect(unanswered.hits[0]?.confidenceParts.match.coverage).toBeLessThan(0.3);
    expect(unanswered.hits[0]?.confidence).toBeLessThan(0.3);
    const { hits } = await search('surprise me with an old film');
    expect(hits[0]?.passage.text).toContain('film');
    expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).sort((a, b) => b - a));
    for (const { contributions, boosts, score } of hits)
      expect([...contributions, ...boosts].reduce((sum, { added }) => sum + added, 0)).toBeCloseTo(score, 9);
  });

  it('has the same confidence in the first hit for every limit', async () => {
    const store = openSqliteInMemory();
    const titled = (title: string): RecordWrite => note('about something else', { title });
    await write(store, 'n', note('an oven and a plumber'), titled('Oven'), titled('Plumber'));
    const options = { store, namespace: 'n', query: 'oven plumber', filter: ALL_LIVE, vectors: null };
    const topConfidence = async (limit: number): Promise<number | undefined> =>
      (await runSearch({ ...options, limit, ranking: DEFAULT_RANKING })).hits[0]?.confidence;
    expect(await topConfidence(1)).toBe(await topConfidence(10));
  });

  it('searches for the rarest terms, as far as the frequency budget allows', async () => {
    const store = openSqliteInMemory();
    await write(store, 'n', note('marble worktop'), note('marble floor'), note('marble'));
    const { retrieved } = await runSearch({
      ...{ store, namespace: 'n', query: 'marble floor', filter: ALL_LIVE, vectors: null, limit: 10 },
      ranking: { ...DEFAULT_RANKING, frequencyBudget: 2 },
    });
    const text = retrieved.lists.find(({ signal }) => signal === 'text');
    expect(text?.scores.map(({ record }) => record)).toEqual([2]);
  });

  describe('for a query with dates', () => {
    const day = 86_400_000;
    /** Noon in the local time zone. */
    const noon = new Date(2026, 4, 1, 12).getTime();
    const datedNote = (title: string, daysAgo: number, text = 'sugar for the bees'): RecordWrite =>
      note(text, {
        title,
        createdAt: noon - daysAgo * day,
        metadata: { date: isoDay(noon - daysAgo * day) },
      });

    async function found(query: string, ...writes: RecordWrite[]): Promise<readonly Hit[]> {
      const store = openSqliteInMemory();
      await write(store, 'n', ...writes);
      const options = { store, namespace: 'n', filter: { now: noon }, limit: 10, ranking: DEFAULT_RANKING };
      const vectors = { embedder: constantEmbedder(), generation: await embedConstant(store) };
      return (await runSearch({ ...options, query, vectors })).hits;
    }

    async function titles(query: string, ...writes: RecordWrite[]): Promise<string[]> {
      return (await found(query, ...writes)).map(({ passage }) => passage.record.title);
    }

    it('returns only records of the dates when the query has no topic', async () => {
      const notes = [
        datedNote('today', 0),
        datedNote('then', 1),
        datedNote('words', 0, 'what I did yesterday'),
      ];
      expect(await titles('what did I do yesterday', ...notes)).toEqual(['then']);
    });

    it('has a low confidence in records of other dates', async () => {
      const [hit] = await found(
        'what did I do on 4 June 2026',
        datedNote('May', 1, 'On 4 May 2026 the bees came.'),
      );
      expect(hit?.confidence).toBeGreaterThan(0);
      expect(hit?.confidence).toBeLessThan(0.1);
    });

    it('returns the newest records of the dates without a model', async () => {
      const store = openSqliteInMemory();
      await write(store, 'n', datedNote('long ago', 9), datedNote('then', 1, 'bees'), datedNote('today', 0));
      const options = { store, namespace: 'n', filter: { now: noon }, limit: 10, ranking: DEFAULT_RANKING };
      const { hits } = await runSearch({ ...options, query: 'what did I do yesterday', vectors: null });
      expect(hits.map(({ passage }) => passage.record.title)).toEqual(['then']);
      expect(hits[0]?.confidence).toBeGreaterThan(0.5);
      const earlier = { ...options, filter: { now: noon, until: noon - 5 * day } };
      expect((await runSearch({ ...earlier, query: 'yesterday', vectors: null })).hits).toEqual([]);
    });

    it('returns passages that name the dates as well', async () => {
      const mention = datedNote('mention', 300, 'We met on 4 March 2026.');
      const notes = [datedNote('that day', 58), mention, datedNote('other', 57, 'The 4 of us, March, 2026')];
      expect((await titles('on 4 March 2026', ...notes)).sort()).toEqual(['mention', 'that day']);
      expect(await titles('on 4 March 2026', mention, datedNote('other', 57))).toEqual(['mention']);
      expect(
        await titles('on 4 March 2026', datedNote('log', 9, 'seen 2026-03-04'), datedNote('other', 57)),
      ).toEqual(['log']);
    });

    it('finds notes of a day in figures, whatever its order, and of a day without a year', async () => {
      const notes = [datedNote('that day', 58), datedNote('swapped', 27), datedNote('other', 57)];
      expect(await titles('04.03.2026', ...notes)).toEqual(['that day']);
      expect((await titles('03/04/2026', ...notes, datedNote('April', 28))).sort()).toEqual([
        'April',
        'that day',
      ]);
      expect(await titles('March 4th', ...notes, datedNote('years ago', 58 + 730))).toEqual([
        'that day',
        'years ago',
      ]);
    });

    it('finds records of the dates even if many other records match better', async () => {
      const crowd = Array.from({ length: 300 }, (_, i) =>
        datedNote(`crowd ${String(i)}`, 100 + i, 'buy and buy'),
      );
      const [first] = await titles(
        'what did I buy yesterday',
        ...crowd,
        datedNote('then', 1, 'a drill, to buy soon'),
      );
      expect(first).toBe('then');
      const [withoutSharedWord] = await titles(
        'what did I buy yesterday',
        ...crowd,
        datedNote('then', 1, 'got a drill'),
      );
      expect(withoutSharedWord).toBe('then');
    });
  });
});

function isoDay(time: number): string {
  const day = new Date(time);
  const parts = [day.getFullYear(), day.getMonth() + 1, day.getDate()];
  return parts.map((part) => String(part).padStart(2, '0')).join('-');
}

/** An embedder that returns the same vector for all texts. */
function constantEmbedder(): Embedder {
  return {
    provider: 'test',
    model: 'm',
    dimensions: 3,
    maxTokens: 512,
    embed: (texts) => Promise.resolve(texts.map(() => unit(1, 0, 0))),
    countTokens: (text) => text.length,
    close: () => Promise.resolve(),
  };
}

async function embedConstant(store: Store): Promise<number> {
  const id = await addVectors(store);
  await embed(store, id, 'n', () => unit(1, 0, 0));
  return id;
}
