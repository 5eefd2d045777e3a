import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { JsonMap } from '../../../core/json.ts';
import { changeKeys, changeKeysBeside, pluginIn, shadowdbSettings } from './plugin-keys.ts';
import { ConfigFiles } from './config-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'loci-openclaw-keys-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function filesWith(plugins: JsonMap): Promise<ConfigFiles> {
  const root = join(folder, 'openclaw.json');
  writeFileSync(root, JSON.stringify({ plugins }));
  return ConfigFiles.load(root);
}

const entries = { 'memory-loci': { enabled: true }, 'memory-core': { enabled: false } };
const slots = { memory: 'memory-loci' };

it.each<[string, JsonMap, string[]]>([
  ['nothing of what setup writes', {}, []],
  ['a missing slot', { slots: {} }, ['plugins.slots.memory']],
  ['another plugin in the slot', { slots: { memory: 'memory-lancedb' } }, ['plugins.slots.memory']],
  [
    'memory-core that may load',
    { entries: { 'memory-loci': { enabled: true } } },
    ['plugins.entries.memory-core.enabled'],
  ],
  [
    'a plugin that is off',
    { entries: { ...entries, 'memory-loci': { enabled: false } } },
    ['plugins.entries.memory-loci.enabled'],
  ],
  ['a list of allowed plugins without it', { allow: ['browser'] }, ['plugins.allow']],
  [
    'memory-shadowdb that is on',
    { entries: { ...entries, 'memory-shadowdb': { config: { table: 'memories' } } } },
    ['plugins.entries.memory-loci.config.table', 'plugins.entries.memory-shadowdb.enabled'],
  ],
  [
    'nothing of memory-core in plugins.deny',
    { entries: { 'memory-loci': { enabled: true } }, deny: ['memory-core'] },
    [],
  ],
  [
    'nothing of memory-core where dreaming is off',
    { entries: { 'memory-loci': { enabled: true, config: { dreaming: { enabled: false } } } } },
    [],
  ],
])('setup changes %s', async (_, plugins, expected) => {
  const files = await filesWith({ slots, entries, ...plugins });
  changeKeys(files, null, null);
  expect(files.changes.map(({ key }) => key)).toEqual(expected);
});

it.each<[JsonMap, string]>([
  [{ deny: ['memory-loci'] }, 'plugins.deny has memory-loci'],
  [{ enabled: false }, 'plugins.enabled turns all plugins off'],
])('setup refuses a configuration that forbids the plugin: %j', async (plugins, message) => {
  const files = await filesWith(plugins);
  expect(() => {
    changeKeys(files, null, null);
  }).toThrow(message);
});

describe('setup --beside', () => {
  it.each<JsonMap>([
    {},
    { allow: ['memory-core'], load: { paths: ['/other'] } },
    { slots: { memory: 'memory-core' } },
    { slots: { memory: 'memory-lancedb' } },
  ])('loads the plugin, keeps memory-core, and changes nothing the second time: %j', async (before) => {
    const files = await filesWith(before);
    expect(pluginIn(files.values())).toBe('memory-loci');
    changeKeysBeside(files, '/srv/loci');
    expect(pluginIn(files.values())).toBe('loci-corpus');
    const plugins = files.values()['plugins'] as JsonMap;
    expect(plugins).toMatchObject({
      load: { paths: expect.arrayContaining([expect.stringMatching(/loci-corpus$/)]) as unknown },
      entries: { 'loci-corpus': { enabled: true, config: { home: '/srv/loci' } } },
      ...('allow' in plugins && { allow: ['loci-corpus', 'memory-core'] }),
    });
    const again = await filesWith(plugins);
    changeKeysBeside(again, null);
    expect(again.changes).toEqual([]);
  });

  it.each<[JsonMap, string]>([
    [
      { slots: { memory: 'other' }, entries: { other: { config: { dreaming: { enabled: false } } } } },
      'memory-core is turned off',
    ],
    [{ slots: { memory: 'memory-loci' } }, 'memory-loci is the memory already'],
    [{ slots: { memory: 'none' } }, 'only memory-core asks'],
    [{ entries: { 'memory-core': { enabled: false } } }, 'memory-core is turned off'],
    [{ load: { paths: ['/old/loci-corpus'] } }, 'another loci-corpus'],
    [{ deny: ['loci-corpus'] }, 'plugins.deny has loci-corpus'],
  ])('refuses where nothing would ask the plugin: %j', async (plugins, message) => {
    const files = await filesWith(plugins);
    expect(() => {
      changeKeysBeside(files, null);
    }).toThrow(message);
    expect(files.changes).toEqual([]);
  });
});

it.each<[string, JsonMap, JsonMap | null]>([
  ['in the slot alone', { slots: { memory: 'memory-shadowdb' } }, {}],
  ['on, but not in the slot', { entries: { 'memory-shadowdb': { config: { table: 't' } } } }, { table: 't' }],
  ['off', { entries: { 'memory-shadowdb': { enabled: false, config: {} } } }, null],
  ['missing', {}, null],
])('the settings of memory-shadowdb are taken over from a plugin that is %s', (_, values, expected) => {
  expect(shadowdbSettings({ plugins: values })).toEqual(expected);
});

it('a change shows no passwords', async () => {
  const files = await filesWith({});
  const config = ['plugins', 'entries', 'memory-loci', 'config'];
  files.set([...config, 'connectionString'], 'postgres://ada:hunter2@host/db');
  files.set([...config, 'embedding'], { model: 'm', apiKey: 'hunter2' });
  expect(JSON.stringify(files.changes)).not.toContain('hunter2');
  expect(JSON.stringify(files.changes)).toContain('"model":"m"');
});
