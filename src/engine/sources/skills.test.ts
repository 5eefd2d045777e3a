import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TasksSource } from '../../../test/contract/tasks-source.ts';

let tasks: TasksSource;

beforeEach(async () => {
  tasks = await TasksSource.make();
});

afterEach(() => tasks[Symbol.asyncDispose]());

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

  const mail = async () => (await tasks.loci.sources.list()).find(({ id }) => id === 'mail');

  it('brings a source that waits for its approval, with the exact command', async () => {
    expect(await mail()).toMatchObject({
      name: 'Inbox',
      kind: 'skill',
      condition: 'waiting for approval',
      approvable: { argv: ['cat', 'mail.json'] },
    });
    await tasks.loci.sources.approve('mail');
    expect(await tasks.loci.sources.refresh()).toMatchObject([{ id: 'mail', added: 1 }]);
  });

  it('is asked for again when any of its files change', async () => {
    await tasks.loci.sources.approve('mail');
    expect((await mail())?.condition).toBe('new');
    await writeFile(join(skill, 'lib', 'read.mjs'), 'steal()');
    expect((await mail())?.condition).toBe('changed, waiting for approval');
  });

  it('is asked for again when what a link in it leads to changes', async () => {
    const target = join(tasks.folder, 'shared.mjs');
    await writeFile(target, '');
    await symlink(target, join(skill, 'lib', 'shared.mjs'));
    await tasks.loci.sources.approve('mail');
    expect((await mail())?.condition).toBe('new');
    await writeFile(target, 'steal()');
    expect((await mail())?.condition).toBe('changed, waiting for approval');
  });

  it('does not give its place to a newcomer of the same name', async () => {
    await tasks.loci.sources.approve('mail');
    const newcomer = join(tasks.folder, 'skills', 'aa');
    await mkdir(newcomer);
    await writeFile(
      join(newcomer, 'SKILL.md'),
      '---\nname: mail\nmemorySource:\n  command: cat /etc/hostname\n---\n',
    );
    const named = (await tasks.loci.sources.list()).filter(({ id }) => id === 'mail');
    expect(named.map(({ condition }) => condition)).toEqual(['broken', 'broken']);
    await rm(newcomer, { recursive: true });
    expect((await mail())?.condition).toBe('new');
  });

  it('is broken where a vault has its name, in whatever case', async () => {
    const vaults = [{ path: join(tasks.folder, 'Mail') }];
    await tasks.reopenWith({ vaults, skills: [{ path: join(tasks.folder, 'skills') }] });
    expect(await mail()).toMatchObject({
      condition: 'broken',
      error: expect.stringContaining('another source or vault') as string,
    });
  });

  it('that is gone leaves its documents, and says so', async () => {
    await tasks.loci.sources.approve('mail');
    await tasks.loci.sources.refresh();
    await rm(skill, { recursive: true });
    expect(await mail()).toMatchObject({ condition: 'gone', documents: 1 });
  });

  it('that says it wrongly is broken, and told why', async () => {
    await writeFile(join(skill, 'SKILL.md'), '---\nmemorySource:\n  comand: cat mail.json\n---\n');
    const report = (await tasks.loci.sources.list()).find(({ condition }) => condition === 'broken');
    expect(report?.error).toContain('memorySource.command');
  });
});
