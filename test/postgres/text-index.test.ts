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
    const { rows } = await client.query<Record<'word' | 'passages' | 'indexed', string>>(
      'SELECT word, passages, indexed FROM term',
    );
    return Object.fromEntries(rows.map(({ word, passages, indexed }) => [word, `${passages} ${indexed}`]));
  };
  try {
    const [kettles, kettle] = await write(store, 'n', note(['kettles', 'kettles boil']), note('kettle'));
    expect(await words()).toEqual({ kettles: '2 0', kettle: '1 0', kettl: '0 3', boil: '1 1' });
    await store.records.commit('n', {
      writes: [{ id: kettle!, draft: draft({ content: 'kettl' }), passages: [passage('kettl')] }],
      chunking: CHUNKING,
    });
    expect(await words()).toEqual({ kettles: '2 0', kettl: '1 3', boil: '1 1' });
    await store.records.commit('n', { deletions: [{ id: kettles!, at: 1 }] });
    expect(await words()).toEqual({ kettl: '1 1' });
    await store.records.commit('n', { evictions: [kettle!] });
    expect(await words()).toEqual({});
  } finally {
    await client.end();
    await store.close();
  }
});
