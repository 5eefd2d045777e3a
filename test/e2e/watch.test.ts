import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loci, MAIN, startLoci, temporaryFolder } from './loci-command.ts';
import { GOOGLE_TASKS, SourcesHome } from './sources-home.ts';
import { refreshed, told, WatchProcess } from './watch-process.ts';

const FAST = { ...GOOGLE_TASKS, refreshInterval: '100ms' };

describe('loci watch', () => {
  it('has a changed note found once it has said so', async () => {
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
      expect(await home.found(word)).toEqual([[null, expect.stringContaining(word)]]);
    }
    expect(await watch.stop('SIGINT')).toMatchObject({ code: 0, stderr: '' });
  });

  it('runs a source once it is approved, and again when it is due; what changed waits again', async () => {
    const home = new SourcesHome({
      sources: [FAST, { id: 'script', command: 'sh ./script.sh', refreshInterval: '100ms' }],
    });
    home.print('cat tasks.json', 'script.sh');
    const watch = new WatchProcess(home.path);
    expect((await watch.next(told('waiting', 'tasks'))).error).toMatchObject({
      code: 'not_approved',
      hint: expect.stringContaining('loci sources approve tasks'),
    });
    for (const id of ['tasks', 'script']) await home.json('sources', 'approve', id);
    expect(await watch.next(refreshed('tasks'))).toMatchObject({ added: 2 });
    await watch.next(refreshed('script'));
    home.print([{ id: 'tiles', text: 'Buy tiles at last' }]);
    const changed = await watch.next((event) => refreshed('tasks')(event) && event.updated === 1);
    expect(changed).toMatchObject({ removed: 1 });
    expect(await home.found('tiles')).toHaveLength(2);
    const before = watch.events.length;
    home.print('cat tasks.json; touch other', 'script.sh');
    expect((await watch.next(told('waiting', 'script'), before)).error?.message).toContain(
      'has changed since',
    );
    expect((await watch.stop()).code).toBe(0);
  });

  it('says once that a source waits, however often it looks, and keeps others from nothing', async () => {
    const home = new SourcesHome({
      sources: [FAST, { id: 'later', command: 'cat later.json', refreshInterval: '100ms' }],
    });
    await home.takeIn('tasks');
    const watch = new WatchProcess(home.path);
    // Each of these was a look at both.
    for (let seen = 0; watch.count(refreshed('tasks')) < 5; seen = watch.events.length)
      await watch.next(refreshed('tasks'), seen);
    expect(watch.count(told('waiting', 'later'))).toBe(1);
    expect(watch.count(told('failed', 'later'))).toBe(0);
    await watch.stop();
  });

  it('tells people in lines what happened, and on a terminal how everything is', async () => {
    const home = new SourcesHome({
      sources: [
        GOOGLE_TASKS,
        { id: 'broken', command: ['sh', '-c', 'echo "no \u001b[31mtoken" >&2; exit 3'] },
      ],
    });
    for (const id of ['tasks', 'broken']) await home.json('sources', 'approve', id);
    // Standard error passes for a terminal of 60 columns.
    const terminal = 'Object.assign(process.stderr, { isTTY: true, columns: 60 });';
    const node = ['--import', `data:text/javascript,${encodeURIComponent(terminal)}`, MAIN];
    const { child, ended } = startLoci(['watch'], { home: home.path }, node);
    onTestFinished(() => void child.kill('SIGKILL'));
    const status = Promise.withResolvers<undefined>();
    let shown = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      shown += chunk.toString();
      if (shown.includes('1 fresh · 1 failing · next ')) status.resolve(undefined);
    });
    void ended.then(() => status.reject(new Error(`it ended and had shown: ${shown}`)));
    await status.promise;
    child.kill('SIGINT');
    const { code, stdout, stderr } = await ended;
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => line.replace(/^\d\d:\d\d:\d\d /, '')).toSorted()).toEqual([
      'broken: the command ended with exit code 3: no token',
      'tasks: 2 added',
    ]);
    expect(stderr).toMatch(/^Loci keeps vaults and sources fresh; Ctrl-C stops it\.\n/);
    // Each drawing takes the place of the one before, and nothing of it is left.
    expect(stderr.endsWith('\r\u001b[2K')).toBe(true);
    for (const drawn of stderr.split('\r\u001b[2K'))
      expect(drawn.split('\n').at(-1)?.length).toBeLessThan(60);
  });

  it('says at first what it keeps fresh, what it does not, and why', async () => {
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
    const { sources } = await new WatchProcess(home.path).next(told('watching'));
    expect(sources?.map(({ id, skipped }) => [id, skipped])).toEqual([
      ['house', 'paused: loci sources resume house'],
      ['tasks', null],
      ['later', 'waiting for approval: loci sources approve later'],
      ['off', 'switched off (enabled: false)'],
      ['piped', expect.stringMatching(/^broken: .*a shell/)],
    ]);
  });

  it('keeps to changed settings, and to the former ones while they are broken', async () => {
    const home = new SourcesHome({ sources: [FAST] });
    await home.takeIn('tasks');
    const watch = new WatchProcess(home.path);
    await watch.next(refreshed('tasks'));
    home.configure('sources: [');
    expect((await watch.next(told('settings'))).error).toMatchObject({ code: 'invalid_config' });
    home.print([{ id: 'tiles', text: 'Buy tiles at last' }]);
    await watch.next((event) => refreshed('tasks')(event) && event.updated === 1);
    const before = watch.events.length;
    home.configure({ sources: [FAST, { ...FAST, id: 'more', command: 'cat more.json' }] });
    expect((await watch.next(told('settings'), before)).error).toBeUndefined();
    expect((await watch.next(told('watching'), before)).sources).toMatchObject([
      { id: 'tasks', skipped: null },
      { id: 'more', skipped: 'waiting for approval: loci sources approve more' },
    ]);
    await watch.next(refreshed('tasks'), watch.events.length);
    expect(watch.count((event) => event.event === 'settings' && event.error !== undefined)).toBe(1);
    expect((await watch.stop()).code).toBe(0);
  });

  it('ends quietly once nobody reads any more what it says', async () => {
    const home = new SourcesHome({ sources: [{ id: 'later', command: 'cat later.json' }] });
    const line = '{ "$0" "$1" watch --json; echo "it ended with $?" >&2; } | head -n 1';
    const { ended } = startLoci([], { home: home.path }, ['-c', line, process.execPath, MAIN], '/bin/sh');
    const { code, stdout, stderr } = await ended;
    expect([code, stderr]).toEqual([0, 'it ended with 0\n']);
    expect(JSON.parse(stdout)).toMatchObject({ event: 'watching' });
  });

  it('says what to do where there is nothing to keep fresh', async () => {
    const home = temporaryFolder();
    const { code, stderr } = await loci(['watch'], { home });
    expect(code).toBe(3);
    expect(stderr).toMatch(/nothing to keep fresh.*\n.*`loci index PATH`.*docs\/sources\.md/);
    expect((await loci(['watch', 'everything'], { home })).code).toBe(2);
  });
});
