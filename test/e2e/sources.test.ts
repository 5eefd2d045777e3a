import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SearchOutput } from '../../src/engine/records/results/search-fields.ts';
import type {
  SourcesListOutput,
  SourcesRefreshOutput,
  SourcesShowOutput,
  SourcesTestOutput,
} from '../../src/engine/reading/source-schemas.ts';
import { temporaryFolder } from './loci-command.ts';
import { GOOGLE_TASKS, SourcesHome } from './sources-home.ts';

/** The error that a command prints with `--json`. */
function errorOf(stdout: string): { readonly code: string; readonly message: string; readonly hint: string } {
  const { error } = JSON.parse(stdout) as { error: ReturnType<typeof errorOf> };
  return error;
}

describe('a source', () => {
  it('is listed, approved, tested, refreshed and found (S2)', async () => {
    const home = new SourcesHome();
    const listed = await home.run(['sources', 'list']);
    expect(listed.code).toBe(0);
    expect(listed.stdout).toMatch(/^tasks +Google Tasks +waiting for approval +0 /m);
    expect(listed.stdout).toContain('cat tasks.json');
    expect(listed.stdout).toContain('→ loci sources approve tasks');
    for (const command of ['test', 'refresh']) {
      const refused = await home.run(['sources', command, 'tasks']);
      expect([command, refused.code]).toEqual([command, 10]);
      expect(refused.stderr).toContain('tasks was not approved yet (command: cat tasks.json)');
    }
    expect((await home.run(['sources', 'approve', 'tasks'])).stdout).toContain(
      `tasks may run \`cat tasks.json\` in ${home.path}.`,
    );
    const tested = await home.run(['sources', 'test', 'tasks']);
    expect(tested.stdout).toContain('Buy tile samples from Home Depot');
    expect(tested.stdout).toContain('2 documents of 2 printed');
    expect(await home.search('tile samples')).toEqual([]);
    expect((await home.run(['sources', 'refresh', 'tasks'])).stdout).toMatch(/^Google Tasks: 2 added\n/);
    const { stdout } = await home.run(['search', 'tile samples']);
    expect(stdout).toMatch(/^ {3}From Google Tasks · due tomorrow · just now · score/m);
    expect((await home.run(['sources', 'list'])).stdout).toMatch(
      /^tasks +Google Tasks +fresh +2 +\d{4}-.* +1$/m,
    );
    expect((await home.run(['sources', 'show', 'tasks'])).stdout).toMatch(/^refreshes +1$/m);
  });

  it('reports everything as JSON (S11)', async () => {
    const home = new SourcesHome();
    await home.approveAndRefresh('tasks');
    home.writeOutput([{ id: 'tiles', text: 'Buy tiles' }, { text: 'no id' }]);
    const { sources: refreshed } = await home.json<SourcesRefreshOutput>('sources', 'refresh');
    expect(refreshed).toMatchObject([
      { id: 'tasks', updated: 1, removed: 1, problems: ['document 2: id is missing'] },
    ]);
    expect(await home.search('tiles')).toHaveLength(1);
    const { sources } = await home.json<SourcesListOutput>('sources', 'list');
    expect(sources).toMatchObject([
      {
        id: 'tasks',
        name: 'Google Tasks',
        kind: 'command',
        condition: 'fresh',
        documents: 1,
        hits: 1,
        refreshes: 2,
        consecutive_failures: 0,
        error: null,
        problems: ['document 2: id is missing'],
        command: 'cat tasks.json',
      },
    ]);
    const { runs } = await home.json<SourcesShowOutput>('sources', 'show', 'tasks');
    expect(runs?.approved?.fingerprint).toBe(runs?.fingerprint);
    expect(runs).toMatchObject({ argv: ['cat', 'tasks.json'], cwd: home.path, env: [] });
    const tested = await home.json<SourcesTestOutput>('sources', 'test', 'tasks');
    expect(tested).toMatchObject({ total: 1, printed: 2, problems: ['document 2: id is missing'] });
  });

  it('keeps its documents when it fails, reports the error and its time, and exits with 8 (S9)', async () => {
    const home = new SourcesHome();
    await home.approveAndRefresh('tasks');
    home.writeOutput('[{"id": "tiles", "te');
    const failed = await home.run(['sources', 'refresh']);
    expect(failed.code).toBe(8);
    expect(failed.stderr).toContain('`loci sources test tasks`');
    expect(await home.conditions()).toEqual([['tasks', 'failing']]);
    const [[from] = ['']] = await home.search('tile samples');
    expect(from).toMatch(/^From Google Tasks · due tomorrow · stale \(less than a minute\)$/);
    const result = await home.run(['sources', 'refresh', '--json']);
    const { sources } = JSON.parse(result.stdout) as SourcesRefreshOutput;
    expect(result.code).toBe(8);
    expect(sources).toMatchObject([{ id: 'tasks', error: { code: 'source_failed' } }]);
  });

  it('is removed', async () => {
    const home = new SourcesHome();
    await home.approveAndRefresh('tasks');
    expect((await home.run(['sources', 'remove', 'tasks'])).stdout).toBe(
      'Removed 2 records of tasks from the store; it is no longer in the settings.\n',
    );
    expect(await home.conditions()).toEqual([]);
    expect(await home.search('tile samples')).toEqual([]);
    const repeated = await home.run(['sources', 'remove', 'tasks']);
    expect([repeated.code, repeated.stderr]).toEqual([
      4,
      expect.stringContaining('no source is called "tasks"'),
    ]);
  });

  it.each(['show', 'approve', 'refresh', 'remove'])(
    'that does not exist: %s reports that, lists the existing ones, and exits with 4',
    async (command) => {
      const home = new SourcesHome();
      const { code, stderr } = await home.run(['sources', command, 'taks']);
      expect(code).toBe(4);
      expect(stderr).toBe('loci: no source is called "taks"; there are: tasks\n      Did you mean tasks?\n');
      const result = await home.run(['sources', command, 'taks', '--json']);
      expect([result.code, errorOf(result.stdout).code]).toEqual([4, 'not_found']);
    },
  );

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

  it('counts the searches that found it, not its results (S11)', async () => {
    const home = new SourcesHome();
    home.writeOutput(['Tiles of slate', 'Tiles of marble'].map((text, id) => ({ id, text })));
    await home.approveAndRefresh('tasks');
    for (const _ of [1, 2]) expect(await home.search('tiles')).toHaveLength(2);
    const { source } = await home.json<SourcesShowOutput>('sources', 'show', 'tasks');
    expect(source).toMatchObject({ hits: 2 });
    expect((await home.run(['sources', 'list'])).stdout).toMatch(/^tasks .* 2$/m);
  });

  it('is listed without a store; without sources, the list says what to do', async () => {
    expect(await new SourcesHome().conditions()).toEqual([['tasks', 'waiting for approval']]);
    const shown = await new SourcesHome().run(['sources', 'show', 'tasks']);
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringMatching(/^fingerprint +\w+$/m)]);
    const nothing = await new SourcesHome({}).run(['sources', 'list']);
    expect([nothing.code, nothing.stderr]).toEqual([6, expect.stringContaining('loci config init')]);
  });
});

describe('settings of a source', () => {
  const TODO = 'Buy tile samples from Home Depot';

  it('enabled: false excludes it from refreshes and searches, and keeps its documents (S10)', async () => {
    const home = new SourcesHome();
    await home.approveAndRefresh('tasks');
    home.configure({ sources: [{ ...GOOGLE_TASKS, enabled: false }] });
    expect(await home.search('tile samples')).toEqual([]);
    expect(await home.conditions()).toEqual([['tasks', 'disabled']]);
    expect((await home.json<SourcesRefreshOutput>('sources', 'refresh')).sources).toEqual([]);
    const named = await home.run(['sources', 'refresh', 'tasks']);
    expect(named.code).toBe(5);
    expect(named.stderr).toMatch(
      /tasks is disabled: its settings have `enabled: false`.*\n.*from loci\.yaml first/,
    );
    expect((await home.run(['sources', 'test', 'tasks'])).code).toBe(0);
    home.configure({ sources: [GOOGLE_TASKS] });
    expect(await home.search('tile samples')).toHaveLength(1);
  });

  it('includeInContext: false restricts it to searches of the user (S10)', async () => {
    const home = new SourcesHome({ sources: [{ ...GOOGLE_TASKS, includeInContext: false }] });
    await home.approveAndRefresh('tasks');
    expect(await home.search('tile samples')).toHaveLength(1);
  });

  it('minScore hides its weak matches and says so (S8)', async () => {
    const home = new SourcesHome();
    await home.approveAndRefresh('tasks');
    const weakSearch = ['search', 'samples of marble and gravel for the garden path'];
    expect((await home.json<SearchOutput>(...weakSearch, '--min-score', '0')).results).toHaveLength(1);
    home.configure({ sources: [{ ...GOOGLE_TASKS, minScore: 0.99 }] });
    const hidden = await home.json<SearchOutput>(...weakSearch, '--min-score', '0');
    expect(hidden.results).toEqual([]);
    expect(hidden.nothing?.hidden_of_sources).toMatchObject([{ source: 'tasks', results: 1 }]);
    expect((await home.run([...weakSearch, '--min-score', '0'])).stdout).toContain(
      '1 result of tasks scores below 0.99',
    );
  });

  it('weight orders documents that match equally well, and --explain shows it (S5)', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, `${TODO}.md`), `# ${TODO}\n\n${TODO}\n`);
    const home = new SourcesHome({ sources: [GOOGLE_TASKS] });
    await home.approveAndRefresh('tasks');
    await home.json('index', folder);
    const ranked = async (): Promise<(string | null)[]> =>
      (await home.search('tile samples', '--min-score', '0')).map(([from]) => from?.split(' · ')[0] ?? null);
    expect(await ranked()).toEqual([null, 'From Google Tasks']);
    home.configure({ sources: [{ ...GOOGLE_TASKS, weight: 2 }], vaults: [{ path: folder }] });
    expect(await ranked()).toEqual(['From Google Tasks', null]);
    expect((await home.run(['search', 'tile samples', '--explain'])).stdout).toMatch(/source ×2/);
  });

  it('fields keeps other fields out of the store (S10)', async () => {
    const home = new SourcesHome({ sources: [{ ...GOOGLE_TASKS, fields: ['title'] }] });
    home.writeOutput([
      { id: 'm', title: 'Cabinets on Monday', text: 'The alarm code is pangolin', tags: ['mail'] },
    ]);
    await home.approveAndRefresh('tasks');
    expect(await home.search('cabinets')).toHaveLength(1);
    expect(await home.search('pangolin')).toEqual([]);
    for (const file of readdirSync(home.path).filter((name) => name.startsWith('loci.db')))
      expect(readFileSync(join(home.path, file)).includes('pangolin')).toBe(false);
    expect(readFileSync(join(home.path, 'loci.db')).includes('Cabinets')).toBe(true);
  });
});
