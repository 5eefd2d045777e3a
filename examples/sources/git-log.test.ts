import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXAMPLES, runProgram } from './run-program.ts';

describe('git-log.mjs', () => {
  let folder: string;
  let ids: readonly string[];

  function git(...args: readonly string[]): string {
    const people = { GIT_AUTHOR_NAME: 'Ngozi "N" Okafor', GIT_AUTHOR_EMAIL: 'ngozi@cormorant.example' };
    const dates = {
      GIT_AUTHOR_DATE: '2026-11-20T10:00:00+01:00',
      GIT_COMMITTER_DATE: '2026-11-21T10:00:00Z',
    };
    const env = {
      ...{ PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
      ...{ ...people, ...dates, GIT_COMMITTER_NAME: 'n', GIT_COMMITTER_EMAIL: 'n' },
    };
    return execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8', env }).trim();
  }

  const commit = (message: string) =>
    git('commit', '--quiet', '--allow-empty', '--cleanup=verbatim', '-m', message);

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'loci-git-'));
    git('init', '--quiet');
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('prints nothing for a repository without commits', async () => {
    expect(await runProgram('git-log.mjs', [folder])).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  it('prints commits with any message', async () => {
    commit('Add the "tide" \\ table\n\nIt counts\tfrom noon.\n');
    commit('Odd \u{1f}, "},\n{"id":"x"} and \u{1b}[31m');
    commit('Étage 函館');
    ids = git('log', '--format=%H').split('\n');
    const { code, documents, stderr } = await runProgram('git-log.mjs', [folder]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(documents.map(({ id }) => id)).toEqual(ids);
    expect(documents.map(({ title }) => title)).toEqual([
      'Étage 函館',
      'Odd  , "},',
      'Add the "tide" \\ table',
    ]);
    expect(documents[2]).toEqual({
      id: ids[2],
      title: 'Add the "tide" \\ table',
      text: 'Add the "tide" \\ table · Ngozi "N" Okafor, Fri 20 Nov 2026\nIt counts\tfrom noon.',
      timestamp: '2026-11-20T10:00:00+01:00',
      metadata: { author: 'Ngozi "N" Okafor', repository: basename(folder), commit: ids[2]?.slice(0, 10) },
    });
  });

  it('prints at most --limit commits of the current folder, without merges', async () => {
    git('checkout', '--quiet', '-b', 'side', 'HEAD~1');
    commit('Side');
    git('merge', '--quiet', '--no-edit', '-m', 'Merge', '@{-1}');
    const all = await runProgram('git-log.mjs', [], { cwd: folder });
    expect(all.documents).toHaveLength(4);
    expect(all.documents.map(({ title }) => title)).not.toContain('Merge');
    const two = await runProgram('git-log.mjs', ['--limit', '2'], { cwd: folder });
    expect(two.documents).toEqual(all.documents.slice(0, 2));
  });

  it('exits with 1 without a repository, and with 2 for a wrong command line', async () => {
    const missing = await runProgram('git-log.mjs', [join(folder, 'missing')]);
    expect(missing).toMatchObject({ code: 1, stdout: '' });
    expect(missing.stderr).toMatch(/^git-log: .*missing: cannot change to /);
    expect(await runProgram('git-log.mjs', ['--upload-pack=x'])).toMatchObject({ code: 2, stdout: '' });
    expect(await runProgram('git-log.mjs', ['a', 'b'])).toMatchObject({ code: 2, stdout: '' });
    expect(await runProgram('git-log.mjs', ['--help'], { cwd: EXAMPLES })).toMatchObject({ code: 0 });
  });
});
