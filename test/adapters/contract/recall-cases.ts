import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { MemoryQuery } from '../../../src/adapters/contract.ts';
import { type Cases, fileOf, linesOf } from './host.ts';

/** Texts that mean something to a search engine, a database, an expression or a terminal. */
const HOSTILE_QUERIES: readonly string[] = [
  '"',
  '"heron',
  'heron)',
  "heron'",
  "'; DROP TABLE notes; --",
  "heron' OR '1'='1",
  'heron AND (',
  'NEAR(heron, 2',
  'title:heron',
  'heron* NOT',
  '-heron',
  '{heron}^2',
  '(a+)+$',
  '[',
  '\\',
  '%_',
  '../../etc/passwd',
  'heron\0nest',
  '\0',
  'heron\nnest',
  '\ud800',
  'heron \udc00',
  '👩‍👩‍👧',
  '\u202e\u200b\ufeff',
  'a'.repeat(100_000),
  'heron '.repeat(100_000 / 6),
  'é́'.repeat(50_000),
];

const NO_QUERIES: readonly unknown[] = [
  null,
  undefined,
  {},
  'heron',
  { agentId: 'main' },
  { query: 'heron' },
  { agentId: null, query: 'heron' },
  { agentId: 'main', query: 5 },
  { agentId: 'main', query: ['heron'] },
  ...[NaN, -1, 1.5, Infinity, '3', null].map((limit) => ({ agentId: 'main', query: 'heron', limit })),
  ...['hot', ['tepid'], [null], null, 5].map((tiers) => ({ agentId: 'main', query: 'heron', tiers })),
  ...['open', [5], null, {}].map((poolIds) => ({ agentId: 'main', query: 'heron', poolIds })),
  ...['a', [5], { a: 5 }, { a: [5] }, { a: null }, null].map((filters) => ({
    agentId: 'main',
    query: 'heron',
    filters,
  })),
  { agentId: 'main', query: 'heron', mode: 'both' },
];

const OVEN = `---
title: The old oven
status: done
---

# The oven

It is blue.

## Heating

The heron sits on the chimney.
`;

/** What a recall finds, and in which order. */
export const recallCases: Cases = {
  'has an id, and says what it is capable of': async ({ adapter }) => {
    assert.ok(typeof adapter.id === 'string' && adapter.id !== '', 'id is text');
    const { semantic, keyword, graph } = adapter.capabilities;
    assert.deepEqual([typeof semantic, typeof keyword], ['boolean', 'boolean']);
    assert.ok(semantic || keyword, 'it searches by meaning or by words');
    assert.ok(graph === undefined || typeof graph === 'boolean');
  },

  'finds a note by its words, and says where it is': async (host) => {
    await host.write({ 'notes/Kitchen/Oven.md': OVEN, 'notes/Boat.md': 'The boat is green.\n' });
    await host.register({ id: 'notes', tier: 'warm' });
    const results = await host.recall({ query: 'heron', ...host.byWords });
    assert.equal(results.length, 1);
    const { uri, snippet = '', metadata } = results[0]!;
    assert.equal(fileOf(uri), host.path('notes', 'Kitchen', 'Oven.md'));
    const [first, last] = linesOf(uri) ?? [1, Infinity];
    assert.match(
      OVEN.split('\n')
        .slice(first - 1, last)
        .join('\n'),
      /heron/,
      uri,
    );
    if (snippet !== '') assert.match(snippet, /heron/);
    if (metadata === undefined) return;
    const { pool, tier, path, title, status } = metadata;
    assert.deepEqual(
      { pool, tier, path, title, status },
      { pool: 'notes', tier: 'warm', path: 'Kitchen/Oven.md', title: 'The old oven', status: 'done' },
    );
  },

  'names a note without a title by its file, and does not let a note say where it is': async (
    host,
    context,
  ) => {
    await host.write({ 'notes/Heron.md': '---\npool: secret\ntier: cold\npath: ../x\n---\n\nA heron.\n' });
    await host.register({ id: 'notes' });
    const [result] = await host.recall('heron');
    if (result?.metadata === undefined) {
      assert.ok(result);
      context.skip('the adapter gives no metadata');
      return;
    }
    const { pool, tier, path, title } = result.metadata;
    assert.deepEqual(
      { pool, tier, path, title },
      { pool: 'notes', tier: 'hot', path: 'Heron.md', title: 'Heron' },
    );
  },

  'gives the best note first': async (host) => {
    const other = 'The ferry leaves at noon from the pier, and it takes an hour. ';
    await host.write({
      'notes/a.md': `${other.repeat(20)} A heron was there. ${other.repeat(20)}`,
      'notes/b.md': 'The nest of the heron: a heron builds its nest in a tree.\n',
      'notes/c.md': `${other.repeat(20)} Nobody saw the nest. ${other.repeat(20)}`,
    });
    await host.register({ id: 'notes' });
    assert.equal((await host.ranked('heron nest'))[0], 'notes/b.md');
  },

  'gives ten results unless the limit is another': async (host) => {
    const names = Array.from({ length: 12 }, (_, i) => `notes/${String(i)}.md`);
    await host.write(Object.fromEntries(names.map((name, i) => [name, `Heron number ${String(i)}.\n`])));
    await host.register({ id: 'notes' });
    const counted = async (limit: number | undefined): Promise<number> => {
      const results = await host.adapter.recall({
        agentId: 'main',
        query: 'heron',
        ...(limit !== undefined && { limit }),
      });
      return results.length;
    };
    assert.equal(await counted(undefined), 10);
    assert.equal(await counted(0), 0);
    assert.equal(await counted(3), 3);
    assert.equal(await counted(12), 12);
    assert.equal(await counted(100_000), 12);
  },

  'gives one result for a note, so that a long one takes no places of others': async (host) => {
    const section = (i: number): string =>
      `# Heron ${String(i)}\n\nThe heron of part ${String(i)} has a nest.\n\n`;
    const parts = Array.from({ length: 60 }, (_, i) => section(i));
    await host.write({
      'notes/long.md': parts.join('The sea is wide. '.repeat(18)),
      'notes/a.md': 'A heron.\n',
      'notes/b.md': 'Once there was a heron.\n',
    });
    await host.register({ id: 'notes' });
    assert.deepEqual(await host.found({ limit: 3 }), ['notes/a.md', 'notes/b.md', 'notes/long.md']);
  },

  'gives an empty list where there is nothing to find': async (host) => {
    assert.deepEqual(await host.recall('heron'), [], 'without pools');
    await host.register();
    assert.deepEqual(await host.recall('heron'), [], 'with an empty list of pools');
    await host.write({ 'notes/a.md': 'A heron.\n', 'empty/a.png': '' });
    await host.register({ id: 'empty' });
    assert.deepEqual(await host.recall('heron'), [], 'with a pool without notes');
    await host.register({ id: 'notes' });
    assert.deepEqual(await host.recall({ query: 'zeppelin', ...host.byWords }), [], 'for other words');
    for (const query of ['', ' \n\t']) assert.deepEqual(await host.recall(query), [], 'for an empty query');
  },

  'finds words of any script, whatever their case': async (host) => {
    await host.write({
      'notes/ja.md': '図書館の開館時間は九時です。\n',
      'notes/ru.md': 'Скворечник висит на берёзе.\n',
      'notes/de.md': 'Die GRÖSSE der Öfen.\n',
      'notes/fr.md': 'Le cafe\u0301 est ferme\u0301.\n',
      'notes/日記 🐦.txt': 'The heron came back.\n',
    });
    await host.register({ id: 'notes' });
    for (const [query, name] of [
      ['図書館', 'ja.md'],
      ['開館時間', 'ja.md'],
      ['СКВОРЕЧНИК', 'ru.md'],
      ['öfen', 'de.md'],
      ['caf\u00e9', 'fr.md'],
      ['HERON', '日記 🐦.txt'],
    ] as const)
      assert.deepEqual(await host.ranked({ query, limit: 1, ...host.byWords }), [`notes/${name}`], query);
  },

  'answers a query of any text': async (host) => {
    await host.write({ 'notes/a.md': 'A heron.\n' });
    await host.register({ id: 'notes' });
    for (const query of HOSTILE_QUERIES) {
      const found = await host.found(query);
      const label = JSON.stringify(query.slice(0, 30));
      assert.ok(found.length <= 1, label);
      if (/^\W?heron\W?$/.test(query)) assert.deepEqual(found, ['notes/a.md'], label);
    }
    assert.deepEqual(await host.found(), ['notes/a.md'], 'afterwards');
  },

  'never rejects a recall, and shows nothing more for what is no query': async (host) => {
    await host.write({ 'open/a.md': 'A heron.\n', 'closed/a.md': 'A heron.\n' });
    await host.register({ id: 'open' }, { id: 'closed', agents: ['other'] });
    for (const value of NO_QUERIES) {
      const results = await host.adapter.recall(value as MemoryQuery);
      assert.equal(Array.isArray(results), true, JSON.stringify(value));
      for (const { uri } of results)
        assert.equal(fileOf(uri), host.path('open', 'a.md'), JSON.stringify(value));
    }
    assert.deepEqual(await host.found(), ['open/a.md'], 'afterwards');
  },

  'answers in each mode, and searches by words alone where words are asked for': async (host) => {
    await host.write({ 'notes/a.md': 'A heron.\n', 'notes/b.md': 'A boat.\n' });
    await host.register({ id: 'notes' });
    const { semantic, keyword } = host.adapter.capabilities;
    for (const mode of ['semantic', 'keyword'] as const) await host.recall({ query: 'heron', mode });
    if (keyword) assert.deepEqual(await host.found({ mode: 'keyword' }), ['notes/a.md']);
    if (!semantic) assert.deepEqual(await host.found(), ['notes/a.md']);
  },

  'finds by meaning': async (host, context) => {
    if (host.options.findsMeaning !== true || !host.adapter.capabilities.semantic) {
      context.skip('meaning is not tested');
      return;
    }
    await host.write({
      'notes/car.md': 'The automobile was repaired by the mechanic.\n',
      'notes/soup.md': 'Chop the onions and boil the lentils.\n',
      'notes/tax.md': 'The declaration of income is due in May.\n',
    });
    await host.register({ id: 'notes' });
    for (const mode of [undefined, 'semantic'] as const) {
      const query = { query: 'who fixed my vehicle', limit: 1, ...(mode !== undefined && { mode }) };
      assert.deepEqual(await host.ranked(query), ['notes/car.md'], mode);
    }
    assert.deepEqual(await host.recall({ query: 'vehicle', ...host.byWords }), [], 'by words');
  },

  'gives a snippet of the text, not all of it': async (host, context) => {
    const filler = 'The ferry leaves at noon from the pier. '.repeat(2000);
    await host.write({ 'notes/a.md': `${filler}\n\nThe heron stood at the weir.\n\n${filler}\n` });
    await host.register({ id: 'notes' });
    const [result] = await host.recall({ query: 'heron weir', ...host.byWords });
    if (result?.snippet === undefined) {
      assert.ok(result);
      context.skip('the adapter gives no snippets');
      return;
    }
    assert.match(result.snippet, /heron/);
    assert.ok(result.snippet.length < 5000, `the snippet has ${String(result.snippet.length)} characters`);
    const text = await readFile(fileOf(result.uri), 'utf8');
    const words = result.snippet.split(/[^a-z]+/i).filter((word) => word !== '');
    for (const word of words) assert.ok(text.includes(word), word);
  },
};
