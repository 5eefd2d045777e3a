import { describe, expect, it } from 'vitest';
import { makeStyle } from '../format/style.ts';
import { configShow } from './settings.ts';

const view = { style: makeStyle(false), columns: 80, terminal: false, options: new Set<string>() };

describe('config show', () => {
  it('names the origin of each setting, and marks unset keys', () => {
    const vaults = [{ name: 'notes', path: '/home/ann/Documents/My notes' }, { path: '/work' }];
    const settings = [
      { key: 'store.path', value: `/home/${'x'.repeat(50)}`, origin: 'env LOCI_STORE_PATH' },
      { key: 'vaults', value: vaults, origin: 'loci.yaml:1' },
      { key: 'search.fusion', value: null, origin: 'default' },
      { key: 'search.limit', value: 10, origin: 'default' },
    ];
    const text = configShow.render({ home: '/h', file: '/h/loci.yaml', settings, warnings: [] }, view);
    expect(text.split('\n')).toEqual([
      'key            origin               value',
      `store.path     env LOCI_STORE_PATH  /home/${'x'.repeat(50)}`,
      'vaults         loci.yaml:1          [{"name":"notes","path":"/home/ann/Documents/My notes"},{"path":"/work"}]',
      'search.fusion  default              not set',
      'search.limit   default              10',
      '',
      'file          /h/loci.yaml',
      '',
    ]);
  });
});
