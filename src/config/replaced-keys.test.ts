import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { configRemove, configSet } from './edit.ts';
import { CONFIG_KEYS, environmentName } from './keys.ts';
import { type LoadedConfig, loadConfig } from './load.ts';
import { readSourceSettings } from './problems.ts';
import { REPLACED_KEYS } from './replaced-keys.ts';

let home: string;
beforeEach(async () => (home = await mkdtemp(join(tmpdir(), 'loci-config-'))));
afterEach(() => rm(home, { recursive: true }));

async function load(yaml: string, env: NodeJS.ProcessEnv = {}): Promise<LoadedConfig> {
  await writeFile(join(home, 'loci.yaml'), yaml);
  return loadConfig({ home, env });
}

/** The warnings without the path of the home folder. */
function warningsOf({ warnings }: LoadedConfig): string[] {
  return warnings.map((warning) => warning.replaceAll(`${home}/`, ''));
}

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

describe('a replaced key in loci.yaml', () => {
  it('is ignored with a warning that names the line and the alternative', async () => {
    const config = await load(
      'search:\n  limit: 5\n  fusion: rrf\n  stages: { dates: false }\nindex:\n  passageTokens: 100\n',
    );
    expect(config.values.search).toMatchObject({ limit: 5, preset: 'default' });
    expect(warningsOf(config)).toEqual([
      'loci.yaml:3: search.fusion is not a setting and is ignored; write `search.preset: classic` for Reciprocal Rank Fusion',
      'loci.yaml:4: search.stages is not a setting and is ignored; choose a ranking with `search.preset`',
      'loci.yaml:6: index.passageTokens is not a setting and is ignored; passages have at most 200 tokens',
    ]);
  });

  it('gives its value to the setting that it was renamed to', async () => {
    const config = await load('search:\n  beside: 3\n');
    expect(config.values.search.related).toBe(3);
    expect(config.origins.get('search.related')).toBe('loci.yaml:2');
    expect(warningsOf(config)).toEqual(['loci.yaml:2: search.beside is called search.related now']);
    const both = await load('search: { beside: 3, related: 4 }');
    expect(both.values.search.related).toBe(4);
  });

  it('is reported with its line if its value is invalid', async () => {
    await expect(load('search:\n  limit: 5\n  beside: many\n')).rejects.toThrow(
      /loci\.yaml:3: search\.related: expected a whole number/,
    );
  });

  it('may be an accepted alias', async () => {
    const config = await load('search: { weights: { trigram: 0.4 } }');
    expect(config.values.search.weights).toEqual({ spelling: 0.4 });
    expect(config.warnings).toEqual([]);
  });

  it('is found in each entry of a list', async () => {
    const config = await load(
      'sources:\n  - id: a\n    command: a\n    recency: { halfLife: 3d }\n  - id: b\n    command: b\n    allowEmpty: true\n',
    );
    expect(config.values.sources.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(warningsOf(config)).toEqual([
      'loci.yaml:4: sources[0].recency is not a setting and is ignored; recent documents always get the same small boost',
      'loci.yaml:7: sources[1].allowEmpty is not a setting and is ignored; an empty list removes all documents when it comes twice in a row',
    ]);
  });

  it('is an error if ignoring it would weaken security', async () => {
    await expect(load('auth:\n  jwt:\n    clockTolerance: 0s\nnope: 1\n')).rejects.toMatchObject({
      code: 'invalid_config',
      message: expect.stringMatching(
        /^.*loci\.yaml:3: auth\.jwt\.clockTolerance is not a setting; .*\n.*unknown key nope$/,
      ) as string,
    });
  });

  it('does not prevent changes of other settings', async () => {
    const text = 'search:\n  fusion: rrf # mine\nsources:\n  - { id: a, command: a, allowEmpty: true }\n';
    await writeFile(join(home, 'loci.yaml'), text);
    await configSet('search.limit', 7, { home, env: {} });
    expect(await readFile(join(home, 'loci.yaml'), 'utf8')).toBe(
      text.replace('# mine', '# mine\n  limit: 7'),
    );
    await configRemove('sources', () => true, { home, env: {} });
    expect((await loadConfig({ home, env: {} })).values.sources).toEqual([]);
  });
});

describe('a replaced key elsewhere', () => {
  it('is explained by `config set`', async () => {
    await expect(configSet('search.beside', 3, { home, env: {} })).rejects.toMatchObject({
      code: 'invalid_input',
      message: 'search.beside is called search.related now',
    });
    await expect(configSet('search.stages.dates', false, { home, env: {} })).rejects.toThrow(
      'search.stages.dates is not a setting; choose a ranking with `search.preset`',
    );
  });

  it('is read from the environment like from the file', async () => {
    const renamed = await load('', { LOCI_SEARCH_BESIDE: '3' });
    expect(renamed.values.search.related).toBe(3);
    expect(renamed.warnings).toEqual(['LOCI_SEARCH_BESIDE is called LOCI_SEARCH_RELATED now']);
    const removed = await load('', { LOCI_SEARCH_STAGES_DATES: 'false' });
    expect(removed.warnings).toEqual([
      'LOCI_SEARCH_STAGES_DATES is not a setting and is ignored; choose a ranking with `search.preset`',
    ]);
    await expect(load('', { [environmentName('auth.jwt.clockTolerance')]: '0s' })).rejects.toMatchObject({
      code: 'invalid_config',
      hint: 'Unset LOCI_AUTH_JWT_CLOCK_TOLERANCE.',
    });
  });

  it('is ignored in the front matter of a skill', () => {
    expect(readSourceSettings({ command: 'a', recency: { halfLife: '3d' } })).toHaveProperty('settings');
    expect(readSourceSettings({ command: 'a', nope: 1 })).toEqual({
      problem: expect.stringContaining('unknown key memorySource.nope') as string,
    });
    expect(readSourceSettings('a')).toHaveProperty('problem');
  });
});
