import { Client } from 'pg';
import { expect, it } from 'vitest';
import { openStore } from '../../src/store/registry.ts';
import { CHUNKING, draft, note, passage, write } from '../contract/store-samples.ts';
import { testDatabase } from './database.ts';

it('a word has one row with its passages and those that it is indexed for, as long as there are any', async () => {
  await using database = await testDatabase();
  const store = await openStore({ path: '', connectionString: database.url }, { create: true });
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const words = async (): Promise<Record<string, string>> => {
    const { rows } = await client.query<Record<'word' | 'stem' | 'passages' | 'indexed', string>>(
      'SELECT word, stem, passages, indexed FROM term',
    );
    return Object.fromEntries(
      rows.map(({ word, stem, passages, indexed }) => [word, `${stem} ${passages} ${indexed}`]),
    );
  };
  try {
    const [kettles, kettle] = await write(store, 'n', note(['kettles', 'kettles boil']), note('kettle'));
    expect(await words()).toEqual({
      kettles: 'kettl 2 0',
      kettle: 'kettl 1 0',
      kettl: 'kettl 0 3',
      boil: 'boil 1 1',
    });
    await store.records.commit('n', {
      writes: [{ id: kettle!, draft: draft({ content: 'kettl' }), passages: [passage('kettl')] }],
      chunking: CHUNKING,
    });
    expect(await words()).toEqual({ kettles: 'kettl 2 0', kettl: 'kettl 1 3', boil: 'boil 1 1' });
    await store.records.commit('n', { deletions: [{ id: kettles!, at: 1 }] });
    expect(await words()).toEqual({ kettl: 'kettl 1 1' });
    await store.records.commit('n', { evictions: [kettle!] });
    expect(await words()).toEqual({});
    // A word that was a term only has its stem from then on.
    await write(store, 'n', note('houses'));
    expect(await words()).toEqual({ houses: 'hous 1 0', hous: 'hous 0 1' });
    await write(store, 'n', note('hous'));
    expect(await words()).toEqual({ houses: 'hous 1 0', hous: 'hou 1 1', hou: 'hou 0 1' });
  } finally {
    await client.end();
    await store.close();
  }
});
