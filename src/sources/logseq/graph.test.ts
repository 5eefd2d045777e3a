import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderForEach } from '../../../test/contract/engines.ts';
import { parseEdn } from './edn.ts';
import { readLogseqSettings, settingsIn } from './graph.ts';

describe('parseEdn', () => {
  it('reads maps, lists, texts and keywords, without comments and what is discarded', () => {
    const edn = `;; a comment with "
      {:a/b "x \\"y\\" \\n z", :list [1 "two" :three (4)] #_ :left #_{:out 1}
       :set #{:a} :fn (fn [r] [:pre "a;b"]) :when #inst "2024-01-01" :nested {:c nil}}`;
    expect(parseEdn(edn)).toEqual(
      new Map<string, unknown>([
        [':a/b', 'x "y" \n z'],
        [':list', ['1', 'two', ':three', ['4']]],
        [':set', [':a']],
        [':fn', ['fn', ['r'], [':pre', 'a;b']]],
        [':when', '2024-01-01'],
        [':nested', new Map([[':c', 'nil']])],
      ]),
    );
    expect(parseEdn(' ; nothing\n')).toBeNull();
    expect(parseEdn(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)).not.toBeNull();
  });

  it.each([
    ['{:a [1}', /\} closes nothing/],
    ['{:a\n "b', /a text is not closed/],
    ['{:a 1', /\{ is not closed/],
    ['}', /closes nothing/],
    ['{:a 1 :b}', /a key of a map has no value/],
    ['{:a {:b 1 :c 2 :b 3}}', /:b is given twice/],
  ])('names what is wrong in %s', (edn, message) => {
    expect(() => parseEdn(edn)).toThrow(message);
  });
});

describe('the settings of a graph', () => {
  const folder = folderForEach();

  it('have the defaults of Logseq', () => {
    const { graph, hidden } = settingsIn('{:meta/version 1}', 'c');
    const formats = { journals: 'journals', titleFormat: 'MMM do, yyyy', fileFormat: 'yyyy_MM_dd' };
    expect(graph).toEqual({ ...formats, hasDottedNames: true });
    expect(hidden.map(({ rule }) => rule)).toEqual(['logseq/bak/', 'logseq/version-files/']);
  });

  it('hide paths below the root, and globs', () => {
    const { hidden } = settingsIn('{:hidden ["/archived" "test.md" "../assets" "a/*.md"]}', 'c');
    expect(hidden.slice(0, 3).map(({ rule, kind }) => `${kind} ${rule}`)).toEqual([
      'prefix archived',
      'prefix test.md',
      'glob /a/*.md',
    ]);
    expect(hidden).toHaveLength(5);
  });

  it('hide a path that stands alone, and nothing for nil', () => {
    expect(settingsIn('{:hidden "private"}', 'c').hidden[0]?.rule).toBe('private');
    expect(settingsIn('{:hidden nil}', 'c').hidden).toHaveLength(2);
  });

  it.each([
    ['', /it is empty/],
    [';; {:hidden ["private"]}\n', /it is empty/],
    ['[:hidden ["private"]]', /it is not a map/],
    ['{:hidden ["private"] :hidden []}', /:hidden is given twice/],
    ['{:meta/version :hidden ["private"]}', /a key of a map has no value/],
    ['{:hidden {:paths ["private"]}}', /:hidden is not a list of paths/],
    ['{:hidden :private}', /:hidden is not a list of paths/],
    ['{:hidden true}', /:hidden is not a list of paths/],
    ['{:hidden [["private"]]}', /:hidden is not a list of paths/],
  ])('are an error where %j leaves open what is hidden', (edn, message) => {
    expect(() => settingsIn(edn, 'c')).toThrow(message);
  });

  it.each([
    '.config.edn.icloud',
    'config.edn.nextcloud',
    'pages-metadata.edn',
    'custom.css',
    'bak/a.md',
    'version-files/a.md',
    'config.edn/a.md',
  ])('are an error if they are missing from the graph that logseq/%s shows', async (name) => {
    const file = path.join(folder.path, 'logseq', name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, '');
    await expect(readLogseqSettings('notes', folder.path)).rejects.toMatchObject({ code: 'unreadable' });
  });

  it('are those of no folder that only has the name', async () => {
    await mkdir(path.join(folder.path, 'logseq'));
    await writeFile(path.join(folder.path, 'logseq/How to use it.md'), 'Press the button.');
    expect(await readLogseqSettings('notes', folder.path)).toBeNull();
  });

  it('are those of no other folder, and an error if they cannot be read', async () => {
    expect(await readLogseqSettings('notes', folder.path)).toBeNull();
    await mkdir(path.join(folder.path, 'logseq'));
    expect(await readLogseqSettings('notes', folder.path)).toBeNull();
    await writeFile(path.join(folder.path, 'logseq/config.edn'), '{:hidden ["private"');
    await expect(readLogseqSettings('notes', folder.path)).rejects.toMatchObject({
      code: 'unreadable',
      message: expect.stringMatching(
        /notes is not read, .*config\.edn cannot be read: \[ is not closed/,
      ) as string,
    });
  });
});
