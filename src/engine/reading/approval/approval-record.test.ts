import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { approveSource, TasksSource } from '../../../../test/contract/tasks-source.ts';

const CHANGED = 'changed, waiting for approval';

let tasks: TasksSource;

beforeEach(async () => {
  tasks = await TasksSource.open();
});

afterEach(() => tasks[Symbol.asyncDispose]());

async function approve(settings?: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
  if (settings !== undefined) await tasks.reopen(settings);
  return (await approveSource(tasks.loci, 'tasks')).changes;
}

async function condition(settings?: Readonly<Record<string, unknown>>): Promise<string | undefined> {
  if (settings !== undefined) await tasks.reopen(settings);
  return (await tasks.report())?.condition;
}

/** Replaces the recorded approval. */
function recordApproval(approval: string): void {
  const database = new DatabaseSync(join(tasks.folder, 'loci.db'));
  database
    .prepare("UPDATE item SET body = json_set(body, '$.approval', ?) WHERE kind = 'source_state'")
    .run(approval);
  database.close();
}

describe('approving', () => {
  it('reports what changed since the last approval', async () => {
    const script = await tasks.write('tasks.sh', '#!/bin/sh\ncat tasks.json\n', 0o755);
    expect(await approve({ command: './tasks.sh', env: ['HOST'] })).toEqual([]);
    expect((await tasks.report())?.changes).toEqual([]);
    await tasks.write('tasks.sh', '#!/bin/sh\ncat tasks.json tasks.json\n', 0o755);
    await tasks.reopen({ command: './tasks.sh --all', env: ['TODO_TOKEN'] });
    const changes = (await tasks.report())?.changes;
    expect(changes?.map((line) => line.replace(/ [0-9a-f]{16}$/, ' HASH'))).toEqual([
      '- command ./tasks.sh',
      '- variable HOST',
      `- file ${script} HASH`,
      '+ command ./tasks.sh --all',
      '+ variable TODO_TOKEN',
      `+ file ${script} HASH`,
    ]);
    expect(await approve()).toEqual(changes);
    expect(await approve()).toEqual([]);
    await tasks.reopen({ command: `${script} --all`, cwd: '/', env: ['TODO_TOKEN'] });
    expect((await tasks.report())?.changes).toEqual([
      '- command ./tasks.sh --all',
      `- folder ${tasks.folder}`,
      `+ command ${script} --all`,
      '+ folder /',
    ]);
    await unlink(script);
    expect((await tasks.report())?.changes).toContain('+ program not found');
  });

  it('reports which watched files were added and removed', async () => {
    for (const name of ['a.js', 'b.js']) await tasks.write(name);
    await approve({ watch: ['a.js'] });
    expect((await approve({ watch: ['b.js'] })).map((line) => line.slice(0, -17))).toEqual([
      `- file ${tasks.folder}/a.js`,
      `+ file ${tasks.folder}/b.js`,
    ]);
  });

  it('masks secrets in arguments in the record and the report', async () => {
    const keys = ['ghp_0123456789abcdefghijklmnopqrstuvwxyz', 'ghp_9876543210abcdefghijklmnopqrstuvwxyz'];
    await approve({ command: `cat tasks.json --token=${keys[0]!}` });
    expect(await condition({ command: `cat tasks.json --token=${keys[1]!}` })).toBe(CHANGED);
    const report = await tasks.report();
    expect(report?.changes).toEqual([expect.stringMatching(/^what is not recorded: a masked secret/)]);
    expect(report?.state?.approval).toContain('--token=[secret masked: GitHub token]');
    await tasks.reopen({ command: 'cat tasks.json' });
    expect((await tasks.report())?.changes).toEqual([
      '- command cat tasks.json --token=[secret masked: GitHub token]',
      '+ command cat tasks.json',
    ]);
  });

  it('fails if the given fingerprint is no longer the current one', async () => {
    const { fingerprint } = (await tasks.report())!.command!;
    await tasks.reopen({ command: 'cat other.json' });
    await expect(approveSource(tasks.loci, 'tasks', fingerprint.slice(0, 12))).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await condition()).toBe('waiting for approval');
  });

  it('fails for a program that does not exist, with the cause and what to do', async () => {
    for (const name of ['plain', 'folder/plain']) await tasks.write(name, '[]');
    const causes: readonly (readonly [command: unknown, error: string, hint: string])[] = [
      ['no-such-program --json', 'there is no program "no-such-program" in PATH', 'PATH'],
      ['./nowhere', `there is no program ${tasks.folder}/nowhere`, 'cwd'],
      ['./plain', `${tasks.folder}/plain is not executable`, `chmod +x ${tasks.folder}/plain`],
      ['./folder', `${tasks.folder}/folder is not a program`, 'file'],
      ['plain', 'there is no program "plain" in PATH', '`./plain`'],
      [['cat tasks.json | cat'], 'there is no program "cat tasks.json | cat"', '`shell: true`'],
      ['cat tasks.json | cat', 'the command needs a shell for |', '`shell: true`'],
      ['cat $HOME/tasks.json', 'the command needs a shell for $HOME', '`shell: true`'],
    ];
    for (const [command, error, hint] of causes) {
      await tasks.reopen({ command });
      const expected = { code: 'invalid_config', message: error, hint: expect.stringContaining(hint) };
      await expect(approveSource(tasks.loci, 'tasks')).rejects.toMatchObject(expected);
      expect(await tasks.refresh()).toMatchObject({ error: expected });
      expect(await tasks.report()).toMatchObject({ condition: 'broken', error, hint: expected.hint });
    }
  });
});

const FIRST_FORMAT = JSON.stringify({
  command: 'cat tasks.json',
  program: '/usr/bin/cat',
  cwd: '/home',
  folder: '/home',
  env: [],
  files: [],
});

describe('a recorded approval that is damaged, or of an earlier version', () => {
  it.each([
    '/usr/bin/cat',
    FIRST_FORMAT,
    '{broken',
    '{"program":"/usr/bin/cat"}',
    '{"program":7}',
    'null',
    '',
  ])('approves nothing, although its fingerprint matches: %s', async (rest) => {
    await approve();
    const { fingerprint } = (await tasks.report())!.command!;
    const changes = ['the recorded approval is damaged, or of another version of Loci'];
    for (const record of [`${fingerprint} ${rest}`, rest]) {
      recordApproval(record);
      expect(await tasks.report()).toMatchObject({ condition: CHANGED, changes });
      expect(await tasks.refresh()).toMatchObject({
        error: {
          code: 'not_approved',
          message: expect.stringContaining('must be approved again') as string,
          hint: expect.stringContaining('loci sources approve tasks') as string,
        },
      });
    }
    expect(await approve()).toEqual(changes);
    expect(await tasks.refresh()).toMatchObject({ added: 2 });
  });
});
