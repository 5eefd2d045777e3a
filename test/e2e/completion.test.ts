import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../src/operations/registry.ts';
import { STANDALONE_COMMANDS } from '../../src/surfaces/cli/standalone-commands.ts';
import { commandWords } from '../../src/surfaces/shared/command-names.ts';
import { loci, MAIN, temporaryFolder } from './loci-command.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

const scripts = new Map<Shell, string>();
let folder: string;

const isInstalled = (shell: Shell): boolean => spawnSync(shell, ['-c', 'true']).status === 0;

beforeAll(async () => {
  folder = temporaryFolder();
  const home = join(folder, 'home');
  for (const shell of SHELLS) {
    const { code, stdout } = await loci(['config', 'completion', shell], { home });
    expect(code).toBe(0);
    scripts.set(shell, join(folder, `loci.${shell}`));
    writeFileSync(scripts.get(shell)!, stdout);
  }
  mkdirSync(join(folder, 'work'));
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin', 'loci'), `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`, {
    mode: 0o755,
  });
  writeFileSync(join(folder, 'work', 'my notes.md'), '');
});

/** What a shell offers for the last of the words, sorted. */
function offered(shell: Shell, ...words: readonly string[]): string[] {
  const [program, ...args] = [...INTERPRETERS[shell], ...words];
  const output = execFileSync(program!, args, {
    cwd: join(folder, 'work'),
    encoding: 'utf8',
    env: { ...process.env, PATH: [join(folder, 'bin'), process.env['PATH']].join(delimiter) },
  });
  return output
    .split('\n')
    .filter((line) => line !== '')
    .toSorted();
}

/** How each shell is asked, with the words as its arguments. */
const INTERPRETERS: Record<Shell, readonly string[]> = {
  bash: [
    ...['bash', '--norc', '-c'],
    // eslint-disable-next-line no-template-curly-in-string -- a variable of bash
    'source ../loci.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _loci; printf "%s\\n" "${COMPREPLY[@]}"',
    'bash',
  ],
  // The builtins of completion work only in the line editor, so these functions take their place and print.
  zsh: [
    ...['zsh', '-f', '-c'],
    `compdef() { }
     compset() { PREFIX=\${PREFIX#*=} }
     compadd() { shift; for each in "$@"; [[ $each == $PREFIX* ]] && print -r -- $each; true }
     _describe() { for each in "\${(@P)@[-1]}"; [[ $each == $PREFIX* ]] && print -r -- \${each%%:*}; true }
     _files() { print -rl -- *(N) }
     source ../loci.zsh; words=("$@"); CURRENT=$#; PREFIX=\${words[-1]}; _loci`,
    'zsh',
  ],
  fish: [
    ...['fish', '--no-config', '-c'],
    `source ../loci.fish
     complete -C (string join -- ' ' $argv) | string replace -r '\\t.*' '' | string replace -r '^--[\\w-]+=' ''; true`,
  ],
};

describe.each(SHELLS)('completion in %s', (shell) => {
  const test = it.runIf(isInstalled(shell));

  test('offers every command, and the subcommands of a group', () => {
    const commands = [
      ...OPERATIONS.map(({ name }) => commandWords(name)),
      ...STANDALONE_COMMANDS.map(({ name }) => name.split(' ')),
    ];
    const first = new Set(['help', ...commands.map(([word]) => word)]);
    expect(offered(shell, 'loci', '')).toEqual([...first].toSorted());
    expect(offered(shell, 'loci', 'sources', 're')).toEqual(['refresh', 'remove', 'resume']);
    expect(offered(shell, 'loci', '--json', '--home', 'fact', 'startup', 'pre')).toEqual(['preview']);
  });

  test('offers the options of a command, and the choices of an option or operand', () => {
    expect(offered(shell, 'loci', 'search', '--ex')).toEqual(['--explain']);
    const options = offered(shell, 'loci', 'fact', 'list', '--');
    expect([options.includes('--prefix'), options.includes('--explain')]).toEqual([true, false]);
    const origins = offered(shell, 'loci', 'search', '--origin', '');
    expect(origins.join(' ')).toBe('audit fact memory source vault');
    const withEquals = shell === 'bash' ? ['--origin', '=', 'fa'] : ['--origin=fa'];
    expect(offered(shell, 'loci', 'search', ...withEquals)).toEqual(['fact']);
    expect(offered(shell, 'loci', 'mcp', 'config', 'cl')).toEqual(['claude-code', 'claude-desktop']);
  });

  test('offers files where a file is expected', () => {
    expect(offered(shell, 'loci', 'index', '')).toEqual(['my notes.md']);
    expect(offered(shell, 'loci', 'search', '--limit', '')).toEqual([]);
  });
});

it('a shell that is not known is refused, with those that are', async () => {
  const options = { home: join(folder, 'home') };
  expect(await loci(['config', 'completion', 'tcsh'], options)).toMatchObject({
    code: 2,
    stderr: 'loci: loci has no completion for tcsh\n      Name one of these shells: bash, zsh, fish.\n',
  });
  expect((await loci(['config', 'completion'], options)).stderr).toContain('SHELL is missing');
});

it('the line of the documentation sets completion up in bash', async () => {
  const { stdout: help } = await loci(['config', 'completion', '--help'], { home: join(folder, 'home') });
  expect(help).toContain('  eval "$(loci config completion bash)"\n');
  const line = 'loci() { cat ../loci.bash; }; eval "$(loci config completion bash)"; complete -p loci';
  const output = execFileSync('bash', ['--norc', '-c', line], {
    cwd: join(folder, 'work'),
    encoding: 'utf8',
  });
  expect(output).toBe('complete -F _loci loci\n');
});
