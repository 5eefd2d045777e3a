import { describe, expect, it } from 'vitest';
import { openSqliteInMemory } from '../../test/contract/sqlite-in-memory.ts';
import { addVectors, embed, note, unit, write } from '../../test/contract/store-samples.ts';
import type { Embedder } from '../embed/embedder.ts';
import type { RecordDraft } from '../store/model.ts';
import type { Store } from '../store/store.ts';
import { MIN_SURE_CONFIDENCE } from './rank/confidence.ts';
import { DEFAULT_RANKING } from './rank/ranking.ts';
import { runSearch, type SearchOutcome } from './search.ts';

const NOW = Date.UTC(2026, 10, 21);

type Written = readonly [text: string, day: string, fields?: Partial<RecordDraft>];

/** Records of an agent, each of its day. */
async function storeOf(...records: readonly Written[]): Promise<Store> {
  const store = openSqliteInMemory();
  const writes = records.map(([text, day, fields]) => {
    const at = Date.parse(day);
    const times = { origin: 'memory' as const, key: null, createdAt: at, updatedAt: at };
    return note(text, { ...times, ...fields });
  });
  await write(store, 'n', ...writes);
  return store;
}

async function search(
  store: Store,
  query: string,
  vectors: Parameters<typeof runSearch>[0]['vectors'] = null,
): Promise<SearchOutcome['hits']> {
  const options = { namespace: 'n', filter: { now: NOW }, limit: 10, ranking: DEFAULT_RANKING };
  return (await runSearch({ store, query, vectors, ...options })).hits;
}

async function ids(...parameters: Parameters<typeof search>): Promise<number[]> {
  return (await search(...parameters)).map(({ passage }) => passage.record.id);
}

const OLD: Written = ['The guest wifi password is marzipan-41.', '2025-02-11'];
const NEW: Written = ['Since the move, the guest wifi password of the house is juniper-88.', '2026-03-09'];

describe('of results that say the same', () => {
  it('the latest stands first, and the others name it', async () => {
    const hits = await search(
      await storeOf(OLD, NEW, ['The guest wifi password will be walnut-7.', '2025-08-01']),
      'guest wifi password',
    );
    expect(hits.map(({ passage }) => passage.record.id)).toEqual([2, 3, 1]);
    const later = { record: 2, time: Date.parse(NEW[1]) };
    expect(hits.map((hit) => hit.later)).toEqual([undefined, later, later]);
  });

  it('the latest has the score of the place to which it is moved, and says so', async () => {
    const store = await storeOf(OLD, NEW);
    const without = { ...DEFAULT_RANKING, newest: null };
    const options = { store, query: 'guest wifi password', vectors: null, namespace: 'n', limit: 10 };
    const before = (await runSearch({ ...options, filter: { now: NOW }, ranking: without })).hits;
    const after = await search(store, options.query);
    expect(before.map(({ passage }) => passage.record.id)).toEqual([1, 2]);
    expect(before[1]!.confidence).toBeLessThan(before[0]!.confidence);
    expect(after.map(({ score }) => score)).toEqual(before.map(({ score }) => score));
    expect(after[0]!.confidence).toBeCloseTo(before[0]!.confidence, 10);
    const { typical, parts } = after[0]!.confidenceParts;
    expect(parts.at(-1)?.name).toBe('newer');
    const logOdds = parts.reduce((sum, { added }) => sum + added, typical);
    expect(1 / (1 + Math.exp(-logOdds))).toBeCloseTo(after[0]!.confidence, 10);
    for (const { contributions, boosts, score } of after)
      expect([...contributions, ...boosts].reduce((sum, { added }) => sum + added, 0)).toBeCloseTo(score, 10);
  });

  it.each([
    'what was the guest wifi password',
    'guest wifi password before',
    'former guest wifi password',
    'guest wifi password in 2025',
    'wie war früher das wifi password guest',
  ])('a question about the past keeps the order: %s', async (query) => {
    expect(await ids(await storeOf(OLD, NEW), query)).toEqual([1, 2]);
  });

  it('the latest stands first where the past is a part of what they say', async () => {
    const records: Written[] = [
      ['The first aid kit is in the car.', '2025-01-01'],
      ['The first aid kit is in the hall, on the shelf by the door.', '2026-01-01'],
    ];
    expect(await ids(await storeOf(...records), 'first aid kit')).toEqual([2, 1]);
  });

  it('a note has the day that is written in it, and without one it keeps its place', async () => {
    const origin = 'vault' as const;
    const noteOf = ([text, day]: Written, fileTime: string): Written => {
      const [createdAt, updatedAt] = [Date.parse(day), Date.parse(fileTime)];
      return [text, day, { origin, createdAt, updatedAt, metadata: { date: day } }];
    };
    const dated = await storeOf(noteOf(OLD, '2026-11-01'), noteOf(NEW, '2026-10-01'));
    expect(await ids(dated, 'guest wifi password')).toEqual([2, 1]);
    const undated: Written = [NEW[0], '2026-11-01', { origin }];
    expect(await ids(await storeOf(OLD, undated), 'guest wifi password')).toEqual([1, 2]);
  });

  it('a note that is kept up to date has the day of its last change, and one about a day has that day', async () => {
    const origin = 'vault' as const;
    const noteOf = (created: object): Written => [
      OLD[0],
      '2025-02-11',
      { origin, metadata: { date: '2025-02-11', modified: '2026-10-01T08:00:00', ...created } },
    ];
    const query = 'guest wifi password';
    expect(await ids(await storeOf(noteOf({ created: '2025-02-11' }), NEW), query)).toEqual([1, 2]);
    const [, earlier] = await search(await storeOf(noteOf({ created: '2025-02-11' }), NEW), query);
    expect(earlier?.later).toEqual({ record: 1, time: Date.parse('2026-10-01T08:00:00') });
    expect(await ids(await storeOf(noteOf({}), NEW), query)).toEqual([2, 1]);
  });

  it('what others have written replaces nothing that the owner or an agent has', async () => {
    const others: Written = [NEW[0], NEW[1], { trust: 'external' }];
    expect(await ids(await storeOf(OLD, others), 'guest wifi password')).toEqual([1, 2]);
    const both = await storeOf([OLD[0], OLD[1], { trust: 'external' }], others);
    expect(await ids(both, 'guest wifi password')).toEqual([2, 1]);
  });

  it('a day ahead, and what is said next in the same conversation, replaces nothing', async () => {
    expect(await ids(await storeOf(OLD, [NEW[0], '2027-01-01']), 'guest wifi password')).toEqual([1, 2]);
    const turn = ([text, day]: Written, session: string): Written => [text, day, { metadata: { session } }];
    const query = 'guest wifi password';
    expect(await ids(await storeOf(turn(OLD, 's'), turn(NEW, 's')), query)).toEqual([1, 2]);
    expect(await ids(await storeOf(turn(OLD, 's'), turn(NEW, 't')), query)).toEqual([2, 1]);
  });
});

it('an earlier result about somebody else, which lacks a word of the query, is not called earlier', async () => {
  const store = await storeOf(
    ['Dad takes 5 mg of bisoprolol in the morning.', '2026-04-02'],
    ['Mum takes 10 mg of bisoprolol in the evening.', '2026-08-03'],
  );
  const generation = await addVectors(store);
  await embed(store, generation, 'n', () => unit(1, 0, 0));
  const embedder = { embed: () => Promise.resolve([unit(1, 0.1, 0)]) } as unknown as Embedder;
  expect((await search(store, 'bisoprolol', { embedder, generation }))[1]).toHaveProperty('later');
  const hits = await search(store, 'how much bisoprolol does mum take', { embedder, generation });
  expect(hits.map(({ passage }) => passage.record.id)).toEqual([2, 1]);
  expect(hits[1]).not.toHaveProperty('later');
});

it('a later result whose value was masked stays below', async () => {
  const masked: Written = ['The guest wifi password is [secret masked: password].', '2026-06-09'];
  expect((await search(await storeOf(OLD, masked), 'guest wifi password')).map((hit) => hit.later)).toEqual([
    undefined,
    undefined,
  ]);
});

it('a later result that lacks a word of the query stays below', async () => {
  const records: Written[] = [
    ['The wifi password of the cabin is pinecone-7.', '2025-02-11'],
    ['The wifi password of the studio is walnut-30.', '2026-03-09'],
  ];
  expect(await ids(await storeOf(...records), 'wifi password of the cabin')).toEqual([1, 2]);
  expect(await ids(await storeOf(...records), 'wifi password')).toEqual([2, 1]);
});

it('passages with vectors say the same if these are near', async () => {
  const store = await storeOf(
    ['We meet at nine.', '2025-01-01'],
    ['Everyone comes together at ten.', '2026-01-01'],
    ['Lunch is at noon.', '2026-02-01'],
  );
  const generation = await addVectors(store);
  await embed(store, generation, 'n', (text) =>
    text.startsWith('We')
      ? unit(1, 0.3, 0)
      : text.startsWith('Lunch')
        ? unit(0.9, -0.9, 0.9)
        : unit(0.9, 0.5, 0),
  );
  const embedder = { embed: () => Promise.resolve([unit(1, 0.2, 0)]) } as unknown as Embedder;
  const found = await ids(store, 'gathering', { embedder, generation });
  expect(found).toEqual([2, 1, 3]);
});

it('a result that lacks most of what a later one has of the query is not called earlier', async () => {
  const store = await storeOf(
    ['Heron is deployed at night.', '2025-01-01'],
    ['The weekly call of Heron moves to Thursday.', '2026-01-01'],
  );
  const generation = await addVectors(store);
  await embed(store, generation, 'n', (text) => unit(1, text.startsWith('Heron') ? 0.4 : 0.2, 0));
  const embedder = { embed: () => Promise.resolve([unit(1, 0.1, 0)]) } as unknown as Embedder;
  const hits = await search(store, 'call of heron', { embedder, generation });
  expect(hits.map(({ passage }) => passage.record.id)).toEqual([2, 1]);
  expect(hits[1]!.confidence).toBeGreaterThan(MIN_SURE_CONFIDENCE);
  expect(hits[1]).not.toHaveProperty('later');
});

it('longer notes on one topic keep their order, unless they are nearly equal or each is about a day', async () => {
  const about = (word: string): string =>
    Array.from({ length: 22 }, (_, i) => `${word}${String(i)}`).join(' ');
  const note = (day: string, created?: object): Partial<RecordDraft> => ({
    ...{ origin: 'vault', key: `${day}.md`, metadata: { date: day, created: day, ...created } },
  });
  const storeOfNotes = (created?: object): Promise<Store> =>
    storeOf(
      [about('worktop'), '2025-01-01', note('2025-01-01', created)],
      [about('cabinet'), '2026-01-01', note('2026-01-01', created)],
    );
  const store = await storeOfNotes();
  const generation = await addVectors(store);
  const embedder = { embed: () => Promise.resolve([unit(1, 0.1, 0)]) } as unknown as Embedder;
  // Their cosine is 0.72, and 0.98 in the other store.
  await embed(store, generation, 'n', (text) =>
    text.includes('worktop') ? unit(1, 0.05, 0.38) : unit(1, 0, -0.42),
  );
  expect(await ids(store, 'kitchen', { embedder, generation })).toEqual([1, 2]);
  const ofDays = await storeOfNotes({ created: '2026-02-01' });
  const third = await addVectors(ofDays);
  await embed(ofDays, third, 'n', (text) =>
    text.includes('worktop') ? unit(1, 0.05, 0.38) : unit(1, 0, -0.42),
  );
  expect(await ids(ofDays, 'kitchen', { embedder, generation: third })).toEqual([2, 1]);
  const near = await storeOfNotes();
  const other = await addVectors(near);
  await embed(near, other, 'n', (text) => (text.includes('worktop') ? unit(1, 0, 0) : unit(1, 0.2, 0)));
  expect(await ids(near, 'kitchen', { embedder, generation: other })).toEqual([2, 1]);
});
