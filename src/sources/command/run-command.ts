import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { LociError } from '../../core/errors.ts';
import {
  type Exit,
  explainExit,
  explainStart,
  assertFolderExists,
  withLastWords,
} from './command-failure.ts';
import { CommandOutput } from './command-output.ts';
import { dismissGuard, endGroup, startGuard, watchGroup } from './process-group.ts';
import { endOrphanProcesses, RUN_ID_ENV } from './orphan-processes.ts';

export interface CommandRequest {
  /** Program and arguments; a program without a slash is looked for in PATH of `env`. */
  readonly argv: readonly string[];
  /** The folder that it runs in. */
  readonly cwd: string;
  /** All of its environment. */
  readonly env: NodeJS.ProcessEnv;
  /** Milliseconds. */
  readonly timeout: number;
  readonly signal?: AbortSignal;
}

export interface CommandRun<Result> {
  readonly result: Result;
  /** Bytes of its output. */
  readonly bytes: number;
  /** The end of what it said on standard error, fit to be shown. */
  readonly stderr: string;
  readonly milliseconds: number;
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

/** Milliseconds that a command has, once its output is known to be no good, to say why with its exit code. */
const LAST_WORDS = 300;
/** What timers can count. */
const LONGEST_TIMEOUT = 2 ** 31 - 1;

/**
 * Runs a program without a shell, in a process group of its own and with nothing to read, and hands over what it prints.
 * When this is settled, every process of the group is ended, whatever the outcome, and what has left it as far as
 * `endStrays` finds it.
 * @param read takes in the output, which ends at its end, or where the program ended and its pipe is empty
 * @throws LociError `source_failed` that says how it failed, with what it said last; `aborted`; and what `read` throws
 */
export async function runCommand<Result>(
  request: CommandRequest,
  read: (output: AsyncIterable<Uint8Array>) => Promise<Result>,
): Promise<CommandRun<Result>> {
  const began = performance.now();
  if (request.signal?.aborted === true) throw aborted();
  const mark = randomUUID();
  const child = await start({ ...request, env: { ...request.env, [RUN_ID_ENV]: mark } });
  const group = child.pid!;
  let ending: Promise<void> | undefined;
  const end = (): Promise<void> => (ending ??= endGroup(group));
  const output = new CommandOutput(child);
  const over = new AbortController();
  const stopped = stopAt(request, output, over.signal);
  try {
    const result = await outcome(exitOf(child, output, end), output, stopped, read, over.signal);
    const milliseconds = Math.round(performance.now() - began);
    return { result, bytes: output.bytes, stderr: output.stderr(), milliseconds };
  } finally {
    const isCutShort = child.exitCode === null && child.signalCode === null;
    over.abort();
    output.destroy();
    await end();
    await endOrphanProcesses({ runId: mark, session: isCutShort ? null : group });
    // Not even a process that the system cannot end keeps this one alive.
    child.unref();
  }
}

async function start({ argv, cwd, env, signal }: CommandRequest): Promise<Child> {
  const [program = '', ...parameters] = argv;
  await assertFolderExists(cwd);
  const guard = await startGuard(`${RUN_ID_ENV}=${env[RUN_ID_ENV] ?? ''}`);
  let group: number | undefined;
  try {
    if (signal?.aborted === true) throw aborted();
    const child = spawn(program, parameters, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    group = child.pid;
    if (group !== undefined) watchGroup(group, guard);
    await once(child, 'spawn');
    return child;
  } catch (error) {
    if (group === undefined) dismissGuard(guard);
    else await endGroup(group);
    throw error instanceof LociError ? error : await explainStart(error, { argv, cwd, env });
  }
}

/** Fails when the time is up, somebody calls it off, or too much is printed. */
function stopAt(
  { timeout, signal }: CommandRequest,
  output: CommandOutput,
  over: AbortSignal,
): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (error: LociError): void => {
    reject(error);
    output.fail(error);
  };
  const timer = setTimeout(
    () => {
      const seconds = timeout < 1000 ? `${String(timeout)} ms` : `${String(timeout / 1000)} s`;
      stop(withLastWords(`the command did not end within ${seconds} and was stopped`, output.stderr()));
    },
    Math.min(timeout, LONGEST_TIMEOUT),
  );
  over.addEventListener('abort', () => clearTimeout(timer));
  signal?.addEventListener('abort', () => stop(aborted()), { signal: over });
  // It may have been called off while the program was being started.
  if (signal?.aborted === true) stop(aborted());
  output.onTooMuch(stop);
  // It may fail when nobody waits for it any more.
  promise.catch(() => undefined);
  return promise;
}

/** How the program ended, once what it had printed until then is taken in; what it leaves behind is ended. */
async function exitOf(child: Child, output: CommandOutput, end: () => Promise<void>): Promise<Exit> {
  const closed = once(child, 'close');
  const [code, signal] = (await once(child, 'exit')) as [Exit['code'], Exit['signal']];
  void end();
  await Promise.race([closed, output.drained()]);
  output.end();
  return { code, signal };
}

async function outcome<Result>(
  exited: Promise<Exit>,
  output: CommandOutput,
  stopped: Promise<never>,
  read: (output: AsyncIterable<Uint8Array>) => Promise<Result>,
  over: AbortSignal,
): Promise<Result> {
  const reading = read(output.chunks).then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
  // An exit code says more than that the output is no good: `exit 1` behind half a list.
  const soonAfterFault = async (): Promise<null> => {
    const fault = 'error' in (await reading);
    return fault ? await delay(LAST_WORDS, null, { signal: over }) : await stopped;
  };
  const unsaid = soonAfterFault();
  unsaid.catch(() => undefined);
  const exit = await Promise.race([stopped, exited, unsaid]);
  const got = await Promise.race([stopped, reading]);
  const fault = 'error' in got && got.error instanceof LociError ? got.error.message : '';
  const failure = exit === null ? null : explainExit(exit, output.stderr(), fault);
  if (failure !== null) throw failure;
  if ('error' in got) throw got.error;
  return got.result;
}

function aborted(): LociError {
  return new LociError('aborted', 'the command was stopped');
}
