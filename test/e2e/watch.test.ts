import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MAIN, startLoci, temporaryFolder } from './loci-command.ts';
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

  it('lists first the vaults and sources, and in which condition each is', async () => {
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
    expect(sources?.map(({ id, condition }) => [id, condition])).toEqual([
      ['house', 'paused'],
      ['tasks', 'new'],
      ['later', 'waiting for approval'],
      ['off', 'disabled'],
      ['piped', 'broken'],
    ]);
  });

  it('ends with exit code 0 when its output is closed', async () => {
    const home = new SourcesHome({ sources: [{ id: 'later', command: 'cat later.json' }] });
    const line = '{ "$0" "$1" sources watch --json; echo "it ended with $?" >&2; } | head -n 1';
    const { ended } = startLoci([], { home: home.path }, ['-c', line, process.execPath, MAIN], '/bin/sh');
    const { code, stdout, stderr } = await ended;
    expect([code, stderr]).toEqual([0, 'it ended with 0\n']);
    expect(JSON.parse(stdout)).toMatchObject({ event: 'watching' });
  });
});
