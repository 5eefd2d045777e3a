import { ERROR_TABLE, type LociError } from '../../core/errors.ts';
import { asLociError } from '../../core/fs/file-errors.ts';
import { inCommands } from '../shared/command-names.ts';
import type { Io } from '../shared/io.ts';
import { escapeControl, escapeControlJson } from '../shared/escape-control.ts';
import { hasColours, makeStyle } from './format/style.ts';

/**
 * Tells what went wrong: `loci: message` and a hint on standard error; with `--json`, `{"error": {code, message, hint}}`
 * on standard output, so that whoever asked for JSON always reads one JSON document there.
 * Answers the exit code of the error table.
 */
export function reportError(error: unknown, io: Io, json: boolean): number {
  const known = asLociError(error);
  const { code, message, hint, exitCode } = known;
  if (json) {
    io.stdout.write(
      `${toJson({ error: { code, message: message.toWellFormed(), hint: inCommands(hint) } })}\n`,
    );
    return exitCode;
  }
  printError(known, io);
  if (io.env['LOCI_LOG_LEVEL'] === 'debug' && error instanceof Error)
    io.stderr.write(`${escapeControl(error.stack ?? '')}\n`);
  return exitCode;
}

export function printError({ message, hint }: LociError, io: Io): void {
  const style = makeStyle(hasColours(io.stderr, io.env));
  const lines = escapeControl(message).split('\n');
  io.stderr.write(`${style.bad('loci:')} ${lines.join('\n      ')}\n`);
  if (hint === '') return;
  for (const line of escapeControl(inCommands(hint)).split('\n'))
    io.stderr.write(`      ${style.dim(line)}\n`);
}

export function toJson(value: unknown): string {
  return escapeControlJson(JSON.stringify(value, null, 2));
}

/** For `--help`: what each exit code means. */
export const EXIT_CODES: readonly (readonly [code: number, meaning: string])[] = [
  [0, 'done'],
  [ERROR_TABLE.internal.exit, '`doctor` found something wrong, or a bug in Loci'],
  [ERROR_TABLE.invalid_input.exit, 'wrong arguments'],
  [ERROR_TABLE.invalid_config.exit, 'wrong settings'],
  [ERROR_TABLE.not_found.exit, 'not found, or ambiguous'],
  [ERROR_TABLE.conflict.exit, 'conflict with the present state'],
  [ERROR_TABLE.store_failed.exit, 'the store: missing, busy, full, broken or too new'],
  [ERROR_TABLE.embedding_unavailable.exit, 'the embedding model'],
  [ERROR_TABLE.unreadable.exit, 'a file, a folder or a source that cannot be read'],
  [ERROR_TABLE.unsupported_runtime.exit, 'Node is too old'],
  [ERROR_TABLE.forbidden.exit, 'not allowed'],
  [ERROR_TABLE.aborted.exit, 'stopped with Ctrl-C'],
];
