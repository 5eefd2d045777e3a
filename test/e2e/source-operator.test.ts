import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SourcesShowOutput, SourcesTestOutput } from '../../src/engine/reading/source-schemas.ts';
import { temporaryFolder } from './loci-command.ts';
import { GOOGLE_TASKS, SourcesHome } from './sources-home.ts';

describe('a source on the command line', () => {
  it('reports what has changed since its approval, in every command', async () => {
    const home = new SourcesHome();
    await home.approveAndRefresh('tasks');
    home.configure({ sources: [{ ...GOOGLE_TASKS, command: 'cat ./tasks.json', env: ['TODO_TOKEN'] }] });
    const command = 'command: cat tasks.json → cat ./tasks.json';
    const variables = 'variables added: TODO_TOKEN';
    expect((await home.run(['sources', 'list'])).stdout).toContain(`  ${command}\n  ${variables}\n  → loci`);
    expect((await home.run(['sources', 'show', 'tasks'])).stdout).toMatch(
      /it has changed since\nsince then {3}command: .*\n {13}variables added: TODO_TOKEN\n$/,
    );
    const { stdout } = await home.run(['sources', 'approve', 'tasks']);
    expect(stdout).toContain(`Changed since the last approval:\n  ${command}\n  ${variables}\n`);
    expect((await home.run(['sources', 'list'])).stdout).not.toContain(command);
  });

  it('prints fields that Loci does not read: test and refresh name each once, with the name to use', async () => {
    const home = new SourcesHome();
    home.writeOutput([
      { id: 1, text: 'Buy tiles', due: '2026-11-27T09:00:00Z', status: 'done' },
      { id: 2, text: 'Call the dentist', due: '2026-11-28', status: 'open' },
    ]);
    await home.json('sources', 'approve', 'tasks');
    const problems = [
      "due: 2 documents have it, but Loci does not read it; call it timestamp, or set map.timestamp: '{{due}}'",
      'status: 2 documents have it, but Loci does not read it; write "completed": true for "done", ' +
        "or set map.completed: '{{status}}'",
    ];
    expect(await home.json('sources', 'test', 'tasks')).toMatchObject({ problems, total: 2 });
    expect(await home.json('sources', 'refresh', 'tasks')).toMatchObject({
      sources: [{ added: 2, problems }],
    });
    const map = { timestamp: '{{due}}', completed: '{{status}}' };
    home.configure({ sources: [{ ...GOOGLE_TASKS, map }] });
    expect(await home.json('sources', 'test', 'tasks')).toMatchObject({
      problems: [],
      documents: [{ completed: true, timestamp: '2026-11-27T09:00:00.000Z' }, { completed: false }],
    });
  });

  it('is approved together with others or not at all, and each command is shown', async () => {
    const home = new SourcesHome({
      sources: [GOOGLE_TASKS, { id: 'mail', command: 'cat mail.json' }, { id: 'odd', command: './nothing' }],
    });
    const waiting = [
      ['tasks', 'waiting for approval'],
      ['mail', 'waiting for approval'],
      ['odd', 'broken'],
    ];
    for (const [other, code] of [
      ['taks', 4],
      ['odd', 3],
    ] as const) {
      expect((await home.run(['sources', 'approve', 'tasks', other])).code).toBe(code);
      expect(await home.conditions()).toEqual(waiting);
    }
    const approveBoth = ['sources', 'approve', 'tasks', 'mail'];
    expect((await home.run([...approveBoth, '--fingerprint', '0123456789'])).code).toBe(2);
    const { stdout } = await home.run(approveBoth);
    for (const [id, command] of [
      ['tasks', 'cat tasks.json'],
      ['mail', 'cat mail.json'],
    ] as const)
      expect(stdout).toContain(`${id} may run \`${command}\` in ${home.path}.\n`);
    expect(await home.conditions()).toEqual([
      ['tasks', 'new'],
      ['mail', 'new'],
      ['odd', 'broken'],
    ]);
  });

  it('shows its next refresh only if one is planned, or else what to do', async () => {
    const notes = temporaryFolder();
    const vaults = [{ name: 'my notes', path: notes }];
    const home = new SourcesHome({ sources: [GOOGLE_TASKS], vaults });
    writeFileSync(join(notes, 'Oven.md'), 'The oven is induction.\n');
    const next = async (id: string): Promise<[text: string | undefined, time: string | null]> => {
      const { stdout } = await home.run(['sources', 'show', id]);
      const { source } = await home.json<SourcesShowOutput>('sources', 'show', id);
      return [/^next +(.*)$/m.exec(stdout)?.[1], source.next_refresh];
    };
    expect(await next('tasks')).toEqual(['after `loci sources approve tasks`', null]);
    await home.approveAndRefresh('tasks');
    await home.json('index');
    expect(await next('tasks')).toEqual([
      expect.stringMatching(/^\d.*, every 5 min$/),
      expect.stringContaining('T'),
    ]);
    for (const id of ['tasks', 'my notes']) await home.json('sources', 'pause', id);
    expect(await next('tasks')).toEqual(['after `loci sources resume tasks`', null]);
    expect(await next('my notes')).toEqual(['after `loci sources resume "my notes"`', null]);
    const status = (await home.run(['status'])).stdout;
    expect(status).toMatch(/my notes: 1 note, .*; paused: `loci sources resume "my notes"`$/m);
    expect(status).toMatch(/Google Tasks: 2 documents, .*, paused: `loci sources resume tasks`$/m);
    const doctor = (await home.run(['doctor'])).stdout;
    expect(doctor).toMatch(/^ok +vault my notes +paused: .*\n +→ `loci sources resume "my notes"`/m);
    expect(doctor).toMatch(/^ok +source tasks +paused: .*\n +→ `loci sources resume tasks`/m);
    home.configure({ sources: [{ ...GOOGLE_TASKS, enabled: false }], vaults });
    expect(await next('tasks')).toEqual(['never while its settings say `enabled: false`', null]);
    home.configure({ sources: [{ ...GOOGLE_TASKS, command: 'cat | cat' }], vaults });
    expect(await next('tasks')).toEqual(['after the error is fixed', null]);
    home.configure({ vaults });
    expect(await next('tasks')).toEqual(['never: it is not in the settings', null]);
  });

  it('shows the documents of a test, with whole texts if --full is given', async () => {
    const home = new SourcesHome();
    const text = `Buy tile samples\n\n${'of slate and of marble '.repeat(12)}at Home Depot`;
    home.writeOutput([
      { id: 1, text, timestamp: '2026-11-28', metadata: { who: 'Ann' } },
      { id: 2, text: 'Call', timestamp: '2026-11-28T09:30:00' },
    ]);
    await home.json('sources', 'approve', 'tasks');
    const { documents } = await home.json<SourcesTestOutput>('sources', 'test', 'tasks');
    expect(documents.map(({ timestamp }) => timestamp)).toEqual([
      '2026-11-28',
      new Date(2026, 10, 28, 9, 30).toISOString(),
    ]);
    const cut = (await home.run(['sources', 'test', 'tasks'])).stdout;
    expect(cut).not.toContain('Home Depot');
    expect(cut).toContain('--full shows them whole');
    expect(cut).toMatch(/^ {2}2026-11-28 · who "Ann"$/m);
    expect(cut).toMatch(/^ {2}2026-11-28 09:30:00$/m);
    const full = (await home.run(['sources', 'test', 'tasks', '--full'])).stdout;
    expect(full).toMatch(
      /^1\n {2}Buy tile samples\n {2}of slate .*\n.*\n.* Home Depot\n {2}2026-11-28 · who "Ann"$/m,
    );
    expect(full).not.toContain('--full');
  });

  it('counts the searches that found it, not its results (S11)', async () => {
    const home = new SourcesHome();
    home.writeOutput(['Tiles of slate', 'Tiles of marble'].map((text, id) => ({ id, text })));
    await home.approveAndRefresh('tasks');
    for (const _ of [1, 2]) expect(await home.search('tiles')).toHaveLength(2);
    const { source } = await home.json<SourcesShowOutput>('sources', 'show', 'tasks');
    expect(source).toMatchObject({ hits: 2 });
    expect((await home.run(['sources', 'list'])).stdout).toContain('found by 2 searches');
  });
});
