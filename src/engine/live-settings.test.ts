import { renameSync, rmSync, writeFileSync } from 'node:fs';
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
  write('search: { limit: 4 }\n');
  await live.update();
  expect([live.values.search.limit, live.values.vaults, live.problem]).toEqual([4, [], null]);
  writeFileSync(`${file}.new`, 'search: { limit: 5 }\n');
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

it('keep what the engine opened once, and name it until the file says the same again', async () => {
  const { live, write } = await opened('store: { path: a.db }\n');
  const { path } = live.values.store;
  write('store: { path: b.db }\nnamespace: other\nsearch: { limit: 4 }\n');
  await live.update();
  expect([live.values.store.path, live.values.namespace]).toEqual([path, 'default']);
  expect(live.values.search.limit).toBe(4);
  expect(live.problem).toBe('Restart this process to use what loci.yaml says now: namespace, store.path.');
  write('store: { path: a.db }\n');
  await live.update();
  expect(live.problem).toBe(null);
});
