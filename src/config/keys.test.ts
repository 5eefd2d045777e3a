import { describe, expect, it } from 'vitest';
import { CONFIG_KEYS, expectedAt, PATH_KEYS, SETTINGS } from './keys.ts';

describe('CONFIG_KEYS', () => {
  it('documents every key', () => {
    const undocumented = CONFIG_KEYS.filter(
      ({ description, expects }) => description === '' || expects === '',
    );
    expect(undocumented.map(({ path }) => path)).toEqual([]);
  });

  it('gives every setting a unique variable, and a default unless it may be unset', () => {
    const unset = SETTINGS.filter((key) => key.default === undefined).map(({ path }) => path);
    expect(
      unset.filter(
        (path) =>
          !/^((embedding|rerank)\.|search\.weights\.|server\.socket$|store\.((direct|replica)C|c)onnectionString$|auth\.jwt\.|adapters\.(vaultRoot|lancedb\.package)$)/.test(
            path,
          ),
      ),
    ).toEqual([]);
    expect(new Set(SETTINGS.map(({ env }) => env)).size).toBe(SETTINGS.length);
    const minScore = SETTINGS.find(({ path }) => path === 'search.minScore');
    expect(minScore).toMatchObject({ env: 'LOCI_SEARCH_MIN_SCORE', default: 0.03, type: 'number' });
    const interval = CONFIG_KEYS.find(({ path }) => path === 'vaults[].refreshInterval');
    expect(interval).toMatchObject({ env: null, default: '30s', type: 'duration' });
  });

  it('lists the keys of list entries, without variables', () => {
    const key = CONFIG_KEYS.find(({ path }) => path === 'vaults[].projects');
    expect(key).toMatchObject({ env: null, type: 'map', default: undefined });
  });

  it('lists the settings that are paths', () =>
    expect(PATH_KEYS).toEqual([
      'store.path',
      'vaults[].path',
      'sources[].cwd',
      'sources[].path',
      'skills[].path',
      'server.socket',
      'adapters.vaultRoot',
      'adapters.lancedb.package',
    ]));
});

describe('expectedAt', () => {
  it.each([
    [['search', 'limit'], 'a whole number from 1 to 1000'],
    [['search', 'weights', 'text'], 'a number from 0 to 1'],
    [['startup', 'enabled'], 'true or false'],
    [['search', 'preset'], 'one of default, classic'],
    [['vaults', 3, 'path'], 'a path'],
    [['vaults', 0, 'projects', 'Work'], 'text of 1 to 128 characters'],
    [['log'], 'a map with the keys level'],
  ])('describes the value at %j', (path, expected) => expect(expectedAt(path)).toBe(expected));

  it('returns undefined for an unknown path', () =>
    expect(expectedAt(['search', 'limits', 'x'])).toBeUndefined());
});
