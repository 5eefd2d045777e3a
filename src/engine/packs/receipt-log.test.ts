import { expect, it } from 'vitest';
import { openSqliteInMemory } from '../../../test/contract/sqlite-in-memory.ts';
import { configSchema } from '../../config/schema.ts';
import { sha256, uuidv7 } from '../../core/ids.ts';
import { RECEIPT_VERSION, type Receipt } from '../../pack/receipt.ts';
import type { Store } from '../../store/store.ts';
import { EngineServices } from '../context.ts';
import { storedReceipt } from '../../store/items/kinds.ts';
import { ReceiptLog } from './receipt-log.ts';

const RECEIPT: Receipt = {
  version: RECEIPT_VERSION,
  id: uuidv7(0),
  kind: 'pack',
  at: '2026-11-22T12:00:00.000Z',
  query_hash: null,
  project: null,
  budget: { tokens: 1, used: 0, tokenizer: 'o200k_base' },
  lanes: [],
  candidates: [],
  pieces: [],
  hash: sha256(''),
  bytes: 0,
};

function logOf(store: Store, warnings: string[] = []): ReceiptLog {
  const onWarning = (message: string): unknown => warnings.push(message);
  const options = { now: () => Date.parse(RECEIPT.at), onWarning };
  return new ReceiptLog(new EngineServices(configSchema.parse({}), store, options));
}

it('a receipt is stored before its id is returned', async () => {
  const store = openSqliteInMemory();
  expect(await logOf(store).write('n', RECEIPT)).toBe(RECEIPT.id);
  expect((await storedReceipt(store.records, 'n', RECEIPT.id))?.body).toEqual(RECEIPT);
  await store.close();
});

it('an error of the store gives an answer without a receipt, and one warning for all of the same', async () => {
  const store = openSqliteInMemory();
  await store.close();
  const warnings: string[] = [];
  const log = logOf(store, warnings);
  expect(await log.write('n', RECEIPT)).toBeNull();
  expect(await log.write('n', RECEIPT)).toBeNull();
  expect(warnings).toEqual([expect.stringContaining('a receipt could not be stored')]);
});

it('a store that does not answer does not hold up the answer', async () => {
  const stuck = {
    capabilities: { readOnly: false },
    records: { commit: () => Promise.withResolvers().promise },
  } as unknown as Store;
  const warnings: string[] = [];
  expect(await logOf(stuck, warnings).write('n', RECEIPT)).toBeNull();
  expect(warnings).toEqual([]);
});
