import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, stat, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSource } from '../registry.ts';
import { openVault } from './vault.ts';
import type { Source, SourceDocument, SourceItem, SourceProblem } from '../source.ts';

let base: string;
let root: string;
let vault: Source;
let problems: SourceProblem[];

const report = (problem: SourceProblem): number => problems.push(problem);

async function writeVaultFile(key: string, content: string | Uint8Array = key): Promise<void> {
  const file = path.join(root, key);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, content);
}

async function list(source = vault): Promise<SourceItem[]> {
  const items: SourceItem[] = [];
  for await (const item of source.list(report)) items.push(item);
  return items;
}

async function keys(): Promise<string[]> {
  return (await list()).map(({ key }) => key);
}

async function read(key: string): Promise<SourceDocument | null> {
  return vault.read({ key, revision: '', bytes: 0 }, report);
}

function reportedProblems(): string[] {
  return problems.map(({ key, reason, skipped }) => `${key} ${reason}${skipped ? ' skipped' : ''}`);
}

beforeEach(async () => {
  base = await mkdtemp(path.join(tmpdir(), 'loci-vault-'));
  root = path.join(base, 'vault');
  await mkdir(root);
  vault = await openSource('vault', { name: 'notes', root });
  problems = [];
});

afterEach(() => rm(base, { recursive: true }));

it('a vault with other folders does not read through a link that has replaced a folder', async () => {
  await writeVaultFile('notes/a.md');
  await writeVaultFile('other/a.md', 'secret');
  vault = openVault({ name: 'notes', root, otherFolders: [path.join(root, 'other')] });
  expect(await keys()).toEqual(['notes/a.md']);
  expect((await read('notes/a.md'))?.content).toBe('notes/a.md');
  await rm(path.join(root, 'notes'), { recursive: true });
  await symlink('other', path.join(root, 'notes'));
  expect(await read('notes/a.md')).toBeNull();
  expect(reportedProblems()).toEqual(['notes/a.md outside_root skipped']);
});

describe('listing a vault', () => {
  it('returns Markdown, plain text and canvases in a stable order and skips other files', async () => {
    const notes = ['B.md', 'a.md', 'a/b.markdown', 'a/c/d.MD', 'x.txt', 'y.canvas', 'z.md'];
    const others = [
      'x.pdf',
      'x.base',
      'x.txt.gz',
      'x.md.bak',
      'md',
      '.obsidian/app.md',
      '.trash/old.md',
      '.git/x.md',
      'node_modules/p/README.md',
      '.hidden.md',
    ];
    for (const key of [...notes, ...others]) await writeVaultFile(key);
    expect(await keys()).toEqual(['B.md', 'a/b.markdown', 'a/c/d.MD', 'a.md', 'x.txt', 'y.canvas', 'z.md']);
    expect(problems).toEqual([]);
  });

  it('returns a revision that changes with the file, even if its times are reset', async () => {
    await writeVaultFile('a.md', 'one');
    const [before] = await list();
    expect(await list()).toEqual([before]);
    const { atime, mtime } = await stat(path.join(root, 'a.md'));
    await writeVaultFile('a.md', 'two');
    await utimes(path.join(root, 'a.md'), atime, mtime);
    const [after] = await list();
    expect(after!.revision).not.toBe(before!.revision);
    expect((await read('a.md'))!.revision).toBe(after!.revision);
  });

  it('returns keys in NFC, which can be read', async () => {
    await writeVaultFile('Cafe\u0301/The\u0301.md', 'tea');
    expect(await keys()).toEqual(['Caf\u00E9/Th\u00E9.md']);
    expect((await read('Caf\u00E9/Th\u00E9.md'))!.title).toBe('Th\u00E9');
  });

  it('returns one of two names that differ only in their Unicode form, and reports the other', async () => {
    await writeVaultFile('e\u0301.md');
    await writeVaultFile('\u00E9.md');
    expect(await keys()).toEqual(['\u00E9.md']);
    expect(reportedProblems()).toEqual(['\u00E9.md unreadable skipped']);
  });

  it('skips and reports files of more than 5 MB', async () => {
    for (const key of ['limit.md', 'large.md', 'huge.md']) await writeVaultFile(key);
    await truncate(path.join(root, 'limit.md'), 5_000_000);
    await truncate(path.join(root, 'large.md'), 5_000_001);
    await truncate(path.join(root, 'huge.md'), 100_000_000);
    expect(await keys()).toEqual(['limit.md']);
    expect(reportedProblems()).toEqual(['huge.md too_large skipped', 'large.md too_large skipped']);
    expect(problems[0]!.detail).toBe('it is 100.0 MB; the limit is 5.0 MB');
    expect(await read('huge.md')).toBeNull();
  });

  it('throws unreadable if the root cannot be read', async () => {
    await rm(root, { recursive: true });
    await expect(list()).rejects.toMatchObject({
      code: 'unreadable',
      message: `the vault ${root} cannot be read: it does not exist`,
    });
    await writeFile(root, 'a file');
    await expect(list()).rejects.toMatchObject({
      code: 'unreadable',
      message: `the vault ${root} cannot be read: it is not a folder`,
    });
    await expect(read('a.md')).rejects.toMatchObject({ code: 'unreadable' });
  });

  it('stops when the signal is aborted', async () => {
    for (const key of ['a.md', 'b.md', 'c.md']) await writeVaultFile(key);
    const stop = new AbortController();
    const listedKeys: string[] = [];
    const listing = (async () => {
      for await (const { key } of vault.list(report, stop.signal)) {
        listedKeys.push(key);
        stop.abort();
      }
    })();
    await expect(listing).rejects.toMatchObject({ code: 'aborted' });
    expect(listedKeys).toEqual(['a.md']);
  });

  it('accepts a symlink as root', async () => {
    await writeVaultFile('a.md');
    await symlink(root, path.join(base, 'link'));
    const linked = await openSource('vault', { name: 'linked', root: path.join(base, 'link') });
    expect((await list(linked)).map(({ key }) => key)).toEqual(['a.md']);
  });
});

describe('symlinks in a vault', () => {
  it('are followed within the vault, and reported if they lead out of it', async () => {
    await writeVaultFile('notes/a.md', 'inside');
    await writeVaultFile('.hidden/b.md', 'hidden');
    await writeFile(path.join(base, 'secret.md'), 'secret');
    await mkdir(path.join(base, 'vault2'));
    await symlink('notes/a.md', path.join(root, 'link.md'));
    await symlink('.hidden', path.join(root, 'shown'));
    await symlink('../secret.md', path.join(root, 'secret.md'));
    await symlink(path.join(base, 'vault2'), path.join(root, 'out'));
    await symlink('secret.md', path.join(root, 'chain.md'));
    await symlink('nowhere.md', path.join(root, 'broken.md'));
    expect(await keys()).toEqual(['link.md', 'notes/a.md', 'shown/b.md']);
    expect(reportedProblems()).toEqual([
      'broken.md unreadable skipped',
      'chain.md outside_root skipped',
      'out outside_root skipped',
      'secret.md outside_root skipped',
    ]);
    expect((await read('link.md'))!.content).toBe('inside');
    expect((await read('shown/b.md'))!.content).toBe('hidden');
    expect(await read('secret.md')).toBeNull();
    expect(await read('chain.md')).toBeNull();
  });

  it('are followed once if they form a cycle', async () => {
    for (const name of ['a', 'b', 'c', 'd']) {
      await writeVaultFile(`${name}/note.md`);
      for (const other of ['a', 'b', 'c', 'd', '.'])
        await symlink(`../${other}`, path.join(root, name, `to-${other}`));
    }
    await symlink('loop', path.join(root, 'loop'));
    const found = await keys();
    expect(found).toEqual(expect.arrayContaining(['a/note.md', 'b/note.md', 'c/note.md', 'd/note.md']));
    expect(found.length).toBeLessThanOrEqual(8);
    expect(new Set(found).size).toBe(found.length);
    expect(reportedProblems()).toEqual(['loop unreadable skipped']);
  });

  it('that replace a file or folder after the listing are not followed out of the vault', async () => {
    await writeVaultFile('notes/a.md');
    await writeVaultFile('b.md');
    await mkdir(path.join(base, 'outside'));
    await writeFile(path.join(base, 'outside/a.md'), 'secret');
    expect(await keys()).toEqual(['b.md', 'notes/a.md']);
    await rm(path.join(root, 'b.md'));
    await symlink('../outside/a.md', path.join(root, 'b.md'));
    await rename(path.join(root, 'notes'), path.join(base, 'moved'));
    await symlink('../outside', path.join(root, 'notes'));
    expect(await read('b.md')).toBeNull();
    expect(await read('notes/a.md')).toBeNull();
    expect(reportedProblems()).toEqual(['b.md outside_root skipped', 'notes/a.md outside_root skipped']);
  });

  it('that replace the root after the listing are not followed', async () => {
    await writeVaultFile('a.md');
    await keys();
    await rename(root, path.join(base, 'moved'));
    await mkdir(path.join(base, 'elsewhere'));
    await writeFile(path.join(base, 'elsewhere/a.md'), 'secret');
    await symlink('elsewhere', root);
    expect(await read('a.md')).toBeNull();
    expect(reportedProblems()).toEqual(['a.md outside_root skipped']);
  });
});

it('a key that leads out of the vault is not read, and is reported', async () => {
  await writeFile(path.join(base, 'secret.md'), 'secret');
  const hostile = ['../secret.md', path.join(base, 'secret.md'), 'x/../../secret.md', 'secret.md\0', '', '.'];
  for (const key of hostile) expect(await read(key), key).toBeNull();
  expect(problems.map(({ reason }) => reason)).toEqual(hostile.map(() => 'outside_root'));
});

describe('files that are not notes', () => {
  it('are never opened if they are FIFOs', async () => {
    await writeVaultFile('a.md');
    execFileSync('mkfifo', [path.join(root, 'pipe.md')]);
    await symlink('pipe.md', path.join(root, 'to-pipe.md'));
    expect(await keys()).toEqual(['a.md']);
    expect(await read('pipe.md')).toBeNull();
    expect(await read('to-pipe.md')).toBeNull();
    await mkdir(path.join(root, 'folder.md'));
    expect(await read('folder.md')).toBeNull();
    expect(reportedProblems()).toEqual(
      ['pipe.md', 'to-pipe.md', 'folder.md'].map((key) => `${key} unreadable skipped`),
    );
  });

  it('are skipped and reported if they are binary or do not exist', async () => {
    await writeVaultFile('image.md', Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 1));
    expect(await read('image.md')).toBeNull();
    expect(await read('gone.md')).toBeNull();
    expect(reportedProblems()).toEqual(['image.md binary skipped', 'gone.md unreadable skipped']);
    expect(problems[1]!.detail).toBe('it does not exist');
  });
});

describe('reading a note', () => {
  it('returns text, title, tags, links and metadata', async () => {
    const content =
      '---\naliases: [Stove]\ntags: [kitchen]\nid: oven-1\nproject: house\ncategory: rooms\ntype: device\ncreated: 2026-05-01 09:30\nrating: 5\n---\n# Oven\n\nSee [[Plan#Costs|plan]] ![[p.png]] #home ^why\n';
    await writeVaultFile('House/Oven.md', content.replaceAll('\n', '\r\n'));
    const [item] = await list();
    expect(await vault.read(item!, report)).toEqual({
      key: 'House/Oven.md',
      revision: item!.revision,
      identity: 'oven-1',
      project: 'house',
      category: 'rooms',
      recordType: 'device',
      title: 'Oven',
      tags: ['kitchen', 'home'],
      content,
      metadata: {
        aliases: ['Stove'],
        links: [
          { target: 'Plan', heading: 'Costs', alias: 'plan' },
          { target: 'p.png', embed: true },
        ],
        blockIds: ['why'],
        created: '2026-05-01',
        frontMatter: { category: 'rooms', type: 'device', created: '2026-05-01 09:30', rating: 5 },
        date: '2026-05-01',
      },
      createdAt: Date.parse('2026-05-01T09:30'),
      updatedAt: Math.floor((await stat(path.join(root, 'House/Oven.md'))).mtimeMs),
    } satisfies SourceDocument);
    expect(problems).toEqual([]);
  });

  it('uses the name and times of the file and the project of the vault as defaults', async () => {
    vault = await openSource('vault', { name: 'notes', root, project: 'home' });
    await writeVaultFile('Plain.note.md', 'text');
    await writeVaultFile('Journal/2026-05-01.md', 'text');
    const old = new Date('2020-01-01');
    await utimes(path.join(root, 'Plain.note.md'), old, old);
    const plain = (await read('Plain.note.md'))!;
    expect([plain.title, plain.project, plain.identity]).toEqual(['Plain.note', 'home', null]);
    expect([plain.createdAt, plain.updatedAt]).toEqual([old.getTime(), old.getTime()]);
    expect(plain.metadata).not.toHaveProperty('date');
    const daily = (await read('Journal/2026-05-01.md'))!;
    expect([daily.metadata['date'], daily.createdAt]).toEqual(['2026-05-01', Date.parse('2026-05-01T00:00')]);
  });

  it.each([
    ['2024/05/03.md', '2024-05-03'],
    ['Journal/2024/05/03.md', '2024-05-03'],
    ['2024/13/03.md', undefined],
    ['12024/05/03.md', undefined],
    ['05/03.md', undefined],
  ])('uses folders of a year and a month as the day: %s', async (key, day) => {
    await writeVaultFile(key, 'daily');
    expect((await read(key))!.metadata['date']).toBe(day);
  });

  it('reads dates whose order is not clear as other dates of the vault are written, or as the setting says', async () => {
    await writeVaultFile('a.md', '---\ncreated: 03-05-2024\nupdated: 04/05/2024\n---\n');
    await writeVaultFile('06.07.2024.md', 'daily');
    await writeVaultFile('b.md', '---\ndue: 25.12.2024\n---\ndate:: 12/31/2024');
    await writeVaultFile('31-12-2024.md', 'daily');
    await list();
    expect((await read('a.md'))!.metadata).toMatchObject({
      date: '2024-05-03',
      modified: '2024-04-05T00:00:00',
    });
    expect((await read('06.07.2024.md'))!.metadata).toMatchObject({ date: '2024-07-06' });
    const options = { name: 'notes', root, dateOrder: 'month-first' } as const;
    const [before] = await list();
    vault = await openSource('vault', options);
    expect((await list())[0]!.revision).not.toBe(before!.revision);
    expect((await read('a.md'))!.metadata).toMatchObject({
      date: '2024-03-05',
      modified: '2024-04-05T00:00:00',
    });
    expect(problems).toEqual([]);
  });

  it('reports dates that it does not read', async () => {
    await writeVaultFile('a.md', '---\ncreated: 03-05-2024\ndate: soon\n---\n');
    await writeVaultFile('b.md', '---\ndue: 25.12.2024\nreview: 12/31/2024\n---\n');
    await list();
    expect(await read('a.md')).toMatchObject({ unsettled: true });
    expect(reportedProblems()).toEqual(['a.md ambiguous_date', 'a.md unreadable_date']);
    expect(problems[0]!.detail).toMatch(/: created: 03-05-2024; set `dateOrder` of the vault/);
  });

  it('returns notes that are empty, or have invalid front matter, nodes or bytes, and reports these', async () => {
    await writeVaultFile('Empty.md', '');
    expect((await read('Empty.md'))!.content).toBe('');
    await writeVaultFile('yaml.md', '---\ntitle: Oven\ntags: [a\n---\nkept');
    await writeVaultFile('bytes.md', Uint8Array.of(0x6f, 0x76, 0xe9, 0x6e));
    await writeVaultFile('Board.canvas', '{"nodes":[null,{"text":"card"}]}');
    expect((await read('Board.canvas'))!.content).toBe('card');
    expect((await read('yaml.md'))!.content).toContain('kept');
    expect((await read('bytes.md'))!.content).toBe('ovén');
    expect(reportedProblems()).toEqual([
      'Board.canvas invalid_canvas',
      'yaml.md invalid_front_matter',
      'bytes.md invalid_encoding',
    ]);
  });
});
