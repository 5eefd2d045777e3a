import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Json } from '../core/types.ts';
import { configAppend, configSet, configUpdate } from './edit.ts';
import { effectiveSetting, effectiveSettings, loadConfig } from './load.ts';
import { sourceNameKey } from './sources-schema.ts';

let home: string;
let file: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'loci-config-'));
  file = join(home, 'loci.yaml');
});
afterEach(() => rm(home, { recursive: true }));

const set = (path: string, value: Json) => configSet(path, value, { home, env: {} });
const get = async (path: string) => effectiveSetting(await loadConfig({ home, env: {} }), path);

describe('configUpdate', () => {
  it('sets keys of the matching entries, and leaves the rest as it is', async () => {
    const text = '# mine\nvaults:\n  - path: /a # first\n    weight: 0.9\n  - { name: b, path: /b }\n';
    await writeFile(file, text);
    const update = (path: string, to: string) =>
      configUpdate(
        'vaults',
        (entry) => (entry as { path: Json }).path === path,
        { name: 'n', path: to },
        { home, env: {} },
      );
    await update('/a', '/c');
    await configUpdate(
      'vaults',
      (entry) => (entry as { name: Json }).name === 'b',
      { path: '/d' },
      { home, env: {} },
    );
    await update('/nowhere', '/e');
    expect(await readFile(file, 'utf8')).toBe(
      '# mine\nvaults:\n  - path: /c # first\n    weight: 0.9\n    name: n\n  - { name: b, path: /d }\n',
    );
  });
});

describe('configSet', () => {
  it('creates a missing file that only its owner can read', async () => {
    home = join(home, 'new/folder');
    file = join(home, 'loci.yaml');
    expect(await set('search.limit', '20')).toMatchObject({
      value: 20,
      origin: 'loci.yaml:2',
      overriddenBy: undefined,
    });
    expect(await readFile(file, 'utf8')).toBe('search:\n  limit: 20\n');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(home)).mode & 0o777).toBe(0o700);
    expect(await readdir(home)).toEqual(['loci.yaml']);
  });

  it.each([
    ['links_to', "'[links_to]'"],
    ['links_to, embeds', "'[links_to, embeds]'"],
    ['{[', "'[first, second]'"],
  ])('says how to write a list in place of %s, and which choices there are', async (value, list) => {
    await expect(set('graph.crossProjectTypes', value)).rejects.toMatchObject({
      message: expect.stringContaining('expected a list, each one of links_to, embeds, ') as string,
      hint: `Write a list in brackets: \`loci config set graph.crossProjectTypes ${list}\`.`,
    });
    await set('graph.crossProjectTypes', '[links_to]');
    expect(await get('graph.crossProjectTypes')).toMatchObject({ value: ['links_to'] });
    await expect(set('vaults', 'notes')).rejects.not.toMatchObject({
      hint: expect.stringContaining('[notes]') as string,
    });
  });

  it('keeps comments, order and everything else', async () => {
    await writeFile(
      file,
      '# head\nsearch:\n  # how many\n  limit: 5 # few\n  preset: classic\n\n# tail\nnamespace: me\n',
    );
    await set('search.limit', 7);
    await set('search.weights.text', '0.5');
    expect(await readFile(file, 'utf8')).toBe(
      '# head\nsearch:\n  # how many\n  limit: 7 # few\n  preset: classic\n  weights:\n    text: 0.5\n\n# tail\nnamespace: me\n',
    );
  });

  it('writes into a section whose keys are all commented out, and into a file with only comments', async () => {
    await writeFile(file, '# only words\nsearch:\n  # limit: 5\n');
    await set('search.limit', 6);
    const text = await readFile(file, 'utf8');
    expect(text).toContain('# only words');
    expect(text).toContain('# limit: 5');
    expect((await get('search.limit')).value).toBe(6);
    await writeFile(file, '# nothing yet\n');
    await set('namespace', '2024');
    expect(await readFile(file, 'utf8')).toBe('# nothing yet\n\nnamespace: "2024"\n');
  });

  it('refuses an unknown key and a wrong value, and leaves the file unchanged', async () => {
    await writeFile(file, 'namespace: me\n');
    await expect(set('search.limt', 3)).rejects.toMatchObject({
      code: 'invalid_input',
      message: 'unknown key search.limt; did you mean search.limit?',
    });
    await expect(set('search.weights', {})).rejects.toThrow(
      'search.weights is a section: search.weights.vector, ',
    );
    await expect(set('search.limit', 'ten')).rejects.toMatchObject({
      code: 'invalid_input',
      message: 'search.limit: expected a whole number from 1 to 1000, got "ten"',
    });
    expect(await readFile(file, 'utf8')).toBe('namespace: me\n');
  });

  it('refuses to write into an invalid file', async () => {
    for (const invalid of ['namespace: [\n', 'nope: 1\n']) {
      await writeFile(file, invalid);
      await expect(set('search.limit', 3)).rejects.toMatchObject({ code: 'invalid_config' });
      expect(await readFile(file, 'utf8')).toBe(invalid);
    }
  });

  it('refuses a change of a value that a YAML alias shares with another key', async () => {
    const shared = 'search: { limit: &n 5, related: *n }\n';
    await writeFile(file, shared);
    await expect(set('search.limit', 3)).rejects.toThrow('search.related would change');
    expect(await readFile(file, 'utf8')).toBe(shared);
  });

  it('names the variable that overrides the new value', async () => {
    const env = { LOCI_SEARCH_LIMIT: '3' };
    expect((await configSet('search.limit', 4, { home, env })).overriddenBy).toBe('LOCI_SEARCH_LIMIT');
  });

  it('throws unreadable if the file cannot be written', async () => {
    await writeFile(join(home, 'plain'), '');
    await expect(
      configSet('search.limit', 4, { home: join(home, 'plain/x'), env: {} }),
    ).rejects.toMatchObject({
      code: 'unreadable',
    });
  });

  it('writes a value that reads back the same, into any valid file', async () => {
    const name = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 20 })
      .filter((text) => text.trim() === text);
    const change = fc.oneof(
      fc.tuple(fc.constant('namespace'), name),
      fc.tuple(fc.constant('search.limit'), fc.integer({ min: 1, max: 1000 })),
      fc.tuple(fc.constant('search.minScore'), fc.double({ min: 0, max: 1, noNaN: true })),
      fc.tuple(fc.constant('startup.enabled'), fc.boolean()),
      fc.tuple(
        fc.constant('vaults'),
        fc
          .uniqueArray(name, { selector: sourceNameKey, maxLength: 10 })
          .map((names) => names.map((text) => ({ path: `/v/${encodeURIComponent(text)}`, name: text }))),
      ),
    );
    const start = fc.constantFrom(
      '',
      '# note\n',
      '---\nsearch: {limit: 3, minScore: 1e-1}\n...\n',
      'namespace: >-\n  folded\n  text\nsearch:\n',
      '"namespace": \'quoted\'\nvaults: [{path: /a}]\nsearch: # of\n  limit: 0x1F\n',
    );
    await fc.assert(
      fc.asyncProperty(start, fc.array(change, { minLength: 1, maxLength: 4 }), async (text, changes) => {
        await writeFile(file, text);
        const expected = new Map<string, Json>();
        for (const [path, value] of changes) {
          await set(path, value);
          expected.set(path, value);
        }
        for (const [path, value] of expected) expect((await get(path)).value).toEqual(value);
      }),
      { numRuns: 60 },
    );
  });
});

describe('shownConfig', () => {
  it('lists every setting with its origin', async () => {
    await writeFile(file, 'search:\n  related: 2\n');
    const shown = effectiveSettings(await loadConfig({ home, env: { LOCI_LOG_LEVEL: 'debug' } }));
    expect(shown).toContainEqual({ path: 'search.related', value: 2, origin: 'loci.yaml:2' });
    expect(shown).toContainEqual({ path: 'log.level', value: 'debug', origin: 'env LOCI_LOG_LEVEL' });
    expect(shown).toContainEqual({ path: 'store.path', value: join(home, 'loci.db'), origin: 'default' });
  });
});

describe('configAppend', () => {
  const append = (entry: Json) => configAppend('vaults', entry, { home, env: {} });

  it('keeps the other entries and their comments, and adds no entry twice', async () => {
    const text =
      '# head\nvaults:\n  # mine\n  - path: ~/notes # daily\n    project: home\n\n# tail\n#search:\n';
    await writeFile(file, text);
    await append({ name: 'work', path: '/srv/work' });
    const added = text.replace('home\n', 'home\n  - name: work\n    path: /srv/work\n');
    expect(await readFile(file, 'utf8')).toBe(added);
    await append({ name: 'work', path: '/srv/work' });
    expect(await readFile(file, 'utf8')).toBe(added);
  });

  it.each(['', '# a comment alone\n', 'vaults:\n', 'vaults: []\n'])(
    'creates the list in %j',
    async (text) => {
      await writeFile(file, text);
      await append({ path: '/srv/work' });
      expect((await loadConfig({ home, env: {} })).values.vaults).toMatchObject([{ path: '/srv/work' }]);
    },
  );

  it('refuses an invalid entry, and a setting that is not a list', async () => {
    await expect(append({ paht: '/srv/work' })).rejects.toThrow('did you mean vaults[0].path?');
    await expect(configAppend('search.limit', 3, { home, env: {} })).rejects.toThrow('search.limit');
    expect(await readdir(home)).toEqual([]);
  });
});
