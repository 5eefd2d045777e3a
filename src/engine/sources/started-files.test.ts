/* eslint no-template-curly-in-string: off -- lines for a shell */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/contract/engines.ts';
import { startedFiles, unwatchedOf } from './started-files.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;

beforeEach(async () => {
  folder = await temporaryFolder();
});

afterEach(() => folder[Symbol.asyncDispose]());

async function write(name: string, text = '', mode = 0o644): Promise<void> {
  const path = join(folder.path, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  await chmod(path, mode);
}

/** Which files of the folder a command starts, and what of it cannot be watched. */
async function started(
  argv: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<{ files: string[]; unwatched: string[] }> {
  const [program = '', ...args] = argv;
  const given = { HOME: join(folder.path, 'home'), PATH: '/usr/bin:/bin', ...env };
  const files = await startedFiles(`/usr/bin/${program}`, args, { cwd: folder.path, env: given }).catch(
    () => {
      throw new Error(`there is no ${program} here`);
    },
  );
  const own = files.filter(({ path }) => path.startsWith(`${folder.path}/`));
  return { files: own.map(({ path }) => path.slice(folder.path.length + 1)), unwatched: unwatchedOf(files) };
}

function inShell(line: string, env?: NodeJS.ProcessEnv): ReturnType<typeof started> {
  return started(['sh', '-c', line], env);
}

describe('what a command starts', () => {
  // `env` stands before interpreters, which need not be where the test expects a program.
  it.each([
    ['node -r ./setup main data', ['main', 'setup.js']],
    ['node --require ./setup.js main data', ['main', 'setup.js']],
    ['node --require=./setup main data', ['main', 'setup.js']],
    ['node --import ./hook --no-warnings main data', ['hook', 'main']],
    ['node --env-file hook main data', ['hook', 'main']],
    ['node --unknown hook main data', ['hook', 'main']],
    ['node -e 0 -r ./hook data', ['hook']],
    ['node main -r data', ['main']],
    ['python3 -u main data', ['main']],
    ['python3 -m pack.age data', ['pack/age.py']],
    ['python3 -c 0 data', []],
    ['perl -Mlocale main data', ['main']],
    ['sh -eu main data', ['main']],
    ['bash -o pipefail main data', ['main']],
    ['bash --rcfile hook main data', ['hook', 'main']],
    ['timeout 5 sh main data', ['main']],
    ['awk {print} data', []],
    ['awk -f main data', ['main']],
    ['find . -exec sh main {} ;', ['main']],
    ['-C sub ./run', ['sub/run']],
    ['-S sh<main', ['main']],
    ['make', ['Makefile']],
    ['make -C sub', ['Makefile', 'sub/Makefile']],
  ])('of %s', async (line, files) => {
    for (const name of ['main', 'hook', 'data', 'setup.js', 'pack/age.py', 'Makefile', 'sub/Makefile'])
      await write(name);
    await write('sub/run', '', 0o755);
    expect(await started(['env', ...line.split(' ')])).toEqual({ files, unwatched: [] });
  });

  it('of a folder is what its package.json names', async () => {
    const names = ['package.json', 'index.js', 'app.cjs', 'lib/one.js', 'lib/two.mjs'].map(
      (name) => `app/${name}`,
    );
    for (const name of [...names, 'app/other.js']) await write(name);
    const exports = { '.': { import: './lib/two.mjs', default: ['./lib/one.js'] }, './none': './none.js' };
    await write('app/package.json', JSON.stringify({ main: 'app.cjs', exports }));
    expect((await started(['env', 'node', 'app'])).files).toEqual(names.toSorted());
    await write('app/package.json', JSON.stringify({ main: './lib/one' }));
    const fewer = ['app/index.js', 'app/lib/one.js', 'app/package.json'];
    expect((await started(['env', 'node', './app'])).files).toEqual(fewer);
    for (const broken of ['{', 'null', '7', '{"main":7,"exports":null}']) {
      await write('app/package.json', broken);
      expect((await started(['env', 'node', 'app'])).files).toEqual(['app/index.js', 'app/package.json']);
    }
    expect((await started(['env', 'ls', 'app'])).files).toEqual([]);
  });
});

describe('what a line for a shell starts', () => {
  beforeEach(async () => {
    for (const name of ['run', 'sub/run', 'sub/deep/run', 'home/bin/x', 'my script', 'bin/tool'])
      await write(name, '', 0o755);
    for (const name of ['tasks', 'data.json', 'sub/tasks', 'a b']) await write(name);
  });

  it.each([
    ['cd sub && ./run', ['run', 'sub/run']],
    ['cd sub; cd deep; ./run', ['run', 'sub/deep/run', 'sub/run']],
    ['(cd "$PWD/sub" && sh tasks)', ['sub/tasks', 'tasks']],
    ['$HOME/bin/x', ['home/bin/x']],
    ['"${HOME}/bin/x" | cat', ['home/bin/x']],
    ['~/bin/x data.json', ['home/bin/x']],
    ['$LENT/bin/tool', ['bin/tool']],
    ['D=bin; if true; then ./$D/tool; fi', ['bin/tool']],
    ['export D=$LENT/bin && "$D"/tool', ['bin/tool']],
    ['PATH=$LENT/bin:$PATH; tool', ['bin/tool']],
    ['"./my script"', ['my script']],
    ["'./my script' data.json", ['my script']],
    ['./my\\ script 2>&1 >data.json', ['my script']],
    ['echo "$(sh ./tasks)" `./run`', ['run', 'tasks']],
    ['echo ${X:-$(sh tasks)} # ./run it', ['run', 'tasks']],
    ['sh < tasks', ['tasks']],
    ['while true; do . ./tasks; done', ['tasks']],
    ['sh -c "sh \'a b\'" data.json', ['a b']],
    ['eval "sh tasks"', ['tasks']],
    ["trap 'sh tasks' EXIT", ['tasks']],
    ['W="sh tasks"; $W', ['tasks']],
    ['timeout 5 sh tasks < data.json', ['tasks']],
    ['for f in 1 2; do cat data.json; done', []],
    ['case $1 in a*) cat data.json;; *) cat;; esac', []],
    ["jq '.[] | {id, text}' data.json | grep -v '$x' > tasks", []],
    ['[ -f data.json ] && cat data.json "$@"', []],
    ['echo $((1 + $n)) {a,b} *.json', []],
  ])('of %s', async (line, files) => {
    expect(await inShell(line, { LENT: folder.path })).toEqual({ files, unwatched: [] });
  });

  it.each([
    ['$(cat data.json | tr a b)', '$(…)'],
    ['`cat data.json`', '`…`'],
    ['$NOT_LENT/bin/tool', '$NOT_LENT/bin/tool'],
    ['cat data.json; "$1"', '"$1"'],
    ['${X:-secret} data.json', '${…}'],
    ['node "$SCRIPT"', '"$SCRIPT"'],
    ['timeout 5 $TOOL', '$TOOL'],
    ['sh ./*.sh', './*.sh'],
    ['. $SETTINGS', '$SETTINGS'],
    ['eval "$LINE"', 'eval "$LINE"'],
    ['cd $WHERE && ./tool', 'cd $WHERE'],
    ['sh -c "$LINE"', '"$LINE"'],
    ['D=a; D=b; $D/run', '$D/run'],
    ['for f in a b; do $f; done', '$f'],
    ['cat data.json | sh', '… | sh'],
    ['PATH=$(pwd) tool', 'PATH=…'],
  ])('that only the shell will know is told: %s', async (line, told) => {
    expect((await inShell(line)).unwatched).toEqual([told]);
  });

  it.each([
    ['brackets', '('.repeat(100_000)],
    ['substitutions', '$('.repeat(50_000)],
    ['quotes', '"$('.repeat(50_000)],
    ['values', '${a-$' + '{'.repeat(50_000)],
    ['commands', 'a;'.repeat(50_000)],
    ['words', 'a '.repeat(100_000)],
    ['folders', Array.from({ length: 100 }, (_, i) => `cd f${String(i)};`).join('')],
    ['lines', 'eval '.repeat(10_000)],
    ['wrappers', 'env '.repeat(10_000)],
  ])('is looked for within bounds: too many %s', async (_, line) => {
    expect((await inShell(line)).unwatched).not.toEqual([]);
  });
});
