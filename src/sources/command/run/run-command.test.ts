import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAlive } from '../../../../test/contract/alive.ts';
import { LociError } from '../../../core/errors.ts';
import { commandEnvironment } from '../command.ts';
import { type CommandRequest, runCommand } from './run-command.ts';

let folder = '';
const startedPids: number[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loci-run-'));
});
afterAll(async () => {
  for (const pid of startedPids) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  await rm(folder, { recursive: true });
});

const env = commandEnvironment(process.env, []);

function shell(line: string, more: Partial<CommandRequest> = {}): CommandRequest {
  return { argv: ['/bin/sh', '-c', line], cwd: folder, env, timeout: 30_000, ...more };
}

async function textOf(output: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of output) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function failureOf(request: CommandRequest, read = textOf): Promise<LociError> {
  const outcome = await runCommand(request, read).catch((error: unknown) => error);
  expect(outcome).toBeInstanceOf(LociError);
  return outcome as LociError;
}

async function becomesTrue(
  milliseconds: number,
  condition: () => boolean | Promise<boolean>,
): Promise<boolean> {
  const end = performance.now() + milliseconds;
  while (performance.now() < end) {
    if (await condition()) return true;
    await delay(10);
  }
  return false;
}

/** The process ids that a script wrote to a file, one on each line. */
async function pidsIn(file: string): Promise<number[]> {
  const pids = (await readFile(join(folder, file), 'utf8')).trim().split('\n').map(Number);
  startedPids.push(...pids);
  return pids;
}

describe('running a command', () => {
  it.each([
    [
      `exec ${process.execPath} missing/tasks.js`,
      /^the command ended with exit code 1: Error: Cannot find module '.*missing\/tasks\.js'$/,
    ],
    [
      `printf 'Traceback\\n  File "a.py"\\nModuleNotFoundError: No module named x\\n\\nmore\\nhints\\n' >&2; exit 1`,
      /^the command ended with exit code 1: ModuleNotFoundError: No module named x$/,
    ],
  ])('quotes the error of a stack trace: %s', async (line, message) => {
    expect((await failureOf(shell(line))).message).toMatch(message);
  });

  it('returns standard output, and separately the end of standard error', async () => {
    const run = await runCommand(shell('printf one; printf two >&2; printf three'), textOf);
    expect(run).toMatchObject({ result: 'onethree', bytes: 8, stderr: 'two' });
  });

  it('uses the given folder and environment, with an empty standard input', async () => {
    const line = 'pwd -P; echo "$ONLY"; echo "user:$USER"; cat; test -t 0 && echo terminal; true';
    const custom = { PATH: env['PATH'], ONLY: 'this' };
    const { result } = await runCommand(shell(line, { env: custom }), textOf);
    const { stdout } = await promisify(execFile)('pwd', ['-P'], { cwd: folder });
    expect(result).toBe(`${stdout}this\nuser:\n`);
  });

  it('looks up programs in the PATH of the given environment, and paths from the given folder', async () => {
    await mkdir(join(folder, 'programs'));
    await writeFile(join(folder, 'programs', 'custom-tool'), '#!/bin/sh\necho "$1"\n');
    await chmod(join(folder, 'programs', 'custom-tool'), 0o755);
    const argv = ['custom-tool', 'a b $c'];
    const custom = { PATH: join(folder, 'programs') };
    expect((await runCommand(shell('', { argv, env: custom }), textOf)).result).toBe('a b $c\n');
    const bySlash = shell('', { argv: ['./programs/custom-tool', '*'] });
    expect((await runCommand(bySlash, textOf)).result).toBe('*\n');
    const missing = await failureOf(shell('', { argv, env: { PATH: '/nowhere:/else' } }));
    expect(missing.message).toBe('there is no program custom-tool in PATH (/nowhere:/else)');
  });

  it('reports which program or folder is missing or may not be used', async () => {
    await writeFile(join(folder, 'plain.sh'), '#!/bin/sh\n');
    await writeFile(join(folder, 'bad.sh'), '#!/no/such/interpreter\n');
    await chmod(join(folder, 'bad.sh'), 0o755);
    const messages = [
      [['./nothing.sh'], `there is no program ./nothing.sh in ${folder}`],
      [['./plain.sh'], `cannot run ./plain.sh in ${folder}: it is not executable`],
      [
        ['./bad.sh'],
        `could not start ./bad.sh in ${folder}: its first line names an interpreter that does not exist`,
      ],
    ] as const;
    for (const [argv, message] of messages)
      expect(await failureOf(shell('', { argv }))).toMatchObject({ code: 'source_failed', message });
    for (const cwd of [join(folder, 'gone'), join(folder, 'plain.sh')])
      expect((await failureOf(shell('true', { cwd }))).message).toContain(cwd);
  });

  it('reports an exit code or signal, with the last lines of standard error', async () => {
    const exit = await failureOf(shell(String.raw`printf '\033[1mone\033[0m\n\ntwo\007\r\n' >&2; exit 3`));
    expect(exit).toMatchObject({
      code: 'source_failed',
      message: 'the command ended with exit code 3: one / two',
    });
    const killed = await failureOf(shell('echo last >&2; kill -KILL $$'));
    expect(killed.message).toBe('the command was ended by SIGKILL: last');
  });

  it('keeps the last 4 kB of a long standard error', async () => {
    const line = 'i=0; while [ $i -lt 20000 ]; do echo "line $i"; i=$((i+1)); done >&2; exit 1';
    const failure = await failureOf(shell(line));
    expect(failure.message).toBe('the command ended with exit code 1: line 19997 / line 19998 / line 19999');
    const run = await runCommand(shell('yes error 2>/dev/null | head -c 1000000 >&2'), textOf);
    expect(run.stderr.length).toBe(4096);
  });

  it('waits for the exit of a command that closes its output early', async () => {
    const run = await runCommand(shell('echo first; exec >&-; echo done > closed'), textOf);
    expect(run.result).toBe('first\n');
    expect(await readFile(join(folder, 'closed'), 'utf8')).toBe('done\n');
    const failure = await failureOf(shell('exec >&-; sleep 0.05; exit 4'));
    expect(failure.message).toBe('the command ended with exit code 4');
  });

  it('reports the exit code before an error in the output', async () => {
    const broken = async (output: AsyncIterable<Uint8Array>): Promise<never> => {
      for await (const _ of output) throw new LociError('source_failed', 'no JSON');
      throw new Error('nothing came');
    };
    expect((await failureOf(shell('echo x; sleep 0.05; exit 3'), broken)).message).toBe(
      'the command ended with exit code 3: no JSON',
    );
    expect((await failureOf(shell('echo x'), broken)).message).toBe('no JSON');
    expect((await failureOf(shell('echo x; sleep 60'), broken)).message).toBe('no JSON');
    expect((await failureOf(shell('yes'), broken)).message).toMatch(/no JSON|more than 10 MB/);
  });

  it('stops a command that prints more than 10 MB', async () => {
    const began = performance.now();
    const failure = await failureOf(shell('echo $$ > flood; exec yes'));
    expect(failure).toMatchObject({
      code: 'source_failed',
      message: 'the command printed more than 10 MB',
    });
    expect(performance.now() - began).toBeLessThan(10_000);
    expect((await pidsIn('flood')).filter(isAlive)).toEqual([]);
  });
});

describe('ending a command', () => {
  it('ends a command at its timeout, with all its processes', async () => {
    const line =
      'sleep 60 & echo $! > hang; (sleep 61 & echo $! >> hang; wait) & echo $! >> hang; echo $$ >> hang; wait';
    const failure = await failureOf(shell(line, { timeout: 500 }));
    expect(failure).toMatchObject({
      code: 'source_failed',
      message: 'the command did not end within 500 ms and was stopped',
    });
    const pids = await pidsIn('hang');
    expect(pids).toHaveLength(4);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it('kills a command that ignores SIGTERM', async () => {
    const script = `process.on('SIGTERM', () => {}); require('fs').writeFileSync('stubborn', String(process.pid)); setInterval(() => {}, 1000)`;
    const request = shell('', { argv: [process.execPath, '-e', script] });
    const controller = new AbortController();
    const running = failureOf({ ...request, signal: controller.signal });
    expect(
      await becomesTrue(20_000, () =>
        pidsIn('stubborn').then(
          (pids) => pids[0]! > 0,
          () => false,
        ),
      ),
    ).toBe(true);
    const began = performance.now();
    controller.abort();
    expect(await running).toMatchObject({ code: 'aborted' });
    expect(performance.now() - began).toBeGreaterThan(900);
    expect((await pidsIn('stubborn')).filter(isAlive)).toEqual([]);
  });

  const hasProc = existsSync('/proc/self/environ');

  it.skipIf(!hasProc)('ends processes in a different session at the timeout', async () => {
    const escape = `const { spawn } = require('child_process');
      const child = spawn('/bin/sh', ['-c', 'sleep 60 & echo $! > detached; wait'], { detached: true });
      setInterval(() => undefined, 1000);`;
    const failure = await failureOf(shell('', { argv: [process.execPath, '-e', escape], timeout: 2000 }));
    expect(failure.message).toContain('did not end within 2 s');
    expect((await pidsIn('detached')).filter(isAlive)).toEqual([]);
  });

  it.skipIf(!hasProc || !existsSync('/bin/bash'))(
    'ends jobs in other process groups, even if they ignore SIGTERM',
    async () => {
      const line = `set -m; (trap '' TERM; sleep 60) & echo $! > jobs; sleep 60 & echo $! >> jobs; echo []`;
      const { result } = await runCommand(shell('', { argv: ['/bin/bash', '-c', line] }), textOf);
      expect(result).toBe('[]\n');
      const jobs = await pidsIn('jobs');
      expect(jobs).toHaveLength(2);
      // SIGKILL has been sent; the kernel may take a moment.
      expect(await becomesTrue(5000, async () => !jobs.some(isAlive))).toBe(true);
    },
  );

  it('can be aborted while it runs, and does not start if the signal is already aborted', async () => {
    const controller = new AbortController();
    const running = failureOf(shell('echo $$ > called; exec sleep 60', { signal: controller.signal }));
    expect(
      await becomesTrue(20_000, () =>
        pidsIn('called').then(
          (pids) => pids[0]! > 0,
          () => false,
        ),
      ),
    ).toBe(true);
    controller.abort();
    expect((await running).code).toBe('aborted');
    expect((await pidsIn('called')).filter(isAlive)).toEqual([]);
    const late = await failureOf(shell('touch late', { signal: controller.signal }));
    expect(late.code).toBe('aborted');
    await expect(readFile(join(folder, 'late'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('can be aborted while it starts', async () => {
    const controller = new AbortController();
    // The getter runs when the program is about to be started, after the last check of the signal.
    const late = Object.defineProperty({ ...env }, 'LATE', {
      enumerable: true,
      get: () => controller.abort(),
    });
    const request = shell('exec sleep 60', { env: late, timeout: 5000, signal: controller.signal });
    expect((await failureOf(request)).code).toBe('aborted');
  });

  it('returns all output, and ends background processes', async () => {
    const line = 'sleep 60 & echo $! > left; head -c 300000 /dev/zero';
    const began = performance.now();
    const { bytes, result } = await runCommand(shell(line), textOf);
    expect([bytes, result.length]).toEqual([300_000, 300_000]);
    expect(performance.now() - began).toBeLessThan(15_000);
    expect((await pidsIn('left')).filter(isAlive)).toEqual([]);
  });

  it('does not wait for a process outside of the group that keeps the output open', async () => {
    const escape = `const { spawn } = require('child_process');
      const child = spawn('sleep', ['60'], { detached: true, stdio: 'inherit' });
      require('fs').writeFileSync('escaped', String(child.pid));
      child.unref(); console.log('[]');`;
    const began = performance.now();
    const { result } = await runCommand(shell('', { argv: [process.execPath, '-e', escape] }), textOf);
    expect(result).toBe('[]\n');
    expect(performance.now() - began).toBeLessThan(15_000);
    const [pid] = await pidsIn('escaped');
    expect(isAlive(pid!)).toBe(true);
  });

  it('does not keep its process alive, and ends the command when that exits', async () => {
    const module = new URL('run-command.ts', import.meta.url).href;
    const script = `import { runCommand } from '${module}';
      const all = async (output) => { for await (const _ of output); };
      const request = { cwd: '.', env: process.env, timeout: 3600_000 };
      await runCommand({ ...request, argv: ['true'] }, all);
      console.log('first');
      if (process.argv[2] === 'exit') {
        void runCommand({ ...request, argv: ['/bin/sh', '-c', 'echo $$ > taken; exec sleep 60'] }, all);
        const { existsSync, readFileSync } = await import('node:fs');
        const look = () => existsSync('taken') && readFileSync('taken', 'utf8') !== '' ? process.exit(0) : setTimeout(look, 10);
        look();
      }`;
    await writeFile(join(folder, 'run.mjs'), script);
    const run = promisify(execFile);
    expect((await run(process.execPath, ['run.mjs'], { cwd: folder })).stdout).toBe('first\n');
    await run(process.execPath, ['run.mjs', 'exit'], { cwd: folder });
    const [pid] = await pidsIn('taken');
    expect(await becomesTrue(5000, () => !isAlive(pid!))).toBe(true);
  });
});
