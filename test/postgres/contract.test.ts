import { afterAll } from 'vitest';
import { openStore } from '../../src/store/registry.ts';
import { testDatabase } from './database.ts';
import { describeStore } from '../contract/store-contract.ts';

const resources = new AsyncDisposableStack();
afterAll(() => resources.disposeAsync());

describeStore('postgres', async () => {
  const { url } = resources.use(await testDatabase());
  return openStore({ path: 'loci.db', connectionString: url }, { create: true });
});
