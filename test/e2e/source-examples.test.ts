import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { SourcesListOutput, SourcesRefreshOutput } from '../../src/engine/reading/source-schemas.ts';
import { ROOT, temporaryFolder } from './loci-command.ts';
import { SourcesHome } from './sources-home.ts';

const EXAMPLES = join(ROOT, 'examples/sources');
/** A time within the dates of the sample data. */
const NOW = ' --now 2026-11-22T12:00:00Z';

interface Entry extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly command: string;
}

/** The settings in README.md, with the paths of this machine. */
function settingsOfReadme(): {
  readonly sources: readonly Entry[];
  readonly skills: readonly { path: string }[];
} {
  const readme = readFileSync(join(EXAMPLES, 'README.md'), 'utf8');
  const blocks = [...readme.matchAll(/^```yaml\n(.*?)^```$/gms)].map(
    ([, text = '']) => parse(text) as { readonly sources?: Entry[]; readonly skills?: { path: string }[] },
  );
  const sources = blocks.flatMap(({ sources = [] }) => sources);
  return {
    sources: sources.map((entry) => ({ ...entry, command: commandOf(entry), cwd: EXAMPLES })),
    skills: blocks
      .flatMap(({ skills = [] }) => skills)
      .map(({ path }) => ({ path: path.replace('~/loci/', ROOT) })),
  };
}

function commandOf({ id, command }: Entry): string {
  if (id === 'tidewater-commits') return command.replace('git-log.mjs .', `git-log.mjs ${repository()}`);
  if (id === 'taskwarrior') return 'cat data/taskwarrior.json';
  return id === 'calendar' || id === 'mail' ? command + NOW : command;
}

/** A repository with a commit, because this folder may not be a repository. */
function repository(): string {
  const folder = temporaryFolder();
  const git = (...args: readonly string[]): unknown =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], {
      cwd: folder,
    });
  git('init', '--quiet');
  git('commit', '--quiet', '--allow-empty', '--no-gpg-sign', '-m', 'Measure the hinges twice');
  return folder;
}

const SEARCHES: readonly (readonly [id: string, query: string, from: string, text: string])[] = [
  ['calendar', 'dentist children', 'From Calendar · ', 'Dentist, both children'],
  ['todo', 'tile samples', 'From Todo.txt · ', 'Buy tile samples from Home Depot'],
  ['taskwarrior', 'smoke alarm', 'From Taskwarrior · ', 'It must be the interlinked kind'],
  ['council', 'water off', 'From Council notices · ', 'while a valve is replaced'],
  ['tidewater-commits', 'hinges', 'From Tidewater commits · ', 'Measure the hinges twice'],
  ['mail', 'cabinets hall', 'From Mail · ', 'Cabinets on Monday, please clear the hall'],
  ['reading-list', 'Quiet Ledger', 'From Reading list · ', 'The Quiet Ledger'],
];

describe('the examples of sources', () => {
  const settings = settingsOfReadme();
  const ids = [...settings.sources.map(({ id }) => id), 'reading-list'];
  let home: SourcesHome;
  let refreshed: SourcesRefreshOutput['sources'];

  beforeAll(async () => {
    home = new SourcesHome({ ...settings });
    const { sources } = await home.json<SourcesListOutput>('sources', 'list');
    expect(sources.map(({ id, condition }) => [id, condition])).toEqual(
      ids.map((id) => [id, 'waiting for approval']),
    );
    for (const id of ids) await home.json('sources', 'approve', id);
    refreshed = (await home.json<SourcesRefreshOutput>('sources', 'refresh')).sources;
  });

  it('are all refreshed without problems', () => {
    expect(refreshed.map(({ id }) => id)).toEqual(ids);
    for (const { id, added, problems } of refreshed)
      expect([id, problems, added > 0]).toEqual([id, [], true]);
  });

  it.each(SEARCHES)('%s is found by search, with its origin', async (id, query, from, text) => {
    const found = await home.search(query, '--source', id);
    expect(found.length).toBeGreaterThan(0);
    expect(found[0]?.[0]?.startsWith(from)).toBe(true);
    expect(found.map(([, snippet]) => snippet).join('\n')).toContain(text);
  });
});
