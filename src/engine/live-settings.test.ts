import { renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../test/e2e/loci-command.ts';
import { LiveSettings } from './live-settings.ts';
import { CONFIG_FILE, loadConfig } from '../config/load.ts';

/** Settings of a file. `onLoad` runs after the file was read. */
async function opened(text: string, onLoad = (): void => undefined) {
  const home = temporaryFolder();
  const file = join(home, CONFIG_FILE);
  const write = (changed: string): void => writeFileSync(file, changed);
  write(text);
  const load = async () => {
    const loaded = await loadConfig({ home, env: {} });
    onLoad();
    return loaded;
  };
  return { file, write, live: await LiveSettings.open(file, load) };
}

it('are those of the file as it is now', async () => {
  const { live, file, write } = await opened('search: { limit: 3 }\nvaults: [{ path: a }]\n');
  write('search: { limit: 4 }\nvaults: [{ path: a }, { path: b }]\n');
  await live.update();
  expect([live.values.search.limit, live.values.vaults.length, live.problem]).toEqual([4, 2, null]);
  writeFileSync(`${file}.new`, 'search: { limit: 5 }\nvaults: [{ path: a }, { path: b }]\n');
  renameSync(`${file}.new`, file);
  await live.update();
  expect(live.values.search.limit).toBe(5);
});

it('never come from a file that is being written', async () => {
  let rest: (() => void) | undefined;
  const { live, write } = await opened('search: { limit: 3 }\nvaults: [{ path: a }]\n', () => rest?.());
  write('search: { limit: 4 }\n');
  rest = () => write('search: { limit: 4 }\nvaults: [{ path: b }, { path: a }]\n');
  await live.update();
  rest = undefined;
  expect([live.values.search.limit, live.values.vaults.length, live.problem]).toEqual([3, 1, null]);
  await live.update();
  expect([live.values.search.limit, live.values.vaults.length, live.problem]).toEqual([4, 2, null]);
});

it('stay in force while the file is wrong or missing, and the problem says which line is', async () => {
  const { live, file, write } = await opened('search: { limit: 3 }\n');
  write('search:\n  limit: many\n');
  await live.update();
  expect(live.values.search.limit).toBe(3);
  expect(live.problem).toMatch(/loci\.yaml:2: .*limit.*\. The settings of before stay in force/);
  rmSync(file);
  await live.update();
  expect(live.values.search.limit).toBe(3);
  expect(live.problem).toContain(`${file} is no longer there`);
  write('search: { limit: 6 }\n');
  await live.update();
  expect([live.values.search.limit, live.problem]).toEqual([6, null]);
});

it('lose a vault, or what is known of it, only when the file has rested', async () => {
  const hidden = 'vaults: [{ path: a, includeInContext: false }]\n';
  const { live, file, write } = await opened(hidden);
  for (const half of ['', 'search: { limit: 3 }\n', 'vaults: [{ path: a }]\n']) {
    write(half);
    await live.update();
    expect(live.values.vaults, half).toMatchObject([{ includeInContext: false }]);
    const before = new Date(Date.now() - 10_000);
    utimesSync(file, before, before);
    await live.update();
    // An empty file is one that is being written, or that a full disk has left.
    expect(
      live.values.vaults.some(({ includeInContext }) => !includeInContext),
      half,
    ).toBe(half === '');
    write(hidden);
    await live.update();
  }
});

it('keep what the engine opened once, and name it until the file says the same again', async () => {
  const { live, write } = await opened('store: { path: a.db }\n');
  const { path } = live.values.store;
  write('embedding: { provider: none }\nstore: { path: a.db }\nsearch: { limit: 4 }\n');
  await live.update();
  expect([live.values.embedding.provider, live.values.search.limit]).toEqual(['local', 4]);
  expect(live.problem).toBe('Restart this process to use what loci.yaml says now: embedding.provider.');
  // Its vaults are those of another memory.
  write('store: { path: b.db }\nnamespace: other\nvaults: [{ path: c }]\nsearch: { limit: 5 }\n');
  await live.update();
  expect(live.values).toMatchObject({
    namespace: 'default',
    store: { path },
    vaults: [],
    search: { limit: 4 },
  });
  expect(live.problem).toMatch(
    /is for another memory now: restart this process .*\(namespace, store\.path\)/,
  );
  write('store: { path: a.db }\n');
  await live.update();
  expect(live.problem).toBe(null);
});
