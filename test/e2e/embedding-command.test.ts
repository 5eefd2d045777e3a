// Programs of the provider `command` that do not end when their input does. The command line ends nevertheless, with its own code.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { isAlive } from '../contract/alive.ts';
import { startLoci, temporaryFolder, type CommandResult } from './loci-command.ts';

/** Answers every line, and writes its process id, then what `ending` starts, into the log. */
const program = (ending: string): string => `
const { appendFileSync } = require('node:fs');
const { spawn } = require('node:child_process');
const note = (pid) => appendFileSync(process.argv[2], pid + '\\n');
note(process.pid);
const lines = require('node:readline').createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const { id, texts } = JSON.parse(line);
  const vectors = texts.map((text) => [text.length, ...Array.from('etaoin', (letter) => text.split(letter).length)]);
  console.log(JSON.stringify({ id, vectors }));
});
${ending}`;

/** Longer than any test. */
const SLEEP = 'setTimeout(() => undefined, 600_000);';
const sleepAfterInput = `lines.on('close', () => { ${SLEEP} });`;
const ignoreTermination = `process.on('SIGTERM', () => undefined); ${sleepAfterInput}`;
const spawnSleeper = (detached: boolean): string => `
const child = spawn(process.execPath, ['--eval', ${JSON.stringify(SLEEP)}], { detached: ${String(detached)}, stdio: 'inherit' });
note(child.pid);
child.unref();
lines.on('close', () => process.exit(0));`;

interface Run extends CommandResult {
  readonly pids: readonly number[];
}

async function run(args: readonly string[], ending: string, mode = 'stream'): Promise<Run> {
  const home = temporaryFolder();
  const [file, log] = [join(home, 'embed.cjs'), join(home, 'pids')];
  writeFileSync(file, program(ending));
  const env = {
    ...{ LOCI_EMBEDDING_PROVIDER: 'command', LOCI_EMBEDDING_MODEL: 'own', LOCI_EMBEDDING_DIMENSIONS: '7' },
    ...{ LOCI_EMBEDDING_COMMAND: [process.execPath, file, log].join(' '), LOCI_EMBEDDING_COMMAND_MODE: mode },
  };
  const result = await startLoci(args, { home, env }).ended;
  const pids = readFileSync(log, 'utf8').trim().split('\n').map(Number);
  onTestFinished(() => {
    for (const pid of pids) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  });
  return { ...result, pids };
}

const ENDINGS: readonly (readonly [name: string, ending: string])[] = [
  ['sleeps after the end of its input', sleepAfterInput],
  ['ignores that it is terminated', ignoreTermination],
  ['leaves a process that holds its output', spawnSleeper(false)],
];

it.each(ENDINGS)('a program that %s does not keep a write from ending well, and ends', async (_, ending) => {
  const { code, stdout, stderr, pids } = await run(['write', 'The oven moves.'], ending);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('Remembered as');
  // The system ends a process a moment after it is killed.
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
});

it('a program that is started for each request, and one that is tested, end too', async () => {
  const once = await run(['write', 'The oven moves.'], ignoreTermination, 'once');
  const tested = await run(['embed', 'test'], ignoreTermination);
  expect([once.code, once.stderr, tested.stderr]).toEqual([0, '', '']);
  // The vectors are not similar by meaning, which is the code 1.
  expect(tested.code).toBeOneOf([0, 1]);
  expect(tested.stdout).toMatch(/dimensions +7\n/);
  await expect.poll(() => [...once.pids, ...tested.pids].filter(isAlive)).toEqual([]);
});

it('a process in a group of its own that holds the output is not waited for', async () => {
  const { code, stderr } = await run(['write', 'The oven moves.'], spawnSleeper(true));
  expect([code, stderr]).toEqual([0, '']);
});
