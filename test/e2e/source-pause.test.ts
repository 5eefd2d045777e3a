import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SourcesPauseOutput } from '../../src/engine/reading/source-schemas.ts';
import { startLoci } from './loci-command.ts';
import { GOOGLE_TASKS, SourcesHome } from './sources-home.ts';

/** Pauses, pauses again, resumes and resumes again. Returns what is printed each time. */
async function texts(home: SourcesHome, name = 'tasks'): Promise<string[]> {
  const printed: string[] = [];
  for (const operation of ['pause', 'pause', 'resume', 'resume']) {
    const { code, stdout, stderr } = await home.run(['sources', operation, name]);
    expect([operation, code, stderr]).toEqual([operation, 0, '']);
    printed.push(stdout);
  }
  return printed;
}

const PAUSED = 'Paused tasks until `loci sources resume tasks`.';
const STAYS = 'tasks was paused before, and stays so until `loci sources resume tasks`.';

describe('pausing and resuming a source', () => {
  it('says what it did, also by its display name', async () => {
    const home = new SourcesHome();
    await home.approveAndRefresh('tasks');
    const expected = [PAUSED, STAYS, 'Resumed tasks.', 'tasks is not paused.'].map((line) => `${line}\n`);
    expect(await texts(home)).toEqual(expected);
    expect(await texts(home, 'Google Tasks')).toEqual(expected);
    const pause = () => home.json<SourcesPauseOutput>('sources', 'pause', 'tasks');
    expect(await pause()).toMatchObject({ paused: true, changed: true, source: { condition: 'paused' } });
    expect(await pause()).toMatchObject({ paused: true, changed: false });
  });

  it.each([
    [
      'disabled',
      { enabled: false },
      'It is disabled in the settings, so that it is not refreshed in any case.',
    ],
    ['not approved', {}, 'It does not run before `loci sources approve tasks`.'],
    ['broken', { command: 'no-such-program' }, 'It cannot run: `loci sources show tasks` says why.'],
  ])('works while the source is %s, and says so', async (_, settings, note) => {
    const home = new SourcesHome({ sources: [{ ...GOOGLE_TASKS, ...settings }] });
    expect((await texts(home))[0]).toBe(`${PAUSED} ${note}\n`);
    await home.run(['sources', 'pause', 'tasks']);
    home.configure({ sources: [GOOGLE_TASKS] });
    await home.json('sources', 'approve', 'tasks');
    expect(await home.conditions()).toEqual([['tasks', 'paused']]);
  });

  it('works while the source fails', async () => {
    const home = new SourcesHome();
    await home.approveAndRefresh('tasks');
    home.writeOutput('no JSON');
    await home.run(['sources', 'refresh']);
    expect((await texts(home)).slice(2)).toEqual([
      'Resumed tasks. Its last attempt failed: `loci sources show tasks` says why.\n',
      'tasks is not paused. Its last attempt failed: `loci sources show tasks` says why.\n',
    ]);
  });

  it('works while the source runs, and the running refresh ends', async () => {
    const home = new SourcesHome();
    const pipe = join(home.path, 'tasks.json');
    rmSync(pipe);
    execFileSync('mkfifo', [pipe]);
    chmodSync(pipe, 0o600);
    home.configure({ sources: [{ ...GOOGLE_TASKS, command: 'sh -c "cat tasks.json"' }] });
    await home.json('sources', 'approve', 'tasks');
    const refresh = startLoci(['sources', 'refresh', 'tasks'], { home: home.path });
    // Opening the pipe waits until the command reads it.
    const file = await open(pipe, 'w');
    expect((await home.run(['sources', 'pause', 'tasks'])).stdout).toBe(`${PAUSED}\n`);
    await file.writeFile('[{"id":"tiles","text":"Buy tile samples"}]');
    await file.close();
    expect((await refresh.ended).code).toBe(0);
    expect(await home.conditions()).toEqual([['tasks', 'paused']]);
    expect(await home.search('tile samples')).toHaveLength(1);
  });
});
