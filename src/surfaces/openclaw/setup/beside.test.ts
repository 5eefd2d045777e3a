import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { changeKeysBeside, usesCorpusPlugin } from './beside.ts';
import { describeChange } from './plugin-keys.ts';
import { ConfigFiles } from './config-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'loci-openclaw-beside-'));
const root = join(folder, 'openclaw.json');
afterAll(() => {
  rmSync(folder, { recursive: true });
});

async function files(text: string): Promise<ConfigFiles> {
  writeFileSync(root, text);
  return ConfigFiles.load(root);
}

it.each([
  '{}',
  '{ "plugins": { "allow": ["memory-core"], "load": { "paths": ["/other"] } } }',
  `{ plugins: { slots: { memory: 'memory-core' } } } // mine`,
  `{ plugins: { slots: { memory: 'memory-lancedb' } } } // mine`,
])('loads the plugin, and keeps memory-core: %s', async (text) => {
  const changed = await files(text);
  changeKeysBeside(changed, '/srv/loci');
  expect(usesCorpusPlugin(changed.originalValues())).toBe(false);
  expect(usesCorpusPlugin(changed.values())).toBe(true);
  const { plugins } = changed.values() as { plugins: Record<string, unknown> };
  expect(plugins).toMatchObject({
    load: { paths: expect.arrayContaining([expect.stringMatching(/loci-corpus$/)]) as unknown },
    entries: { 'loci-corpus': { enabled: true, config: { home: '/srv/loci' } } },
    ...('allow' in plugins && { allow: ['memory-core', 'loci-corpus'] }),
  });
});

it('changes nothing the second time', async () => {
  const first = await files('{}');
  changeKeysBeside(first, null);
  const second = await files(first.text(root));
  changeKeysBeside(second, null);
  expect(second.changes.map(describeChange)).toEqual([]);
});

it.each([
  [
    '{ plugins: { slots: { memory: "other" }, entries: { other: { config: { dreaming: { enabled: false } } } } } }',
    'memory-core is turned off',
  ],
  ['{ plugins: { slots: { memory: "memory-loci" } } }', 'memory-loci is the memory already'],
  ['{ plugins: { slots: { memory: "none" } } }', 'only memory-core asks'],
  ['{ plugins: { entries: { "memory-core": { enabled: false } } } }', 'memory-core is turned off'],
  ['{ plugins: { load: { paths: ["/old/loci-corpus"] } } }', 'another loci-corpus'],
  ['{ plugins: { deny: ["loci-corpus"] } }', 'plugins.deny has loci-corpus'],
])('refuses where nothing would ask it: %s', async (text, message) => {
  const changed = await files(text);
  expect(() => {
    changeKeysBeside(changed, null);
  }).toThrow(message);
  expect(changed.changes).toEqual([]);
});
