import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Config, configSchema } from '../../src/config/schema.ts';
import { type SourceConfig, sourceSettings } from '../../src/config/sources-schema.ts';
import { EXAMPLES } from './run-program.ts';

const run = promisify(execFile);
const readme = readFileSync(`${EXAMPLES}README.md`, 'utf8');
const blocks = [...readme.matchAll(/^```yaml\n(.*?)^```$/gms)].map(
  ([, text = '']) => parse(text) as Record<string, unknown>,
);
const configs: readonly Config[] = blocks
  .filter((block) => 'sources' in block || 'skills' in block)
  .map((block) => configSchema.parse(block));
const sources: readonly SourceConfig[] = configs.flatMap((config) => config.sources);

function sourceOf(id: string): SourceConfig {
  const source = sources.find((each) => each.id === id);
  if (source === undefined) throw new Error(`README.md has no entry ${id}`);
  return source;
}

/** Runs the command of an entry and parses its output. The commands of the README need no shell and have no quotes. */
async function documentsOf(
  command: SourceConfig['command'] = '',
  cwd: string,
): Promise<Record<string, unknown>[]> {
  const [program = '', ...args] = Array.isArray(command) ? command : command.split(' ');
  const file = program === 'node' ? process.execPath : program;
  const { PATH, HOME } = process.env;
  const { stdout } = await run(file, args, { cwd, env: { PATH, HOME, TZ: 'America/New_York' } });
  const text = stdout.trim();
  if (text.startsWith('[')) return JSON.parse(text) as Record<string, unknown>[];
  // One object over several lines holds the list that `items` names.
  if (/^\{\s*\n/.test(text)) return [JSON.parse(text) as Record<string, unknown>];
  return text.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** The names in a template that no item has. */
function unknownNames(template: string, items: readonly Record<string, unknown>[]): string[] {
  const names = [...template.matchAll(/\{\{([^}]+)\}\}/g)].map(([, name = '']) => name.trim());
  return names.filter((name) => !items.some((item) => has(item, name.split('.'))));
}

function has(value: unknown, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return value !== undefined;
  if (Array.isArray(value)) return value.some((each) => has(each, [name, ...rest]));
  return typeof value === 'object' && value !== null && has((value as Record<string, unknown>)[name], rest);
}

describe('README.md', () => {
  it('has a valid entry for every example', () => {
    expect(sources.map(({ id }) => id)).toEqual([
      'calendar',
      'todo',
      'taskwarrior',
      'mail',
      'council',
      'tidewater-commits',
    ]);
    const ownFolders = configs
      .flatMap(({ skills }) => skills)
      .filter(({ path }) => path.startsWith('~/loci/'));
    expect(ownFolders).toEqual([{ path: '~/loci/examples/sources/skills' }]);
    for (const { id, cwd } of sources.filter((source) => source.id !== 'taskwarrior'))
      expect([id, cwd]).toEqual([id, '~/loci/examples/sources']);
  });

  it('has commands that print documents without changes', async () => {
    const sampled = ['calendar', 'todo', 'mail'].map(sourceOf);
    for (const { id, command } of sampled) {
      // A time within the dates of the sample data.
      const now = id === 'todo' ? '' : ' --now 2026-11-22T12:00:00Z';
      const documents = await documentsOf(`${String(command)}${now}`, EXAMPLES);
      expect(documents.length, id).toBeGreaterThan(0);
      expect(new Set(documents.map((document) => document['id'])).size, id).toBe(documents.length);
      for (const document of documents) expect(document, id).toMatchObject({ text: expect.any(String) });
    }
    // This folder may not be a repository, so the command is not run.
    expect(sourceOf('tidewater-commits').command).toBe('node git-log.mjs . --limit 100');
  });

  it('has templates for the export of Taskwarrior', async () => {
    const { map = {} } = sourceOf('taskwarrior');
    const tasks = await documentsOf('cat data/taskwarrior.json', EXAMPLES);
    expect(tasks.map((task) => task['status'])).toEqual(['pending', 'pending', 'waiting', 'completed']);
    for (const template of [...Object.values({ ...map, metadata: '' }), ...Object.values(map.metadata ?? {})])
      expect(unknownNames(template, tasks), template).toEqual([]);
    expect(unknownNames('{{uuid}} {{nothing}}', tasks)).toEqual(['nothing']);
  });

  it('has templates for a JSON Feed', async () => {
    const { map = {}, command } = sourceOf('council');
    const [feed] = await documentsOf(command, EXAMPLES);
    const items = feed?.[map.items ?? ''] as Record<string, unknown>[];
    expect(items).toHaveLength(2);
    for (const item of items)
      expect(Object.keys(item)).toEqual(expect.arrayContaining(['id', 'title', 'url', 'tags']));
    const { text = '', timestamp = '', metadata = {} } = map;
    expect(unknownNames(text, items)).toEqual([]);
    expect(unknownNames(timestamp + Object.values(metadata).join(''), items)).toEqual([]);
  });
});

describe('skills/reading-list', () => {
  const folder = join(EXAMPLES, 'skills/reading-list');
  const [, frontMatterText = ''] =
    /^---\n(.*?)^---$/ms.exec(readFileSync(join(folder, 'SKILL.md'), 'utf8')) ?? [];
  const frontMatter = parse(frontMatterText) as Record<string, unknown>;

  it('has the front matter that README.md shows', () => {
    const { description, ...rest } = frontMatter;
    expect(description).toEqual(expect.any(String));
    expect(blocks).toContainEqual(rest);
  });

  it('prints its books as documents', async () => {
    const { command } = sourceSettings.parse(frontMatter['memorySource']);
    const books = await documentsOf(command, folder);
    expect(books.map(({ title, timestamp, completed }) => [title, timestamp, completed])).toEqual([
      ['A Short History of Harbours', '2026-12-15', false],
      ['The Quiet Ledger', '2026-12-03', false],
      ['Forty Ways to Fold a Letter', undefined, true],
    ]);
    expect(books[1]).toEqual({
      id: '606f6d19a64bdbae065bfb3454c822e5',
      title: 'The Quiet Ledger',
      text:
        'The Quiet Ledger, lent by Mei Lin, to be back on 2026-12-03. ' +
        'For the book club on 3 December: two sisters and a bookkeeping fraud',
      tags: ['reading'],
      timestamp: '2026-12-03',
      metadata: { from: 'Mei Lin' },
      completed: false,
    });
  });

  it('prints its books as text, and a help text', async () => {
    const { stdout } = await run(process.execPath, ['list.mjs'], { cwd: folder });
    expect(stdout.split('\n')[0]).toBe('· A Short History of Harbours (Tove Aasen, back 2026-12-15)');
    await expect(run(process.execPath, ['list.mjs', '--yaml'], { cwd: folder })).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Usage: node list.mjs'),
    });
  });
});
