import { mkdir, rename, rm, symlink, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { approveSource, TasksSource } from '../../../../test/contract/tasks-source.ts';
import { refreshSources, testSource } from '../sources.ts';

const CHANGED = 'changed, waiting for approval';

let tasks: TasksSource;

beforeEach(async () => {
  tasks = await TasksSource.open();
});

afterEach(() => tasks[Symbol.asyncDispose]());

async function approve(settings?: Readonly<Record<string, unknown>>): Promise<void> {
  if (settings !== undefined) await tasks.reopen(settings);
  await approveSource(tasks.loci, 'tasks');
}

async function condition(settings?: Readonly<Record<string, unknown>>): Promise<string | undefined> {
  if (settings !== undefined) await tasks.reopen(settings);
  return (await tasks.report())?.condition;
}

describe('a command', () => {
  it('does not run before it is approved', async () => {
    expect(await tasks.refresh()).toMatchObject({ error: { code: 'not_approved' } });
    await expect(testSource(tasks.loci, { id: 'tasks' })).rejects.toMatchObject({ code: 'not_approved' });
    expect(await condition()).toBe('waiting for approval');
    expect(await tasks.firstLines('tile samples')).toEqual([]);
    await approve();
    expect(await tasks.refresh()).toMatchObject({ added: 2 });
  });

  it('does not run after a change until it is approved again', async () => {
    await tasks.write('tasks.sh', '#!/bin/sh\ncat tasks.json\n', 0o755);
    await approve({ command: './tasks.sh' });
    expect(await tasks.refresh()).toMatchObject({ added: 2 });
    await tasks.write('tasks.sh', '#!/bin/sh\ncat tasks.json; exit 0\n', 0o755);
    expect(await tasks.refresh()).toMatchObject({ error: { code: 'not_approved' } });
    await expect(testSource(tasks.loci, { id: 'tasks' })).rejects.toMatchObject({ code: 'not_approved' });
    await approve();
    expect(await tasks.refresh()).toMatchObject({ unchanged: 2 });
  });

  it('of the settings needs no approval if the host trusts its settings, but one of a skill does', async () => {
    await tasks.write('skills/mail/SKILL.md', '---\nmemorySource:\n  command: cat mail.json\n---\n');
    await tasks.write('skills/mail/mail.json', '[]');
    const source = { id: 'tasks', command: 'cat tasks.json', cwd: tasks.folder };
    const skills = [{ path: join(tasks.folder, 'skills') }];
    await tasks.reopenWith({ sources: [source], skills }, { trustsSettings: true });
    expect((await refreshSources(tasks.loci)).sources).toMatchObject([
      { id: 'tasks', added: 2 },
      { id: 'mail', error: { code: 'not_approved' } },
    ]);
  });
});

describe('the fingerprint', () => {
  it('covers the arguments', async () => {
    await approve({ command: 'cat tasks.json' });
    expect(await condition({ command: 'cat tasks.json -u' })).toBe(CHANGED);
    expect(await condition({ command: 'cat tasks.json' })).toBe('new');
  });

  it('covers the bytes of the program', async () => {
    await tasks.write('run', '#!/bin/sh\n', 0o755);
    await approve({ command: './run' });
    expect(await condition()).toBe('new');
    await tasks.write('run', '#!/bin/ls\n', 0o755);
    expect(await condition()).toBe(CHANGED);
  });

  it('covers the program that a link leads to', async () => {
    for (const name of ['one', 'two']) await tasks.write(name, '#!/bin/sh\n', 0o755);
    await symlink('one', join(tasks.folder, 'run'));
    await approve({ command: './run' });
    await rm(join(tasks.folder, 'run'));
    await symlink('two', join(tasks.folder, 'run'));
    expect(await condition()).toBe(CHANGED);
  });

  it('covers the working folder', async () => {
    await approve();
    expect(await condition({ cwd: '/' })).toBe(CHANGED);
  });

  it('covers the folder that a link to the working folder leads to', async () => {
    for (const name of ['one', 'two']) await mkdir(join(tasks.folder, name));
    const link = join(tasks.folder, 'link');
    await symlink('one', link);
    await approve({ cwd: link });
    expect(await condition()).toBe('new');
    await unlink(link);
    await symlink('two', link);
    expect(await condition()).toBe(CHANGED);
  });

  it('covers the names of variables', async () => {
    await approve({ env: ['A', 'B'] });
    expect(await condition({ env: ['B', 'A'] })).toBe('new');
    expect(await condition({ env: ['A', 'B', 'TODO_TOKEN'] })).toBe(CHANGED);
  });

  it.each([
    ['sh tasks', 'tasks'],
    ['node tasks.mjs tasks.json', 'tasks.mjs'],
    ['timeout 5 sh lib/tasks.sh', 'lib/tasks.sh'],
    ['node --require=./hook.js -e 0', 'hook.js'],
    ['node -r ./hook.js -e 0', 'hook.js'],
    ['node -r./hook.js -e 0', 'hook.js'],
    ['tool --config tool.yaml', 'tool.yaml'],
    ['dd if=raw of=/dev/stdout', 'raw'],
  ])('covers the file that is an argument of `%s`', async (command, file) => {
    await tasks.write(file, 'one');
    await approve({ command: ['env', ...command.split(' ')] });
    expect(await condition()).toBe('new');
    await tasks.write(file, 'two');
    expect(await condition()).toBe(CHANGED);
    await rm(join(tasks.folder, file));
    expect(await condition()).toBe(CHANGED);
  });

  it.each(['tasks.json', 'todo.txt', 'calendar.ICS'])(
    'does not cover the argument %s, which is data',
    async (file) => {
      await tasks.write(file, '[]');
      await approve({ command: `cat ${file}` });
      await tasks.write(file, '[1]');
      expect(await condition()).toBe('new');
    },
  );

  it('covers the files that `watch` lists, including data', async () => {
    await tasks.write('lib/helper.js');
    const watch = ['lib/helper.js', join(tasks.folder, 'tasks.json')];
    await approve({ watch });
    expect(await condition()).toBe('new');
    await tasks.write('lib/helper.js', 'changed');
    expect(await condition()).toBe(CHANGED);
    await approve();
    await tasks.setOutput([]);
    expect(await condition()).toBe(CHANGED);
  });

  it('covers every file of a folder that `watch` lists', async () => {
    await tasks.write('lib/deep/.hidden');
    await approve({ watch: ['lib'] });
    expect(await condition()).toBe('new');
    await tasks.write('lib/deep/.hidden', 'changed');
    expect(await condition()).toBe(CHANGED);
    await approve();
    await tasks.write('lib/another');
    expect(await condition()).toBe(CHANGED);
  });

  it('cannot be computed while a path of `watch` does not exist', async () => {
    await tasks.write('helper.js');
    await approve({ watch: ['helper.js'] });
    await rename(join(tasks.folder, 'helper.js'), join(tasks.folder, 'other.js'));
    const missing = {
      code: 'not_approved',
      message: `there is no file or folder ${tasks.folder}/helper.js to watch`,
      hint: expect.stringContaining('`watch`') as string,
    };
    await expect(approveSource(tasks.loci, 'tasks')).rejects.toMatchObject(missing);
    expect(await tasks.refresh()).toMatchObject({ error: missing });
    expect(await tasks.report()).toMatchObject({ condition: 'broken', error: missing.message });
  });

  it('does not cover the content of files that only root can change', async () => {
    vi.spyOn(process, 'getuid').mockReturnValue(1000);
    await tasks.write('script.sh');
    await tasks.reopen({ command: '/bin/sh script.sh' });
    await approveSource(tasks.loci, 'tasks');
    expect((await tasks.report())?.command?.files).toEqual([
      { path: '/bin/sh', state: expect.stringMatching(/^system( \/.+)?$/) as string },
      {
        path: join(tasks.folder, 'script.sh'),
        // A test that root runs creates files that only root can change.
        state: expect.stringMatching(/^(?:system|[0-9a-f]{64})$/) as string,
      },
    ]);
    vi.restoreAllMocks();
  });

  it('does not cover files that a shell line starts, and the approval reports that it is a shell line', async () => {
    await tasks.write('run', '', 0o755);
    await tasks.reopen({ command: './run; sh ./run', shell: true });
    expect(await approveSource(tasks.loci, 'tasks')).toMatchObject({ shell: true });
    await tasks.write('run', 'changed', 0o755);
    expect(await condition()).toBe('new');
    expect(await condition({ command: './run; sh ./run', shell: true, watch: ['run'] })).toBe(CHANGED);
  });

  it('belongs to the program that was approved, even if PATH now finds another one', async () => {
    for (const name of ['one', 'two'])
      await tasks.write(`${name}/todo`, `#!/bin/sh\necho '[{"id":"${name}","text":"${name}"}]'\n`, 0o755);
    const before = process.env['PATH'] ?? '';
    try {
      process.env['PATH'] = `${tasks.folder}/one:${before}`;
      await approve({ command: 'todo --json' });
      process.env['PATH'] = `${tasks.folder}/two:${before}`;
      expect(await tasks.refresh()).toMatchObject({ added: 1 });
      expect(await tasks.firstLines('one two')).toEqual(['one']);
      await tasks.write('one/todo', '#!/bin/sh\necho "[]"\n', 0o755);
      expect(await tasks.refresh()).toMatchObject({ error: { code: 'not_approved' } });
    } finally {
      process.env['PATH'] = before;
    }
  });
});
