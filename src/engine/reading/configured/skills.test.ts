import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { approveSource, TasksSource } from '../../../../test/contract/tasks-source.ts';
import { refreshSources } from '../sources.ts';
import { sourceReports } from '../reports.ts';
import { search } from '../../records/search.ts';
import { dropCaches } from './configured-sources.ts';

let tasks: TasksSource;

beforeEach(async () => {
  tasks = await TasksSource.open();
});

afterEach(() => tasks[Symbol.asyncDispose]());

it.each([
  ['the folder beside the skills that has it', 'beside', false],
  ['the Loci home if it has it too', 'home', false],
  ['the Loci home if commands run without approval', 'home', true],
])('a command that names a file by a relative path runs in %s', async (_, expected, trustsSettings) => {
  const folders = { beside: join(tasks.folder, 'workspace'), home: join(tasks.folder, 'home') };
  const file = 'skills/tasks/list.mjs';
  await tasks.write(join('workspace', file));
  if (expected === 'home' && !trustsSettings) await tasks.write(join('home', file));
  await tasks.reopenWith(
    {
      skills: [{ path: join(folders.beside, 'skills') }],
      sources: [{ id: 'tasks', command: `node ${file} --json` }],
    },
    { trustsSettings, home: folders.home },
  );
  expect((await tasks.report())?.command?.cwd).toBe(folders[expected as keyof typeof folders]);
});

describe('a skill', () => {
  let skill: string;

  beforeEach(async () => {
    skill = join(tasks.folder, 'skills', 'mail');
    await mkdir(join(skill, 'lib'), { recursive: true });
    await writeFile(
      join(skill, 'SKILL.md'),
      '---\nname: mail\nmemorySource:\n  command: cat mail.json\n  name: Inbox\n---\n',
    );
    await writeFile(join(skill, 'mail.json'), '[{"id":"1","text":"The plumber comes on Tuesday"}]');
    await writeFile(join(skill, 'lib', 'read.mjs'), '');
    await tasks.reopenWith({ skills: [{ path: join(tasks.folder, 'skills') }] });
  });

  const mail = async () => (await sourceReports(tasks.loci)).find(({ id }) => id === 'mail');

  it('has a source that waits for approval, with the exact command', async () => {
    expect(await mail()).toMatchObject({
      name: 'Inbox',
      kind: 'skill',
      condition: 'waiting for approval',
      command: { argv: ['cat', 'mail.json'] },
    });
    await approveSource(tasks.loci, 'mail');
    expect((await refreshSources(tasks.loci)).sources).toMatchObject([{ id: 'mail', added: 1 }]);
  });

  it('takes effect at once when it is changed, if caches are dropped', async () => {
    const { loci } = tasks;
    await approveSource(loci, 'mail');
    await refreshSources(loci);
    expect((await search(loci, { query: 'plumber' })).results).toHaveLength(1);
    await writeFile(
      join(skill, 'SKILL.md'),
      '---\nname: mail\nmemorySource:\n  command: cat mail.json\n  name: Inbox\n  enabled: false\n---\n',
    );
    dropCaches(loci);
    expect((await search(loci, { query: 'plumber' })).results).toEqual([]);
  });

  it('needs a new approval when any of its files changes', async () => {
    await approveSource(tasks.loci, 'mail');
    expect((await mail())?.condition).toBe('new');
    await writeFile(join(skill, 'lib', 'read.mjs'), 'steal()');
    expect((await mail())?.condition).toBe('changed, waiting for approval');
  });

  it.each(['.hidden.js', 'node_modules/mail/index.js', '.config/rc.js'])(
    'needs a new approval when %s changes',
    async (file) => {
      await mkdir(join(skill, file, '..'), { recursive: true });
      await writeFile(join(skill, file), '');
      await writeFile(join(skill, 'index.js'), `require('./${file}')`);
      await approveSource(tasks.loci, 'mail');
      expect((await mail())?.condition).toBe('new');
      await writeFile(join(skill, file), 'steal()');
      expect((await mail())?.condition).toBe('changed, waiting for approval');
    },
  );

  it('needs no new approval when Git or a file manager writes to its folder', async () => {
    await mkdir(join(skill, '.git'));
    await approveSource(tasks.loci, 'mail');
    for (const file of ['.git/index', '.DS_Store']) await writeFile(join(skill, file), 'x');
    expect((await mail())?.condition).toBe('new');
  });

  it('may have links within its folder, but not to other folders', async () => {
    const packages = join(skill, 'node_modules', '.store', 'mail');
    await mkdir(packages, { recursive: true });
    await writeFile(join(packages, 'index.js'), '');
    await symlink('.store/mail', join(skill, 'node_modules', 'mail'));
    await approveSource(tasks.loci, 'mail');
    await writeFile(join(packages, 'index.js'), 'steal()');
    expect((await mail())?.condition).toBe('changed, waiting for approval');
    for (const [name, to] of [
      ['out', '..'],
      ['git', '.git'],
      ['self', '.'],
      ['none', 'nowhere'],
    ] as const) {
      await mkdir(join(skill, '.git'), { recursive: true });
      await symlink(to, join(skill, name));
      await expect(approveSource(tasks.loci, 'mail')).rejects.toMatchObject({
        code: 'not_approved',
        message: expect.stringContaining(`${name} is a link that leads neither to a file`) as string,
      });
      await rm(join(skill, name));
    }
  });

  it('cannot be approved with too many files, and the error says what to do', async () => {
    const many = join(skill, 'node_modules', 'many');
    await mkdir(many, { recursive: true });
    await Promise.all(Array.from({ length: 5001 }, (_, i) => writeFile(join(many, String(i)), '')));
    await expect(approveSource(tasks.loci, 'mail')).rejects.toMatchObject({
      code: 'not_approved',
      message: expect.stringContaining('more than 5000 files') as string,
      hint: expect.stringContaining('--omit=dev') as string,
    });
  });

  it('needs a new approval when the target of a link in it changes', async () => {
    const target = join(tasks.folder, 'shared.mjs');
    await writeFile(target, '');
    await symlink(target, join(skill, 'lib', 'shared.mjs'));
    await approveSource(tasks.loci, 'mail');
    expect((await mail())?.condition).toBe('new');
    await writeFile(target, 'steal()');
    expect((await mail())?.condition).toBe('changed, waiting for approval');
  });

  it('keeps its source when another skill of the same name is added', async () => {
    await approveSource(tasks.loci, 'mail');
    const duplicate = join(tasks.folder, 'skills', 'aa');
    await mkdir(duplicate);
    await writeFile(
      join(duplicate, 'SKILL.md'),
      '---\nname: mail\nmemorySource:\n  command: cat /etc/hostname\n---\n',
    );
    const sameName = (await sourceReports(tasks.loci)).filter(({ id }) => id === 'mail');
    expect(sameName.map(({ condition }) => condition)).toEqual(['broken', 'broken']);
    await rm(duplicate, { recursive: true });
    expect((await mail())?.condition).toBe('new');
  });

  it('is broken if a vault has its name, regardless of case', async () => {
    const vaults = [{ path: join(tasks.folder, 'Mail') }];
    await tasks.reopenWith({ vaults, skills: [{ path: join(tasks.folder, 'skills') }] });
    expect(await mail()).toMatchObject({
      condition: 'broken',
      error: expect.stringContaining('another source or vault') as string,
    });
  });

  it('keeps its documents when it is removed, and is reported as gone', async () => {
    await approveSource(tasks.loci, 'mail');
    await refreshSources(tasks.loci);
    await rm(skill, { recursive: true });
    expect(await mail()).toMatchObject({ condition: 'gone', documents: 1 });
  });

  it('is broken if its settings are invalid, with the reason', async () => {
    await writeFile(join(skill, 'SKILL.md'), '---\nmemorySource:\n  comand: cat mail.json\n---\n');
    const report = (await sourceReports(tasks.loci)).find(({ condition }) => condition === 'broken');
    expect(report?.error).toContain('memorySource.command');
  });
});
