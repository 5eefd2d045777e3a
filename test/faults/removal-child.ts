/**
 * The process that the tests kill: `node removal-child.ts SETTINGS NAMESPACE`. It removes the namespace of the store with these
 * settings, and prints a line after each step. It begins the next step when it has read a line.
 */
import { createInterface } from 'node:readline';
import { openStore } from '../../src/store/registry.ts';
import type { StoreSettings } from '../../src/store/registry.ts';
import { removeInSteps } from '../contract/store-removal.ts';

const [, , settings = '', namespace = ''] = process.argv;
const store = await openStore(JSON.parse(settings) as StoreSettings, { create: false });
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
await removeInSteps(store, namespace, async (rows) => {
  process.stdout.write(`${String(rows)}\n`);
  await lines.next();
});
await store.close();
