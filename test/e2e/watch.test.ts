import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loci, MAIN, startLoci, temporaryFolder } from './loci-command.ts';
import { GOOGLE_TASKS, SourcesHome } from './sources-home.ts';
import { eventOf, refreshed, WatchProcess } from './watch-process.ts';

const FAST = { ...GOOGLE_TASKS, refreshInterval: '100ms' };

describe('loci sources watch', () => {
  it('reports a changed note after it can be found', async () => {
    const vault = join(temporaryFolder());
    writeFileSync(join(vault, 'Oven.md'), 'The oven is induction.\n');
    const home = new SourcesHome({ vaults: [{ name: 'house', path: vault, refreshInterval: '100ms' }] });
    const watch = new WatchProcess(home.path);
    expect(await watch.next(refreshed('house'))).toMatchObject({ added: 1 });
    for (const [file, word, change] of [
      ['Oven.md', 'pangolin', { updated: 1 }],
      ['Hob.md', 'armadillo', { added: 1 }],
    ] as const) {
      const before = watch.events.length;
      writeFileSync(join(vault, file), `A ${word} was seen in the kitchen.\n`);
      const event = await watch.next(
        (each) => refreshed('house')(each) && (each.added ?? 0) + (each.updated ?? 0) > 0,
        before,
      );
      expect(event).toMatchObject(change);
      expect(await home.search(word)).toEqual([[null, expect.stringContaining(word)]]);
    }
    expect(await watch.stop('SIGINT')).toMatchObject({ code: 0, stderr: '' });
  });

  it('runs a source after it is approved and whenever it is due, but not after a watched file changed', async () => {
    const home = new SourcesHome({
      sources: [FAST, { id: 'script', command: 'sh ./script.sh', refreshInterval: '100ms' }],
    });
    home.writeOutput('cat tasks.json', 'script.sh');
    const watch = new WatchProcess(home.path);
    expect((await watch.next(eventOf('waiting', 'tasks'))).error).toMatchObject({
      code: 'not_approved',
      hint: expect.stringContaining('loci sources approve tasks'),
    });
    for (const id of ['tasks', 'script']) await home.json('sources', 'approve', id);
    expect(await watch.next(refreshed('tasks'))).toMatchObject({ added: 2 });
    await watch.next(refreshed('script'));
    home.writeOutput([{ id: 'tiles', text: 'Buy tiles at last' }]);
    const changed = await watch.next((event) => refreshed('tasks')(event) && event.updated === 1);
    expect(changed).toMatchObject({ removed: 1 });
    expect(await home.search('tiles')).toHaveLength(2);
    const before = watch.events.length;
    home.writeOutput('cat tasks.json; touch other', 'script.sh');
    expect((await watch.next(eventOf('waiting', 'script'), before)).error?.message).toContain(
      'watched files have changed since',
    );
    expect((await watch.stop()).code).toBe(0);
  });

  it('reports once that a source waits for approval, and refreshes the others', async () => {
    const home = new SourcesHome({
      sources: [FAST, { id: 'later', command: 'cat later.json', refreshInterval: '100ms' }],
    });
    await home.approveAndRefresh('tasks');
    const watch = new WatchProcess(home.path);
    for (let after = 0; watch.count(refreshed('tasks')) < 5; after = watch.events.length)
      await watch.next(refreshed('tasks'), after);
    expect(watch.count(eventOf('waiting', 'later'))).toBe(1);
    expect(watch.count(eventOf('failed', 'later'))).toBe(0);
    await watch.stop();
  });

  it('prints a line for each refresh, without control characters of the terminal', async () => {
    const home = new SourcesHome({
      sources: [
        GOOGLE_TASKS,
        { id: 'broken', command: ['sh', '-c', 'echo "no \u001b[31mtoken" >&2; exit 3'] },
      ],
    });
    await home.json('sources', 'approve', 'tasks', 'broken');
    // The process takes its standard error for a terminal of 60 columns.
    const terminal = 'Object.assign(process.stderr, { isTTY: true, columns: 60 });';
    const nodeArgs = ['--import', `data:text/javascript,${encodeURIComponent(terminal)}`, MAIN];
    const { child, ended } = startLoci(
      ['sources', 'watch'],
      { home: home.path, env: { NO_COLOR: '1' } },
      nodeArgs,
    );
    onTestFinished(() => void child.kill('SIGKILL'));
    const refreshes = Promise.withResolvers<undefined>();
    let printed = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      if (printed.includes('broken: ') && printed.includes('tasks: ')) refreshes.resolve(undefined);
    });
    void ended.then(() => refreshes.reject(new Error(`it ended and had printed: ${printed}`)));
    await refreshes.promise;
    child.kill('SIGINT');
    const { code, stdout, stderr } = await ended;
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => line.replace(/^\d\d:\d\d:\d\d /, '')).toSorted()).toEqual([
      `broken: the command ended with exit code 3: no token (in ${home.path})`,
      'tasks: 2 added',
    ]);
    expect(stderr.split('\n')).toEqual([
      'Loci refreshes these vaults and sources. Press Ctrl-C to stop.',
      expect.stringMatching(/^ {2}tasks +cat tasks\.json +every 5 min$/),
      expect.stringMatching(/^ {2}broken +sh -c .* every 5 min$/),
      '',
    ]);
  });

  it('lists first which vaults and sources it refreshes, which not, and why', async () => {
    const vault = temporaryFolder();
    const home = new SourcesHome({
      vaults: [{ name: 'house', path: vault }],
      sources: [
        GOOGLE_TASKS,
        { id: 'later', command: 'cat later.json' },
        { id: 'off', command: 'cat off.json', enabled: false },
        { id: 'piped', command: 'cat a.json | cat' },
      ],
    });
    await home.json('sources', 'approve', 'tasks');
    await home.json('sources', 'pause', 'house');
    const { sources } = await new WatchProcess(home.path).next(eventOf('watching'));
    expect(sources?.map(({ id, skipped }) => [id, skipped])).toEqual([
      ['house', 'paused: loci sources resume house'],
      ['tasks', null],
      ['later', 'waiting for approval: loci sources approve later'],
      ['off', 'disabled (enabled: false)'],
      ['piped', expect.stringMatching(/^broken: .*a shell/)],
    ]);
  });

  it('ends with exit code 0 when its output is closed', async () => {
    const home = new SourcesHome({ sources: [{ id: 'later', command: 'cat later.json' }] });
    const line = '{ "$0" "$1" watch --json; echo "it ended with $?" >&2; } | head -n 1';
    const { ended } = startLoci([], { home: home.path }, ['-c', line, process.execPath, MAIN], '/bin/sh');
    const { code, stdout, stderr } = await ended;
    expect([code, stderr]).toEqual([0, 'it ended with 0\n']);
    expect(JSON.parse(stdout)).toMatchObject({ event: 'watching' });
  });

  it('fails when there is nothing to refresh, and says what to do', async () => {
    const home = temporaryFolder();
    const { code, stderr } = await loci(['sources', 'watch'], { home });
    expect(code).toBe(3);
    expect(stderr).toMatch(/nothing to refresh.*\n.*`loci index PATH`.*docs\/sources\.md/);
    expect((await loci(['sources', 'watch', 'everything'], { home })).code).toBe(2);
  });
});
