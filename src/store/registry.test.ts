import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { locateStore, openStore } from './registry.ts';

it('opens and locates the configured store', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'loci-registry-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  const settings = { path: join(folder, 'loci.db') };
  const location = locateStore(settings);
  expect(location).toMatchObject({ name: settings.path, file: settings.path, stateFolder: folder });
  expect(await location.identity()).toBeNull();
  const open = async (): Promise<string | null> => {
    const store = await openStore(settings, { create: true });
    expect(store.capabilities).toEqual({
      name: 'sqlite',
      location: settings.path,
      durable: true,
      shared: true,
      bm25: true,
      vectors: 'approximate',
      readOnly: false,
    });
    await store.close();
    return location.identity();
  };
  const identity = await open();
  expect(identity).toEqual(expect.any(String));
  expect(await open()).toBe(identity);
});
