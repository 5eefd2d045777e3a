import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { openStore } from '../../src/store/registry.ts';
import type { Store } from '../../src/store/store.ts';
import { describeStore, FEW_SUITES } from './store-contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'loci-store-contract-'));
let files = 0;

afterAll(() => {
  rmSync(folder, { recursive: true });
});

const sqlite = (inline: boolean) => (): Promise<Store> => {
  const path = join(folder, `${String(++files)}.db`);
  return openStore({ path }, { create: true, inline });
};

describeStore('sqlite in threads', sqlite(false));
describeStore('sqlite in the thread of the caller', sqlite(true), FEW_SUITES);
