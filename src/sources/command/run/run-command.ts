import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { LociError } from '../../../core/errors.ts';
import {
  type Exit,
  exitFailure,
  startFailure,
  assertFolderExists,
  failureQuoting,
} from './command-failure.ts';
import { CommandOutput } from './command-output.ts';
import { dismissGuard, endGroup, startGuard, registerGroup } from './process-group.ts';
import { endOrphanProcesses, RUN_ID_ENV } from './orphan-processes.ts';

export interface CommandRequest {
  /** Program and arguments; a program without a slash is searched in PATH of `env`. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The complete environment. */
  readonly env: NodeJS.ProcessEnv;
  /** Milliseconds. */
  readonly timeout: number;
  readonly signal?: AbortSignal;
}

interface CommandRun<Result> {
  readonly result: Result;
  /** Bytes of standard output. */
  readonly bytes: number;
  /** The end of standard error, without control characters. */
  readonly stderr: string;
  readonly milliseconds: number;
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

/** After its output has turned out to be invalid, a command has this long to exit: its exit code explains more. */
const EXIT_GRACE_PERIOD_MS = 300;
/** The longest delay that a timer supports. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * Runs a program without a shell, in its own process group, with an empty standard input, and passes its output to `read`. At the
 * end, it ends every process of the group, and those outside of the group that `endOrphanProcesses` finds.
 * @param read reads the output, which ends when the pipe is closed, or when the program has ended and the pipe is empty
 * @throws LociError `source_failed` with the cause and the end of standard error; `aborted`; what `read` throws
 */
export async function runCommand<Result>(
  request: CommandRequest,
  read: (output: AsyncIterable<Uint8Array>) => Promise<Result>,
): Promise<CommandRun<Result>> {
  const startedAt = performance.now();
  if (request.signal?.aborted === true) throw aborted();
  const runId = randomUUID();
  const child = await start({ ...request, env: { ...request.env, [RUN_ID_ENV]: runId } });
  const group = child.pid!;
  let ending: Promise<void> | undefined;
  const end = (): Promise<void> => (ending ??= endGroup(group));
  const output = new CommandOutput(child);
  const settled = new AbortController();
  const stopped = whenStopped(request, output, settled.signal);
  try {
    const result = await resultOf(exitOf(child, output, end), output, stopped, read, settled.signal);
    const milliseconds = Math.round(performance.now() - startedAt);
    return { result, bytes: output.bytes, stderr: output.stderr(), milliseconds };
  } finally {
    const isCutShort = child.exitCode === null && child.signalCode === null;
    settled.abort();
    output.destroy();
    await end();
    await endOrphanProcesses({ runId, session: isCutShort ? null : group });
    // A process that the system cannot end must not keep this one alive.
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
    if (group !== undefined) registerGroup(group, guard);
    await once(child, 'spawn');
    return child;
  } catch (error) {
    if (group === undefined) dismissGuard(guard);
    else await endGroup(group);
    throw error instanceof LociError ? error : startFailure(error, { argv, cwd, env });
  }
}

/** Rejects on timeout, on abort, and when the command has printed too much. */
function whenStopped(
  { timeout, signal }: CommandRequest,
  output: CommandOutput,
  settled: AbortSignal,
): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (error: LociError): void => {
    reject(error);
    output.fail(error);
  };
  const timer = setTimeout(
    () => {
      const seconds = timeout < 1000 ? `${String(timeout)} ms` : `${String(timeout / 1000)} s`;
      stop(failureQuoting(`the command did not end within ${seconds} and was stopped`, output.stderr()));
    },
    Math.min(timeout, MAX_TIMEOUT_MS),
  );
  settled.addEventListener('abort', () => clearTimeout(timer));
  signal?.addEventListener('abort', () => stop(aborted()), { signal: settled });
  // It may have been aborted while the program was being started.
  if (signal?.aborted === true) stop(aborted());
  output.onLimitExceeded(stop);
  // It may reject after the command has ended, when nothing awaits it.
  promise.catch(() => undefined);
  return promise;
}

/** Resolves when the program has ended and its output up to then has arrived. Ends the rest of its group. */
async function exitOf(child: Child, output: CommandOutput, end: () => Promise<void>): Promise<Exit> {
  const closed = once(child, 'close');
  const [code, signal] = (await once(child, 'exit')) as [Exit['code'], Exit['signal']];
  void end();
  await Promise.race([closed, output.drained()]);
  output.end();
  return { code, signal };
}

async function resultOf<Result>(
  exited: Promise<Exit>,
  output: CommandOutput,
  stopped: Promise<never>,
  read: (output: AsyncIterable<Uint8Array>) => Promise<Result>,
  settled: AbortSignal,
): Promise<Result> {
  const reading = read(output.chunks).then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
  // The exit code explains more than invalid output does: a program that fails may print half a list first.
  const graceAfterInvalidOutput = async (): Promise<null> => {
    const isInvalid = 'error' in (await reading);
    return isInvalid ? await delay(EXIT_GRACE_PERIOD_MS, null, { signal: settled }) : await stopped;
  };
  const graceOver = graceAfterInvalidOutput();
  graceOver.catch(() => undefined);
  const exit = await Promise.race([stopped, exited, graceOver]);
  const outcome = await Promise.race([stopped, reading]);
  const readError = 'error' in outcome && outcome.error instanceof LociError ? outcome.error.message : '';
  const failure = exit === null ? null : exitFailure(exit, output.stderr(), readError);
  if (failure !== null) throw failure;
  if ('error' in outcome) throw outcome.error;
  return outcome.result;
}

function aborted(): LociError {
  return new LociError('aborted', 'the command was stopped');
}
