import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { openStore, STORE_DRIVERS } from '../../src/store/registry.ts';
import { describeStore } from './store-contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'loci-store-contract-'));
let files = 0;

afterAll(() => {
  rmSync(folder, { recursive: true });
});

for (const driver of STORE_DRIVERS) {
  for (const threads of [true, false]) {
    describeStore(`${driver} ${threads ? 'in threads' : 'in the thread of the caller'}`, () => {
      const path = join(folder, `${String(++files)}.db`);
      return openStore({ driver, path, busyTimeoutMs: 1000, create: true, threads });
    });
  }
}
