import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LociError } from '../core/errors.ts';
import type { JsonMap } from '../core/json.ts';
import { parseConfig } from './document.ts';
import { CONFIG_KEYS } from './keys.ts';
import { type LoadedConfig, loadConfig, resolveConfig } from './load.ts';
import { expandHome } from './paths.ts';
import { REPLACED_KEYS } from './replaced-keys.ts';

let home: string;
beforeEach(async () => (home = await mkdtemp(join(tmpdir(), 'loci-config-'))));
afterEach(() => rm(home, { recursive: true }));

async function load(yaml: string, env: NodeJS.ProcessEnv = {}): Promise<LoadedConfig> {
  await writeFile(join(home, 'loci.yaml'), yaml);
  return loadConfig({ home, env });
}

async function errorMessage(yaml: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const error: unknown = await load(yaml, env).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(LociError);
  expect(error).toMatchObject({ code: 'invalid_config' });
  return (error as LociError).message.replaceAll(`${home}/`, '');
}

describe('loadConfig', () => {
  it('says which lists are those of a host program, and leaves the others in the file', async () => {
    await writeFile(join(home, 'loci.yaml'), 'vaults: [{ path: a }]\n');
    const places = async (tree: JsonMap): Promise<unknown> =>
      (await loadConfig({ home, env: {}, hostSettings: { tree, place: 'host' } })).places;
    expect(await places({ search: { limit: 3 } })).toEqual({});
    expect(await places({ vaults: [] })).toEqual({ vaults: 'host' });
    expect((await load('vaults: []\n')).places).toEqual({});
  });

  it('returns the defaults if there is no file', async () => {
    const config = await loadConfig({ home: join(home, 'absent'), env: {} });
    expect(config.values.search.limit).toBe(10);
    expect(config.values.store).toEqual({ path: join(home, 'absent/loci.db'), slowStatement: 1000 });
    expect(new Set(config.origins.values())).toEqual(new Set(['default']));
    expect(config.warnings).toEqual([]);
  });

  it('takes the home folder from LOCI_HOME, or else from the home of the user', async () => {
    expect((await loadConfig({ env: { LOCI_HOME: home } })).file).toBe(join(home, 'loci.yaml'));
    expect((await loadConfig({ home: '~/nowhere-in-particular', env: {} })).home).toBe(
      join(homedir(), 'nowhere-in-particular'),
    );
  });

  it('refuses two pools or agents with one id, and names the line', async () => {
    const pools = ['a', 'b', 'a'].map((id) => ({ id, tier: 'hot', path: '/x' }));
    const agents = ['ada', 'ada'].map((id) => ({ id, roles: [] }));
    expect(await errorMessage(stringify({ adapters: { pools, agents } }))).toBe(
      'loci.yaml:9: adapters.pools[2].id: another entry has the id a\n' +
        'loci.yaml:15: adapters.agents[1].id: another entry has the id ada',
    );
  });

  it('prefers the environment to the file and the file to the defaults, and reports the origin', async () => {
    const config = await load('# mine\nsearch:\n  limit: 20\n  preset: classic\n', {
      LOCI_SEARCH_LIMIT: '30',
    });
    expect(config.values.search).toMatchObject({ limit: 30, preset: 'classic', minScore: 0.03 });
    expect(config.origins.get('search.limit')).toBe('env LOCI_SEARCH_LIMIT');
    expect(config.origins.get('search.preset')).toBe('loci.yaml:4');
    expect(config.origins.get('search.minScore')).toBe('default');
  });

  it('gives an example in the error about an invalid document field or variable name', async () => {
    const source = { id: 'tasks', command: 'cat tasks.json', fields: ['titel'], env: ['$TOKEN'] };
    expect((await errorMessage(stringify({ sources: [source] }))).split('\n')).toEqual([
      expect.stringMatching(/env\[0\]: expected the name of a variable such as TODO_TOKEN, .*, got "\*{8}"$/),
      expect.stringMatching(
        /fields\[0\]: expected one of text, title, .* such as metadata\.sender, got "titel"$/,
      ),
    ]);
  });

  it.each([
    { TOKEN: 'hunter2hunter2' },
    'hunter2hunter2 x',
    'hunter2hunter2',
    ['TOKEN=hunter2hunter2'],
    [{ TOKEN: 'hunter2hunter2' }],
  ])('repeats no value of env in an error: %j', async (env) => {
    const source = { id: 'tasks', command: 'cat tasks.json', env };
    for (const sources of [[source], source]) {
      const message = await errorMessage(stringify({ sources }));
      expect(message).toContain('expected');
      expect(message).not.toContain('hunter2');
    }
  });

  it('parses durations, and also returns them as they were written', async () => {
    const tasks = { id: 'tasks', command: 'tasks', timeout: '2m', refreshInterval: 1000 };
    const config = await load(stringify({ sources: [tasks] }));
    expect(config.values.sources).toMatchObject([{ timeout: 120_000, refreshInterval: 1000 }]);
    expect(config.written.get('sources')).toEqual([tasks]);
  });

  it('resolves paths of the file from its folder, and those of the environment from the current folder', async () => {
    const yaml =
      'store: { path: data/a.db }\nvaults:\n  - path: ~/notes\n  - path: ../work\n    name: work\n';
    const config = await load(yaml);
    expect(config.values.store.path).toBe(join(home, 'data/a.db'));
    expect(config.values.vaults).toMatchObject([
      { path: join(homedir(), 'notes') },
      { path: resolve(home, '../work'), name: 'work' },
    ]);
    const fromEnvironment = await load(yaml, { LOCI_STORE_PATH: 'b.db', LOCI_VAULTS: '[{"path": "here"}]' });
    expect(fromEnvironment.values.store.path).toBe(resolve('b.db'));
    expect(fromEnvironment.values.vaults).toMatchObject([{ path: resolve('here') }]);
  });

  it('treats a key without a value as absent', async () => {
    const config = await load('search:\nvaults:\n#  - path: x\nlog: { level: }\n');
    expect(config.values).toEqual((await load('')).values);
  });

  it('warns about unknown variables that begin with LOCI_', async () => {
    const env = { LOCI_SERCH_LIMIT: '3', LOCI_EVAL_DATA: 'x', LOCI_FLUX: '1', LOCI_NAMESPACE: '', HOME: '/' };
    const { warnings } = await load('', env);
    expect(warnings).toEqual([
      'LOCI_FLUX is not a setting of Loci and is ignored',
      'LOCI_SERCH_LIMIT is not a setting of Loci and is ignored; did you mean LOCI_SEARCH_LIMIT?',
    ]);
  });
});

describe('an invalid configuration', () => {
  it('is reported with line, key, expected value and given value', async () => {
    expect(await errorMessage('search:\n  # many\n  limit: ten\n')).toBe(
      'loci.yaml:3: search.limit: expected a whole number from 1 to 1000, got "ten"',
    );
    expect(await errorMessage('search: 5')).toMatch(
      /^loci\.yaml:1: search: expected a map with the keys limit, .*, got 5$/,
    );
    expect(await errorMessage('vaults: [{ path: a, refreshInterval: soon }]')).toContain(
      'expected a duration such as 500ms, 5s or 2m',
    );
    expect(await errorMessage('project: 2024')).toContain('got 2024 (put it in quotes)');
    expect(await errorMessage('vaults:\n  - path: a\n  - name: b\n')).toBe(
      'loci.yaml:3: vaults[1].path is missing: expected a path',
    );
    expect(await errorMessage('vaults:\n  - path: a\n    projects:\n      Work: [1]\n')).toBe(
      'loci.yaml:4: vaults[0].projects.Work: expected text of 1 to 128 characters, got [1]',
    );
  });

  it('is reported with the nearest key', async () => {
    expect(await errorMessage('search:\n  limt: 3')).toBe(
      'loci.yaml:2: unknown key search.limt; did you mean search.limit?',
    );
    expect(await errorMessage('\nserach: {}')).toBe('loci.yaml:2: unknown key serach; did you mean search?');
    expect(await errorMessage('purgeAfterDays: 7')).toContain('did you mean retention.purgeAfterDays?');
    expect(await errorMessage('search.limit: 3')).toContain('did you mean search.limit?');
    expect(await errorMessage('vaults: [{ path: x, nmae: y }]')).toContain('did you mean vaults[0].name?');
    expect(await errorMessage('frobnicate: 1')).toBe('loci.yaml:1: unknown key frobnicate');
  });

  it('is reported with all its errors at once', async () => {
    expect((await errorMessage('search: { limit: 0, preset: x }\nnope: 1')).split('\n')).toHaveLength(3);
  });

  it('is reported with the variable if a variable is invalid', async () => {
    expect(await errorMessage('', { LOCI_SEARCH_LIMIT: 'ten' })).toBe(
      'LOCI_SEARCH_LIMIT: search.limit: expected a whole number from 1 to 1000, got "ten"',
    );
    expect(await errorMessage('', { LOCI_STARTUP_ENABLED: 'yes' })).toContain(
      'expected true or false, got "yes"',
    );
    expect(await errorMessage('', { LOCI_VAULTS: '[{}]' })).toContain(
      'LOCI_VAULTS: vaults[0].path is missing',
    );
    expect(await errorMessage('', { LOCI_VAULTS: '[' })).toContain('expected a list of entries');
    expect(await errorMessage('', { LOCI_VAULTS: '&a [*a]' })).toContain('expected a list of entries');
  });

  it('is reported with a hint that names the file, the variable, or both', async () => {
    const hintOf = async (yaml: string, env: NodeJS.ProcessEnv = {}) =>
      ((await load(yaml, env).catch((thrown: unknown) => thrown)) as LociError).hint;
    expect(await hintOf('search: { limit: 0 }')).toBe(
      'Correct loci.yaml; docs/configuration.md lists every key.',
    );
    expect(await hintOf('', { LOCI_SEARCH_LIMIT: 'x' })).toMatch(/^Correct LOCI_SEARCH_LIMIT; /);
    expect(await hintOf('nope: 1', { LOCI_SEARCH_LIMIT: 'x' })).toMatch(
      /^Correct (?:LOCI_SEARCH_LIMIT and loci\.yaml|loci\.yaml and LOCI_SEARCH_LIMIT); /,
    );
  });

  it('is reported if it is invalid YAML, not a map, an alias of itself, not UTF-8, or unreadable', async () => {
    expect(await errorMessage('a: 1\nb: [\n')).toMatch(/^loci\.yaml:\d+:\d+: this is not YAML/);
    expect(await errorMessage('a: 1\na: 2\n')).toMatch(
      /^loci\.yaml:2:1: this is not YAML: this key occurs twice/,
    );
    expect(await errorMessage('- a\n')).toContain('expected a map of keys');
    expect(await errorMessage('vaults: &x [*x]\n')).toContain('loci.yaml: ');
    for (const depth of [100, 3000, 10_000, 30_000]) {
      expect(await errorMessage(`vaults: ${'['.repeat(depth)}${']'.repeat(depth)}`)).toContain('loci.yaml');
    }
    await writeFile(join(home, 'loci.yaml'), Buffer.from([0x61, 0xff]));
    await expect(loadConfig({ home, env: {} })).rejects.toMatchObject({ code: 'invalid_config' });
    await mkdir(join(home, 'folder/loci.yaml'), { recursive: true });
    await expect(loadConfig({ home: join(home, 'folder'), env: {} })).rejects.toMatchObject({
      code: 'unreadable',
    });
  });

  it.skipIf(process.platform === 'win32')(
    'is reported if it is not a regular file, or is too large',
    async () => {
      execFileSync('mkfifo', [join(home, 'loci.yaml')]);
      await expect(loadConfig({ home, env: {} })).rejects.toMatchObject({
        code: 'invalid_config',
        message: `${join(home, 'loci.yaml')} is not a regular file`,
      });
      await rm(join(home, 'loci.yaml'));
      expect(await errorMessage('#'.repeat(1_000_001))).toBe('loci.yaml is larger than 1 MB');
      expect((await load(`search:\n  limit: 20\n${'#'.repeat(900_000)}`)).values.search.limit).toBe(20);
    },
  );
});

describe('any document and any environment', () => {
  const paths = [...CONFIG_KEYS.map(({ path }) => path), ...REPLACED_KEYS.map(({ key }) => key)];
  const names = ['__proto__', 'x', ...paths.flatMap((path) => path.split(/\.|\[\]\./))];
  const scalar = fc.oneof(
    fc.string(),
    fc.double(),
    fc.boolean(),
    fc.constantFrom(null, '5s', 'classic', 10, 0.5),
  );
  const { node } = fc.letrec<{ node: unknown }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      scalar,
      fc.array(tie('node'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...names), tie('node'), { maxKeys: 5 }),
    ),
  }));
  const document = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom(...'a:-[]{}&*!|>\'"%#?, \n\t') }),
    node.map((value) => stringify(value)),
  );
  const env = fc.dictionary(
    fc.constantFrom(
      'LOCI_VAULTS',
      'LOCI_SEARCH_LIMIT',
      'LOCI_STORE_PATH',
      'LOCI_SEARCH_BESIDE',
      'LOCI_SEARCH_STAGES_DATES',
      'LOCI_X',
    ),
    fc.string(),
  );

  it('loads, or throws invalid_config', () => {
    fc.assert(
      fc.property(document, env, (text, variables) => {
        try {
          const config = resolveConfig(parseConfig(text, 'loci.yaml'), '/home/loci', variables);
          expect(config.values.search.limit).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toBeInstanceOf(LociError);
          expect(error).toMatchObject({ code: 'invalid_config' });
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('expandHome', () => {
  it('replaces only a leading ~', () => {
    expect(expandHome('~')).toBe(homedir());
    expect(expandHome('~/a')).toBe(join(homedir(), 'a'));
    expect(expandHome('~other/a')).toBe('~other/a');
    expect(expandHome('/a/~')).toBe('/a/~');
  });
});
