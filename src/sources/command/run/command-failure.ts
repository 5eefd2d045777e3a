import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { LociError, messageOf } from '../../../core/errors.ts';
import { abridge } from '../../../core/text/abridge.ts';
import { printableText } from './command-output.ts';

/** How a program ended: its exit code, or the signal that ended it. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

interface Start {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

const MAX_QUOTED_LINES = 3;
const MAX_QUOTED_LINE_LENGTH = 200;

/** @throws LociError `source_failed` when the working folder does not exist */
export async function assertFolderExists(cwd: string): Promise<void> {
  const found = await stat(cwd).catch((error: unknown) => error as NodeJS.ErrnoException);
  if ('isDirectory' in found && found.isDirectory()) return;
  const isMissing = !('isDirectory' in found) && found.code === 'ENOENT';
  const fault = isMissing ? 'does not exist' : 'is not a folder that can be entered';
  throw failure(`the working folder of the command ${fault}: ${cwd}`, 'Correct `cwd` of the source.');
}

/** The error for a program that could not be started. */
export function startFailure(error: unknown, { argv, cwd, env }: Start): LociError {
  const program = argv[0] ?? '';
  const code = (error as NodeJS.ErrnoException | null)?.code;
  const isPath = program.includes('/');
  const where = isPath ? `in ${cwd}` : `in PATH (${env['PATH'] ?? 'which is not set'})`;
  if (code === 'EACCES')
    return failure(
      `cannot run ${program} ${where}: it is not executable`,
      'Make it executable with `chmod +x`.',
      error,
    );
  if (code !== 'ENOENT' && code !== 'ENOTDIR')
    return failure(`could not start ${program}: ${messageOf(error)}`, undefined, error);
  if (isPath && existsSync(resolve(cwd, program)))
    return failure(
      `could not start ${program} ${where}: its first line names an interpreter that does not exist`,
    );
  return failure(
    `there is no program ${program} ${where}`,
    'Install it, or write its full path. A command that needs a shell needs `shell: true`.',
    error,
  );
}

/**
 * The error for an exit code other than 0 or a signal, with the end of standard error; `null` for success.
 * @param fallback quoted when standard error is empty
 */
export function exitFailure({ code, signal }: Exit, stderr: string, fallback: string): LociError | null {
  if (code === 0) return null;
  const how = code === null ? `was ended by ${signal ?? 'a signal'}` : `ended with exit code ${String(code)}`;
  return failureQuoting(`the command ${how}`, stderr.trim() === '' ? fallback : stderr);
}

/** The line of a stack trace that says what happened, as programs in many languages print it: `TypeError: …`. */
const ERROR_LINE = /^(?:Uncaught )?[\w.]{0,80}(?:Error|Exception)\b[^:]{0,80}: /;

/** An error whose message ends with the first error that `output` names, or with its last lines. */
export function failureQuoting(message: string, output: string): LociError {
  const written = printableText(output)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const named = written.find((line) => ERROR_LINE.test(line));
  const lines = (named === undefined ? written.slice(-MAX_QUOTED_LINES) : [named]).map((line) =>
    abridge(line, MAX_QUOTED_LINE_LENGTH).toWellFormed(),
  );
  return failure(lines.length === 0 ? message : `${message}: ${lines.join(' / ')}`);
}

function failure(message: string, hint?: string, cause?: unknown): LociError {
  return new LociError('source_failed', message, {
    ...(hint === undefined ? {} : { hint }),
    ...(cause === undefined ? {} : { cause }),
  });
}
