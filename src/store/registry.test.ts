import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStore, STORE_DRIVERS } from './registry.ts';

const OPTIONS = { path: '', busyTimeoutMs: 0, create: true };

describe('openStore', () => {
  it('opens the configured store', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'loci-registry-'));
    const store = await openStore({ ...OPTIONS, driver: 'sqlite', path: join(folder, 'loci.db') });
    expect(store.capabilities).toEqual({
      name: 'sqlite',
      durable: true,
      shared: true,
      bm25: true,
      vectors: 'approximate',
      readOnly: false,
    });
    await store.close();
    rmSync(folder, { recursive: true });
    expect(STORE_DRIVERS).toEqual(['sqlite']);
  });

  it.each([
    ['sqllite', `unknown store driver 'sqllite': did you mean 'sqlite'?`],
    ['memory', `unknown store driver 'memory': expected sqlite`],
    ['toString', `unknown store driver 'toString': expected sqlite`],
    ['', `unknown store driver '': expected sqlite`],
  ])('refuses %j', async (driver, message) => {
    await expect(openStore({ ...OPTIONS, driver })).rejects.toMatchObject({
      code: 'invalid_config',
      message,
    });
  });
});
