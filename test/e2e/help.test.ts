import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../src/operations/registry.ts';
import { HELP_GROUPS } from '../../src/surfaces/cli/program.ts';
import { STANDALONE_COMMANDS } from '../../src/surfaces/cli/standalone-commands.ts';
import { commandWords, RENAMED_COMMANDS } from '../../src/surfaces/shared/command-names.ts';
import { loci, lociJson, ROOT, startLoci, temporaryFolder } from './loci-command.ts';

describe('help', () => {
  const home = join(temporaryFolder(), 'home');

  it('lists every command, and every command has options and examples', async () => {
    const { code, stdout } = await loci(['--help'], { home });
    expect(code).toBe(0);
    for (const { name, summary } of OPERATIONS) {
      const words = commandWords(name);
      if (words.length === 1) expect(stdout).toMatch(new RegExp(`^  ${name} +\\w`, 'm'));
      const help = await loci([...words, '--help'], { home });
      expect(help.code).toBe(0);
      expect(help.stdout).toContain(`Usage: loci ${words.join(' ')}`);
      expect(help.stdout).toContain('\nExamples:\n  # ');
      expect(help.stdout).toContain('--json');
      expect(summary).toMatch(/^[a-z].*[^.]$/);
    }
    expect((await loci(['config', '--help'], { home })).stdout).toMatch(/show.*\n.*get.*\n.*set/);
    expect((await loci(['help', 'search'], { home })).stdout).toContain('--min-score');
  });

  it('of `loci` alone is short, and leads to the whole help', async () => {
    const { code, stdout } = await loci([], { home });
    expect([code, stdout.trimEnd().split('\n').length <= 15]).toEqual([0, true]);
    expect(stdout).toContain('`loci --help` lists all commands');
    const commands = [...stdout.matchAll(/^ {2}loci (\w+)/gm)].map(([, word]) => word);
    const all = (await loci(['--help'], { home })).stdout;
    for (const word of commands) expect(all).toMatch(new RegExp(`^  ${word!} `, 'm'));
  });

  it('lists the commands in groups, and every command in one of them', async () => {
    const { stdout } = await loci(['--help'], { home });
    const groups = new Map(
      [...stdout.matchAll(/^([A-Z][\w ]+:)\n((?: {2,}.*\n)+)/gm)].map(([, heading, lines]) => [
        heading,
        [...lines!.matchAll(/^ {2}([a-z][\w-]*)/gm)].map((match) => match[1]),
      ]),
    );
    const headings = [...groups.keys()].filter((heading) => heading! in HELP_GROUPS);
    expect(headings).toEqual(Object.keys(HELP_GROUPS));
    const words = new Set([
      ...OPERATIONS.map(({ name }) => commandWords(name)[0]!),
      ...STANDALONE_COMMANDS.map(({ name }) => name.split(' ')[0]!),
    ]);
    expect(words.size).toBeLessThanOrEqual(28);
    const expected = Object.entries(HELP_GROUPS).map(([heading, listed]) => [
      heading,
      heading === 'More commands:' ? [...listed, 'help'] : listed,
    ]);
    expect(headings.map((heading) => [heading, groups.get(heading)])).toEqual(expected);
    expect(words).toEqual(new Set(Object.values(HELP_GROUPS).flat()));
    expect(stdout.match(/^ +--json /gm)).toHaveLength(1);
    expect(stdout).not.toContain('\nCommands:');
  });

  it.each([
    ['audit', '--limit', '3'],
    ['--home', 'x', 'token', 'list'],
    ['forget-vault', 'notes'],
    ['watch'],
  ])('names the present name of a command that had another: %s', async (...args) => {
    const name = args.find((word) => Object.hasOwn(RENAMED_COMMANDS, word))!;
    const { code, stderr } = await loci(args, { home });
    expect([code, stderr]).toEqual([2, expect.stringContaining(`\`loci ${RENAMED_COMMANDS[name]!}\``)]);
  });

  it('prints the version, with --json also what a report of a bug needs', async () => {
    const { version } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { version: string };
    for (const args of [['--version'], ['-V'], ['--home', home, '-V']])
      expect(await loci(args, { home })).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
    const { node, sqlite } = process.versions;
    const { platform, arch } = process;
    for (const args of [['--version'], ['-V']])
      expect(await lociJson(args, { home })).toEqual({
        ...{ version, node, sqlite, platform, arch },
        model: 'all-MiniLM-L6-v2',
      });
    expect(existsSync(home)).toBe(false);
  });

  it('loads no operations', async () => {
    const { stdout } = await loci(['--version'], { home });
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    const script = `
      import { runCli } from '${ROOT}src/surfaces/cli/run-cli.ts';
      import { OPERATIONS } from '${ROOT}src/operations/registry.ts';
      import { registerHooks } from 'node:module';
      const loaded = [];
      registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
      await runCli(['--help'], OPERATIONS, { ...process, stdout: { write: () => true } });
      console.log(JSON.stringify(loaded.filter((url) => !url.startsWith('node:'))));`;
    const { ended } = startLoci([], { home }, ['--input-type=module', '--eval', script]);
    expect(JSON.parse((await ended).stdout)).toEqual([]);
  });
});
