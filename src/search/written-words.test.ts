import { describe, expect, it } from 'vitest';
import { openSqliteInMemory } from '../../test/contract/sqlite-in-memory.ts';
import { addVectors, ALL_LIVE, embed, note, unit, write } from '../../test/contract/store-samples.ts';
import type { Embedder } from '../embed/embedder.ts';
import type { RecordWrite } from '../store/model.ts';
import type { Hit } from './rank/confidence.ts';
import { DEFAULT_RANKING } from './rank/ranking.ts';
import type { SearchOptions } from './run.ts';
import { runSearch } from './search.ts';

const OTHERS = Array.from({ length: 5 }, (_, i) =>
  note(`Tea at ${String(10 + i)}, user ${String(i)} and a plan: 1 cup, 50 people, 4711 steps.`, {
    title: `Other ${String(i)}`,
  }),
);

async function hitsIn(
  notes: readonly RecordWrite[],
  query: string,
  vectors: SearchOptions['vectors'] = null,
  store = openSqliteInMemory(),
): Promise<readonly Hit[]> {
  await write(store, 'n', ...notes);
  const options = { store, namespace: 'n', filter: ALL_LIVE, limit: 10, ranking: DEFAULT_RANKING };
  return (await runSearch({ ...options, query, vectors })).hits;
}

describe('words as people write them', () => {
  it.each([
    ['ฉันชอบกินข้าวผัดและดื่มชาเย็นทุกวัน', 'ข้าวผัด'],
    ['ខ្ញុំចូលចិត្តញ៉ាំបាយ\u200bនៅផ្ទះ', 'បាយ'],
    ['ordered the sof\u00adtener', 'softener'],
    ['the softener', 'soft\u200bener'],
    ['می‌خواهم بروم', 'میخواهم'],
    ['میخواهم بروم', 'می‌خواهم'],
    ['Friday: 🍕 with the team', '🍕'],
    ['👍🏽 it works', '👍'],
    ['See § 12', '§'],
    ['Learn C++ at night', 'C++'],
    ['Learn .NET at night', '.NET'],
    ['The R&D budget', 'R&D'],
    ['written with nodejs', 'node.js'],
    ['a disk of 250 GB', '250GB'],
    ['a disk of 250GB', '250 GB'],
    ['paid 1,299.50 in all', '1299.50'],
    ['paid 1299.50 in all', '1.299,5'],
    ["paid 1'299 in all", '1299.00'],
    ['population 8.500.000', '8500000'],
    ['IBAN DE89 3704 0044 0532 0130 00', 'DE89370400440532013000'],
    ['IBAN DE89370400440532013000', 'DE89 3704 0044 0532 0130 00'],
    ['call +49 170 / 123-4567', '+491701234567'],
    ['order 302-1234567-1234567', '30212345671234567'],
    ['order 30212345671234567', '302-1234567-1234567'],
    [`commit ${'9fceb02d0a'.repeat(4)}`, '9fceb02'],
    ['commit 9fceb02', '9fceb02d0a'.repeat(4)],
    ['id 550e8400-e29b-41d4-a716-446655440000', '550e8400-e29b-41'],
  ])('in %j are found by %j', async (text, query) => {
    const [first] = await hitsIn([...OTHERS, note(text, { title: 'This' })], query);
    expect(first?.passage.record.title).toBe('This');
    expect(first!.confidence).toBeGreaterThan(0.6);
  });

  it.each([
    ['C++', 'vitamin C'],
    ['.NET', 'a net'],
    ['🍕', '🍔'],
    ['1299.50', 'paid 1299 for 50'],
  ])('%s is not found in %j', async (query, text) => {
    expect(await hitsIn([...OTHERS, note(text)], query)).toEqual([]);
  });
});

describe('a word that resembles more frequent ones', () => {
  const wikis = Array.from({ length: 20 }, (_, i) => note(`The wiki page ${String(i)}, base and make.`));

  async function correctionsIn(found: RecordWrite, query: string) {
    const store = openSqliteInMemory();
    await write(store, 'n', ...wikis, found);
    const options = { store, namespace: 'n', filter: ALL_LIVE, limit: 10, ranking: DEFAULT_RANKING };
    const { hits, retrieved } = await runSearch({ ...options, query, vectors: null });
    return { corrections: retrieved.corrections, found: hits.map(({ passage }) => passage.record.title) };
  }

  it.each([
    ['a text', 'wifi', note('The WiFi is slow.', { title: 'This' })],
    ['a text, as two words', 'wifi', note('The Wi-Fi is slow.', { title: 'This' })],
    ['a text, as two words of another case', 'wifi slow', note('Why is our wi fi slow', { title: 'This' })],
    ['a text, in another form', 'bake', note('Baking tins', { title: 'This' })],
    ['a title', 'wifi', note('Slow.', { title: 'wifi' })],
    ['an alias', 'wifi', note('Slow.', { title: 'This', metadata: { aliases: ['Wi-Fi'] } })],
    ['a tag', 'wifi', note('Slow.', { title: 'This', tags: ['home/wi-fi'] })],
    ['a file name', 'wifi', note('Slow.', { title: 'This', key: 'House/Wi-Fi.md' })],
    ['front matter', 'wifi', note('Slow.', { title: 'This', metadata: { frontMatter: { net: 'wifi' } } })],
  ])('is not corrected if it is in %s', async (_, query, record) => {
    expect(await correctionsIn(record, query)).toEqual({ corrections: [], found: [record.draft.title] });
  });

  it('is corrected if its parts are no two words of a text', async () => {
    const { corrections } = await correctionsIn(note('Wi and then Fi; fi wi', { title: 'This' }), 'wifi');
    expect(corrections).toEqual([{ word: 'wifi', replacements: ['wiki'] }]);
  });
});

describe('the path of a note', () => {
  const day = note('Talked.', { title: '2026-03-16', key: 'memory/2026-03-16.md' });
  const other = note('Walked.', { title: '2026-03-16', key: 'journal/2026-03-16.md' });
  const named = note('Prefers tea.', { title: 'About Ada', key: 'USER.md' });

  it.each([
    ['memory/2026-03-16', 'Talked.'],
    ['/home/ada/vault/journal/2026-03-16.md', 'Walked.'],
    ['[[journal/2026-03-16|then]]', 'Walked.'],
    ['USER.md', 'Prefers tea.'],
    ['what is in user.md', 'Prefers tea.'],
  ])('%s finds it first', async (query, text) => {
    const [first, second] = await hitsIn([...OTHERS, day, other, named], query);
    expect(first?.passage.text).toBe(text);
    expect(first!.confidence).toBeGreaterThan(2 * (second?.confidence ?? 0));
  });
});

describe('a text that the model does not know', () => {
  const embedder: Embedder = {
    ...{ provider: 'test', model: 'm', dimensions: 3, maxTokens: 512 },
    embed: (texts) => Promise.resolve(texts.map(() => unit(1, 0, 0))),
    countTokens: (text) => text.length,
    knownShare: (text) => (/[ก-๛🍕]/u.test(text) ? 0 : 1),
    close: () => Promise.resolve(),
  };

  it.each([
    ['🍕', []],
    ['ชาเย็น', []],
    ['42', ['Known']],
    ['meal', ['Known']],
  ])('matches nothing by meaning: %s', async (query, titles) => {
    const store = openSqliteInMemory();
    const generation = await addVectors(store);
    await write(
      store,
      'n',
      note('ฉันชอบกินข้าว', { title: 'Unknown' }),
      note('Rice and soup', { title: 'Known' }),
    );
    await embed(store, generation, 'n', () => unit(1, 0, 0));
    const hits = await hitsIn([], query, { embedder, generation }, store);
    expect(hits.map(({ passage }) => passage.record.title)).toEqual(titles);
  });
});
