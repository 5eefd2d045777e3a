import { ERROR_TABLE, type LociError } from '../../core/errors.ts';
import { asLociError } from '../../core/fs/file-errors.ts';
import { asTypedIn, withCommandNames } from '../shared/command-names.ts';
import { escapeControl, toJson } from '../shared/escape-control.ts';
import type { Io } from '../shared/io.ts';
import { hasColours, makeStyle } from './format/style.ts';

/**
 * Prints an error and returns its exit code. It goes to standard error as `loci: message` and a hint; with `--json`, it
 * goes to standard output as `{"error": {code, message, hint}}`, so that standard output is one JSON document either way.
 */
export function reportError(error: unknown, io: Io, json: boolean): number {
  const lociError = asLociError(error);
  const { code, message, hint, exitCode } = lociError;
  if (json) {
    const document = { error: { code, message: message.toWellFormed(), hint: hintIn(io, hint) } };
    io.stdout.write(`${toJson(document)}\n`);
    return exitCode;
  }
  printError(lociError, io);
  if (io.env['LOCI_LOG_LEVEL'] === 'debug' && error instanceof Error)
    io.stderr.write(`${escapeControl(error.stack ?? '')}\n`);
  return exitCode;
}

export function printError({ message, hint }: LociError, io: Io): void {
  const style = makeStyle(hasColours(io.stderr, io.env));
  const lines = escapeControl(message).split('\n');
  io.stderr.write(`${style.bad('loci:')} ${lines.join('\n      ')}\n`);
  if (hint === '') return;
  for (const line of escapeControl(hintIn(io, hint)).split('\n'))
    io.stderr.write(`      ${style.dim(line)}\n`);
}

function hintIn({ env }: Io, hint: string): string {
  return asTypedIn(env, withCommandNames(hint));
}

/** The meanings of the exit codes, for `--help`. */
export const EXIT_CODES: readonly (readonly [code: number, meaning: string])[] = [
  [0, 'success'],
  [ERROR_TABLE.internal.exit, '`doctor` or `recall --status` found a problem, or a bug in Loci'],
  [ERROR_TABLE.invalid_input.exit, 'invalid arguments'],
  [ERROR_TABLE.invalid_config.exit, 'invalid settings'],
  [ERROR_TABLE.not_found.exit, 'not found, or ambiguous'],
  [ERROR_TABLE.conflict.exit, 'conflict with the current state'],
  [ERROR_TABLE.store_failed.exit, 'the store is missing, unreachable, busy, full, corrupt or too new'],
  [ERROR_TABLE.embedding_unavailable.exit, 'the embedding model is unavailable'],
  [ERROR_TABLE.unreadable.exit, 'a file, a folder or a source cannot be read'],
  [ERROR_TABLE.unsupported_runtime.exit, 'Node is too old'],
  [ERROR_TABLE.forbidden.exit, 'not allowed'],
  [ERROR_TABLE.aborted.exit, 'stopped with Ctrl-C'],
];
