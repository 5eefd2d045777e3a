import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { REFERENCE, STARTUP } from '../../test/contract/shadowdb-settings.ts';
import { configAppend, configRemove, configSet } from './edit.ts';
import { CONFIG_KEYS } from './keys.ts';
import { type LoadedConfig, loadConfig } from './load.ts';
import { readSourceSettings } from './problems.ts';
import { REPLACED_KEYS } from './replaced-keys.ts';

let home: string;
beforeEach(async () => (home = await mkdtemp(join(tmpdir(), 'loci-config-'))));
afterEach(() => rm(home, { recursive: true }));

async function load(text: string, env: NodeJS.ProcessEnv = {}): Promise<LoadedConfig> {
  await writeFile(join(home, 'loci.yaml'), text);
  return loadConfig({ home, env });
}

/** The warnings, each without the name of the file. */
function warningsOf({ warnings }: LoadedConfig): string[] {
  return warnings.map((warning) => warning.replace(/^.*loci\.yaml:/, ''));
}

const SOURCES = `{
  "memorySearch": {
    "readOnlySources": [
      {
        "id": "google-tasks",
        "command": "node skills/google-tasks/tasks.js list --json",
        "refreshInterval": "5m"
      },
      {
        "id": "calendar",
        "command": "node skills/google-tasks/tasks.js calendar --json --days 7",
        "refreshInterval": "15m"
      }
    ]
  }
}
`;

describe('the settings of the memories that Loci replaces', () => {
  it('set the startup text, as JSON with comments and without braces', async () => {
    const config = await load(STARTUP);
    expect(config.warnings).toEqual([]);
    expect(config.values.startup).toEqual({
      enabled: true,
      mode: 'digest',
      maxChars: 6000,
      maxCharsByModel: { opus: 6000, sonnet: 5000, 'ministral-8b': 1500, qwen3: 2000 },
    });
    expect(config.origins.get('startup.maxChars')).toBe('loci.yaml:4');
  });

  it('are mapped to those of Loci; the others are named, with what holds instead', async () => {
    const config = await load(REFERENCE);
    const { search, writes, retention, startup, embedding } = config.values;
    expect(search.weights).toEqual({ vector: 0.7, text: 0.3, recency: 0.15 });
    expect([writes.enabled, retention.purgeAfterDays, startup.maxCharsByModel]).toEqual([
      true,
      60,
      { opus: 6000, sonnet: 5000 },
    ]);
    expect(config.values.store.connectionString).toBe('postgresql://...');
    expect(embedding).toMatchObject({ provider: 'ollama', model: 'nomic-embed-text', dimensions: 768 });
    expect(warningsOf(config).toSorted()).toEqual(
      [
        '3: table is not a setting and is ignored; Loci has tables of its own. `loci import postgres://… --table NAME` copies the memories of ShadowDB, and does not change them',
        '4: connectionString is called store.connectionString now',
        '13: search.vectorWeight is called search.weights.vector now',
        '14: search.textWeight is called search.weights.text now',
        '15: search.recencyWeight is called search.weights.recency now',
        '20: writes.autoEmbed is not a setting and is ignored; what is written is always embedded',
        '22: writes.retention.purgeAfterDays is called retention.purgeAfterDays now',
      ].toSorted(),
    );
    expect(warningsOf(config).join()).not.toContain('postgresql');
  });

  it('name sources, whose list may be edited like that of Loci', async () => {
    const config = await load(SOURCES);
    expect(config.values.sources).toMatchObject([
      {
        id: 'google-tasks',
        command: 'node skills/google-tasks/tasks.js list --json',
        refreshInterval: 300_000,
      },
      { id: 'calendar', refreshInterval: 900_000 },
    ]);
    expect(warningsOf(config)).toEqual(['3: memorySearch.readOnlySources is called sources now']);
    const ids = async (): Promise<string[]> =>
      (await loadConfig({ home, env: {} })).values.sources.map(({ id }) => id);
    await configAppend('sources', { id: 'mail', command: 'mail' }, { home, env: {} });
    expect(await ids()).toEqual(['mail', 'google-tasks', 'calendar']);
    await configRemove('sources', (entry) => JSON.stringify(entry).includes('calendar'), { home, env: {} });
    expect(await ids()).toEqual(['mail', 'google-tasks']);
  });

  it('are named with their line if they are wrong', async () => {
    await expect(load(SOURCES.replace('"15m"', '"soon"'))).rejects.toThrow(
      /loci\.yaml:12: sources\[1\]\.refreshInterval: expected/,
    );
  });
});

describe('the table of replaced keys', () => {
  it('has no key that is a setting, and renames keys only to settings', () => {
    const paths = CONFIG_KEYS.map(({ path }) => path);
    expect(REPLACED_KEYS.filter(({ key }) => paths.includes(key))).toEqual([]);
    const renamed = REPLACED_KEYS.flatMap(({ renamedTo }) => renamedTo ?? []);
    expect(renamed.length).toBeGreaterThan(0);
    expect(renamed.filter((path) => !paths.includes(path))).toEqual([]);
  });

  it('names a new key or explains an alternative for each key', () => {
    const unexplained = REPLACED_KEYS.filter(
      ({ renamedTo, instead }) => (renamedTo ?? instead) === undefined,
    );
    expect(unexplained).toEqual([]);
  });
});

describe('a replaced key', () => {
  it('gives way to the setting that it was renamed to, and `config set` names that', async () => {
    const both = await load('search: { vectorWeight: 0.3, weights: { vector: 0.4, trigram: 0.1 } }');
    expect(both.values.search.weights).toEqual({ vector: 0.4, spelling: 0.1 });
    await expect(configSet('search.vectorWeight', 3, { home, env: {} })).rejects.toMatchObject({
      code: 'invalid_input',
      message: 'search.vectorWeight is called search.weights.vector now',
    });
    await configSet('search.limit', 7, { home, env: {} });
    expect(await readFile(join(home, 'loci.yaml'), 'utf8')).toContain('vectorWeight: 0.3');
  });
});

it('the settings of a skill are refused in its own words', () => {
  expect(readSourceSettings({ command: 'a' })).toHaveProperty('settings');
  expect(readSourceSettings({ command: 'a', nope: 1 })).toEqual({
    problem: expect.stringContaining('unknown key memorySource.nope') as string,
  });
  expect(readSourceSettings('a')).toHaveProperty('problem');
});

describe('the model of a provider', () => {
  it('is named as ignored where the provider has only one, and is not lost', async () => {
    const config = await load('embedding:\n  model: nomic-embed-text\n  dimensions: 768\n');
    expect(config.values.embedding.provider).toBe('local');
    const instead =
      'the bundled model makes embeddings of 384 dimensions; choose another with `embedding.provider`';
    expect(warningsOf(config)).toEqual([
      `2: embedding.model is ignored; ${instead}`,
      `3: embedding.dimensions is ignored; ${instead}`,
    ]);
    const chosen = await load('', { LOCI_EMBEDDING_PROVIDER: 'voyage', LOCI_EMBEDDING_MODEL: 'voyage-3.5' });
    expect(chosen.values.embedding).toMatchObject({ provider: 'voyage', model: 'voyage-3.5' });
    expect(chosen.warnings).toEqual([]);
  });

  it('has a provider of the list, and a key that no message repeats', async () => {
    await expect(load('embedding: { provider: nonsense }')).rejects.toThrow(/expected one of local, ollama,/);
    const wrong = load('embedding: { provider: openai, apiKey: [sk-123456] }');
    await expect(wrong).rejects.toThrow(/embedding\.apiKey: expected text/);
    await expect(wrong).rejects.not.toThrow(/123456/);
  });
});

describe('JSON with comments', () => {
  it('keeps slashes in texts, the lines of errors, and its comments after an edit', async () => {
    const text = '// mine\n# also mine\n{\n  "namespace": "a // b", // c: {\n  "project": "p" //d\n}\n';
    expect((await load(text)).values).toMatchObject({ namespace: 'a // b', project: 'p' });
    await configSet('project', 'q', { home, env: {} });
    expect((await loadConfig({ home, env: {} })).values).toMatchObject({ namespace: 'a // b', project: 'q' });
    expect(await readFile(join(home, 'loci.yaml'), 'utf8')).toContain('mine');
    await expect(load(text.replace('"p"', '7'))).rejects.toThrow(/loci\.yaml:5: project: expected text/);
  });

  it('is not what YAML with slashes is taken for', async () => {
    const { values } = await load('# paths\nvaults:\n  - path: //server/notes\n    name: a // b\n');
    expect(values.vaults).toMatchObject([{ path: '/server/notes', name: 'a // b' }]);
    const long = `${'#'.repeat(50_000)}\n${'//'.repeat(50_000)}`;
    await expect(load(long)).rejects.toMatchObject({ code: 'invalid_config' });
  });
});
