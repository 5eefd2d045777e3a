import { chmod, mkdir, symlink, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TasksSource } from '../../../test/contract/tasks-source.ts';

let tasks: TasksSource;

beforeEach(async () => {
  tasks = await TasksSource.make();
});

afterEach(() => tasks[Symbol.asyncDispose]());

describe('approval', () => {
  it('comes before the first run', async () => {
    expect(await tasks.refresh()).toMatchObject({ error: { code: 'not_approved' } });
    await expect(tasks.loci.sources.tryOut('tasks')).rejects.toMatchObject({ code: 'not_approved' });
    expect((await tasks.report())?.condition).toBe('waiting for approval');
    expect(await tasks.found('tile samples')).toEqual([]);
    await tasks.loci.sources.approve('tasks');
    expect(await tasks.refresh()).toMatchObject({ added: 2 });
  });

  it('is asked for again when the command, its folder, its variables or what it starts change', async () => {
    const script = join(tasks.folder, 'tasks.sh');
    await writeFile(script, '#!/bin/sh\ncat tasks.json\n');
    await chmod(script, 0o755);
    const asked = async (given: Record<string, unknown>): Promise<string | undefined> => {
      await tasks.reopen(given);
      return (await tasks.report())?.condition;
    };
    await tasks.reopen({ command: './tasks.sh' });
    await tasks.loci.sources.approve('tasks');
    expect(await asked({ command: './tasks.sh', refreshInterval: '1h', weight: 0.3 })).toBe('new');
    const changed = 'changed, waiting for approval';
    expect(await asked({ command: './tasks.sh --all' })).toBe(changed);
    expect(await asked({ command: `${tasks.folder}/tasks.sh`, cwd: '/' })).toBe(changed);
    expect(await asked({ command: './tasks.sh', env: ['TODO_TOKEN'] })).toBe(changed);
    expect(await asked({ command: './tasks.sh' })).toBe('new');
    await writeFile(script, '#!/bin/sh\ncat tasks.json; curl https://example.org\n');
    expect(await tasks.refresh()).toMatchObject({ error: { code: 'not_approved' } });
  });

  it('covers the script that an interpreter is given, and not the data that it reads', async () => {
    await writeFile(join(tasks.folder, 'tasks.mjs'), 'process.stdout.write("[]")');
    await tasks.reopen({ command: `${process.execPath} tasks.mjs tasks.json` });
    await tasks.loci.sources.approve('tasks');
    await tasks.print([]);
    expect((await tasks.report())?.condition).toBe('new');
    await writeFile(join(tasks.folder, 'tasks.mjs'), 'process.stdout.write("[1]")');
    expect((await tasks.report())?.condition).toBe('changed, waiting for approval');
  });

  it('covers what options, wrappers and lines for a shell start, and what links lead to', async () => {
    const changes = async (command: unknown, file: string, given = {}): Promise<string | undefined> => {
      await writeFile(join(tasks.folder, file), 'one');
      await tasks.reopen({ command, ...given });
      await tasks.loci.sources.approve('tasks');
      await writeFile(join(tasks.folder, file), 'another');
      return (await tasks.report())?.condition;
    };
    const changed = 'changed, waiting for approval';
    expect(await changes('node --require=./pre.js -e 0', 'pre.js')).toBe(changed);
    expect(await changes('node mod', 'mod.js')).toBe(changed);
    expect(await changes('timeout 5 sh t2.txt', 't2.txt')).toBe(changed);
    expect(await changes('node -r./short.js -e 0', 'short.js')).toBe(changed);
    expect(await changes('sh -eu tasks', 'tasks')).toBe(changed);
    expect(await changes('node -r ./mod main', 'main')).toBe(changed);
    await mkdir(join(tasks.folder, 'bin'));
    expect(await changes('cd bin && sh my\\ script', 'bin/my script', { shell: true })).toBe(changed);
    expect(await changes('. ./settings; cat tasks.json', 'settings', { shell: true })).toBe(changed);
    expect(await changes(['bash', '-c', 'sh ./tasks'], 'tasks')).toBe(changed);
    await writeFile(join(tasks.folder, 'a.exe'), '');
    await chmod(join(tasks.folder, 'a.exe'), 0o755);
    expect(await changes('./a.exe|cat', 'a.exe', { shell: true })).toBe(changed);
  });

  it.each([
    ['a line for a shell', 'cat tasks.json | cat', true],
    ['a shell that is given a line', ['sh', '-c', 'cat tasks.json'], false],
    ['a program in a folder that is named', ['ls', '.', 'tasks.json'], false],
    ['code that stands in the command', [process.execPath, '-e', 'fs.cpSync', 'tasks.json'], false],
  ])('does not cover the data that %s reads', async (_, command, shell) => {
    await tasks.reopen({ command, shell });
    await tasks.loci.sources.approve('tasks');
    await tasks.print([]);
    expect((await tasks.report())?.condition).toBe('new');
  });

  it('tells what it cannot watch', async () => {
    await tasks.reopen({ command: '$(cat tasks.json)', shell: true });
    const { files } = await tasks.loci.sources.approve('tasks');
    expect(files).toContainEqual({ path: 'something that cannot be watched: $(…)', state: '' });
    expect((await tasks.report())?.condition).toBe('new');
  });

  it('is asked for again when a link to the folder leads elsewhere', async () => {
    for (const name of ['one', 'other']) await mkdir(join(tasks.folder, name));
    const link = join(tasks.folder, 'link');
    await symlink('one', link);
    await tasks.reopen({ cwd: link });
    await tasks.loci.sources.approve('tasks');
    expect((await tasks.report())?.condition).toBe('new');
    await unlink(link);
    await symlink('other', link);
    expect((await tasks.report())?.condition).toBe('changed, waiting for approval');
  });

  it('tells what changed since, in the report and to whoever approves it anew', async () => {
    const script = join(tasks.folder, 'tasks.sh');
    const write = async (text: string): Promise<void> => {
      await writeFile(script, text);
      await chmod(script, 0o755);
    };
    await write('#!/bin/sh\ncat tasks.json\n');
    await tasks.reopen({ command: './tasks.sh', env: ['HOST'] });
    expect((await tasks.loci.sources.approve('tasks')).changes).toEqual([]);
    expect((await tasks.report())?.changes).toEqual([]);
    await write('#!/bin/sh\ncat tasks.json tasks.json\n');
    const told = [
      'command: ./tasks.sh → ./tasks.sh --all',
      'variables: sees TODO_TOKEN too; no longer sees HOST',
      `changed: ${script}`,
    ];
    await tasks.reopen({ command: './tasks.sh --all', env: ['TODO_TOKEN'] });
    expect((await tasks.report())?.changes).toEqual(told);
    expect((await tasks.loci.sources.approve('tasks')).changes).toEqual(told);
    expect((await tasks.loci.sources.approve('tasks')).changes).toEqual([]);
    await tasks.reopen({ command: `${script} --all`, cwd: '/', env: ['TODO_TOKEN'] });
    expect((await tasks.report())?.changes).toEqual([
      `command: ./tasks.sh --all → ${script} --all`,
      `folder: ${tasks.folder} → /`,
    ]);
    await unlink(script);
    expect((await tasks.report())?.changes.at(-1)).toBe(`program: ${script} → there is none of that name`);
  });

  it('keeps no secret that a command is given, and tells none', async () => {
    const keys = ['ghp_0123456789abcdefghijklmnopqrstuvwxyz', 'ghp_9876543210abcdefghijklmnopqrstuvwxyz'];
    await tasks.reopen({ command: `cat tasks.json --token=${keys[0]!}` });
    await tasks.loci.sources.approve('tasks');
    await tasks.reopen({ command: `cat tasks.json --token=${keys[1]!}` });
    const report = await tasks.report();
    expect(report?.condition).toBe('changed, waiting for approval');
    expect(report?.changes).toEqual(['command: a secret in it']);
    expect(report?.state?.approval).toContain('--token=[secret masked: GitHub token]');
    await tasks.reopen({ command: 'cat tasks.json' });
    expect((await tasks.report())?.changes).toEqual([
      'command: cat tasks.json --token=[secret masked: GitHub token] → cat tasks.json',
    ]);
  });

  it('of an earlier Loci, which noted the program alone, goes on; of a change it tells that there is one', async () => {
    await tasks.loci.sources.approve('tasks');
    const { fingerprint, program } = (await tasks.report())!.approvable!;
    const database = new DatabaseSync(join(tasks.folder, 'loci.db'));
    database.prepare('UPDATE source_state SET approval = ?').run(`${fingerprint} ${program ?? ''}`);
    database.close();
    expect(await tasks.refresh()).toMatchObject({ added: 2 });
    await tasks.reopen({ command: 'cat other.json' });
    expect((await tasks.report())?.changes).toEqual(['what it was before was not noted']);
  });

  it.each([
    'deadbeef {broken',
    'deadbeef {"program":"/usr/bin/cat"}',
    'deadbeef {"program":7}',
    '{"program":"/usr/bin/cat"}',
    'deadbeef null',
    'deadbeef',
    '',
  ])('that is damaged (%j) approves nothing, and is mended by a new one', async (damaged) => {
    await tasks.loci.sources.approve('tasks');
    const database = new DatabaseSync(join(tasks.folder, 'loci.db'));
    database.prepare('UPDATE source_state SET approval = ?').run(damaged);
    database.close();
    const changes = ['what it was before was not noted'];
    expect(await tasks.report()).toMatchObject({ condition: 'changed, waiting for approval', changes });
    expect(await tasks.refresh()).toMatchObject({ error: { code: 'not_approved' } });
    expect(await tasks.loci.sources.approve('tasks')).toMatchObject({ changes });
    expect(await tasks.refresh()).toMatchObject({ added: 2 });
  });

  it('is of what was looked at, when a fingerprint says so', async () => {
    const { fingerprint } = (await tasks.report())!.approvable!;
    await tasks.reopen({ command: 'cat other.json' });
    await expect(tasks.loci.sources.approve('tasks', fingerprint.slice(0, 12))).rejects.toMatchObject({
      code: 'conflict',
    });
    expect((await tasks.report())?.condition).toBe('waiting for approval');
  });

  it('holds for the file that was found, whatever another host has on its PATH', async () => {
    const [one, other] = [join(tasks.folder, 'one'), join(tasks.folder, 'other')];
    for (const [folder, id] of [
      [one, 'one'],
      [other, 'other'],
    ] as const) {
      await mkdir(folder);
      await writeFile(join(folder, 'todo'), `#!/bin/sh\necho '[{"id":"${id}","text":"${id}"}]'\n`);
      await chmod(join(folder, 'todo'), 0o755);
    }
    const before = process.env['PATH'] ?? '';
    try {
      process.env['PATH'] = `${one}:${before}`;
      await tasks.reopen({ command: 'todo --json' });
      await tasks.loci.sources.approve('tasks');
      process.env['PATH'] = `${other}:${before}`;
      expect(await tasks.refresh()).toMatchObject({ added: 1 });
      expect(await tasks.found('one other')).toEqual(['one']);
      await writeFile(join(one, 'todo'), '#!/bin/sh\necho "[]"\n');
      expect(await tasks.refresh()).toMatchObject({ error: { code: 'not_approved' } });
    } finally {
      process.env['PATH'] = before;
    }
  });

  it('is not given to a program that is not there; the report says why, and what to do', async () => {
    for (const name of ['plain', 'folder/plain']) {
      await mkdir(dirname(join(tasks.folder, name)), { recursive: true });
      await writeFile(join(tasks.folder, name), '[]');
    }
    const causes: readonly (readonly [command: unknown, error: string, hint: string])[] = [
      ['no-such-program --json', 'there is no program "no-such-program" in PATH', 'PATH'],
      ['./nowhere', `there is no program ${tasks.folder}/nowhere`, 'cwd'],
      ['./plain', `${tasks.folder}/plain is not executable`, `chmod +x ${tasks.folder}/plain`],
      ['./folder', `${tasks.folder}/folder is no program`, 'file'],
      ['plain', 'there is no program "plain" in PATH', '`./plain`'],
      [['cat tasks.json | cat'], 'there is no program "cat tasks.json | cat"', '`shell: true`'],
      ['cat tasks.json | cat', 'the command needs a shell for |', '`shell: true`'],
      ['cat $HOME/tasks.json', 'the command needs a shell for $HOME', '`shell: true`'],
    ];
    for (const [command, error, hint] of causes) {
      await tasks.reopen({ command });
      const told = { code: 'invalid_config', message: error, hint: expect.stringContaining(hint) };
      await expect(tasks.loci.sources.approve('tasks')).rejects.toMatchObject(told);
      expect(await tasks.refresh()).toMatchObject({ error: told });
      expect(await tasks.report()).toMatchObject({ condition: 'broken', error, hint: told.hint });
    }
  });

  it('is the word of a host whose own settings they are, and never of a skill', async () => {
    const skill = join(tasks.folder, 'skills', 'mail');
    await mkdir(skill, { recursive: true });
    await writeFile(join(skill, 'SKILL.md'), '---\nmemorySource:\n  command: cat mail.json\n---\n');
    await writeFile(join(skill, 'mail.json'), '[]');
    const source = { id: 'tasks', command: 'cat tasks.json', cwd: tasks.folder };
    const skills = [{ path: join(tasks.folder, 'skills') }];
    await tasks.reopenWith({ sources: [source], skills }, { trustsSettings: true });
    expect(await tasks.loci.sources.refresh()).toMatchObject([
      { id: 'tasks', added: 2 },
      { id: 'mail', error: { code: 'not_approved' } },
    ]);
  });
});
