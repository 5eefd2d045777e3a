import { Readable, Writable } from 'node:stream';
import type { OpenContext } from '../../../operations/context.ts';
import type { Io } from '../../shared/io.ts';
import type { OpenSession } from '../run-command.ts';
import type { SocketRequest } from './request.ts';

/** Runs a command line in this process. */
export type RunCommandLine = (argv: readonly string[], io: Io, openSession: OpenSession) => Promise<number>;

export interface CommandAnswer {
  readonly exitCode: number;
  /** What was written, in order: the file descriptor, 1 or 2, and the text. */
  readonly output: readonly (readonly [fd: number, text: string])[];
}

/** Runs a command with the open engine and returns what it prints. @param signal aborted when nobody waits for the answer */
export async function answerCommand(
  context: OpenContext,
  { argv, cwd, env, stdout, stderr }: SocketRequest,
  run: RunCommandLine,
  signal: AbortSignal,
): Promise<CommandAnswer> {
  const output: [number, string][] = [];
  const io: Io = {
    stdin: Readable.from([]),
    stdout: collector(1, stdout, output),
    stderr: collector(2, stderr, output),
    env,
  };
  const { dropCaches } = await import('../../../engine/reading/configured/configured-sources.ts');
  dropCaches(await context.loci());
  const exitCode = await run(argv, io, (options) => ({
    context: context.forCall({ ...options, cwd, signal }),
    explain: (error) => error,
    end: () => Promise.resolve(),
  }));
  return { exitCode, output };
}

/** An output that appends what is written to `written`. */
function collector(
  fd: number,
  { isTTY, columns }: SocketRequest['stdout'],
  written: [number, string][],
): Io['stdout'] {
  const stream = new Writable({
    decodeStrings: false,
    write(text: string | Buffer, _encoding, done) {
      written.push([fd, text.toString()]);
      done();
    },
  });
  return Object.assign(stream, { ...(isTTY && { isTTY }), ...(columns !== null && { columns }) });
}
