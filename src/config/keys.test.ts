import { describe, expect, it } from 'vitest';
import { describeConfig, expectedAt, PATH_KEYS, SETTINGS } from './keys.ts';

describe('describeConfig', () => {
  it('documents every key', () => {
    const bare = describeConfig().filter(({ description, expects }) => description === '' || expects === '');
    expect(bare.map(({ path }) => path)).toEqual([]);
  });

  it('gives every setting but those that stay unset a default, its own or the preset’s, and a variable of its own', () => {
    const presets = SETTINGS.filter((key) => key.default === undefined).map(({ path }) => path);
    expect(
      presets.filter((path) => !/^(search\.(fusion|weights\.)|server\.socket$|auth\.jwt\.)/.test(path)),
    ).toEqual([]);
    expect(new Set(SETTINGS.map(({ env }) => env)).size).toBe(SETTINGS.length);
    const timeout = SETTINGS.find(({ path }) => path === 'store.busyTimeout');
    expect(timeout).toMatchObject({ env: 'LOCI_STORE_BUSY_TIMEOUT', default: '5s', type: 'quantity' });
  });

  it('lists the keys of list entries, which have no variable', () => {
    const key = describeConfig().find(({ path }) => path === 'vaults[].projects');
    expect(key).toMatchObject({ env: null, type: 'map', default: undefined });
  });

  it('knows which settings are paths', () =>
    expect(PATH_KEYS).toEqual([
      'store.path',
      'vaults[].path',
      'sources[].cwd',
      'skills[].path',
      'server.socket',
    ]));
});

describe('expectedAt', () => {
  it.each([
    [['search', 'limit'], 'a whole number from 1 to 1000'],
    [['search', 'weights', 'text'], 'a number from 0 to 1'],
    [['search', 'stages', 'dates'], 'true or false'],
    [['search', 'fusion'], 'one of minmax, rrf'],
    [['vaults', 3, 'path'], 'a path'],
    [['vaults', 0, 'projects', 'Work'], 'text of 1 to 128 characters'],
    [['log'], 'a map with the keys level'],
  ])('%j', (path, expected) => expect(expectedAt(path)).toBe(expected));

  it('expects nothing where nothing belongs', () =>
    expect(expectedAt(['search', 'limits', 'x'])).toBeUndefined());
});
