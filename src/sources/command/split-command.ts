import { homedir } from 'node:os';
import { join } from 'node:path';
import { LociError } from '../../core/errors.ts';

const NEEDS_SHELL = 'Put it in single quotes if it is meant literally, or set `shell: true`.';
const OPERATORS = '|&;<>()`\n\r';
/** The beginning of a shell expansion: a variable, a parameter, `${…}` or `$(…)`. */
const EXPANSION = /^\$[A-Za-z_0-9{(?$!#*@-]/;
/** The characters that a backslash escapes within double quotes; before any other it is literal. */
const ESCAPED_IN_QUOTES = '$`"\\';

/**
 * Splits a command line into words as a POSIX shell does, without running one: quotes, backslashes, and a leading `~/` for the home
 * folder. Patterns such as `*.ics` are not expanded.
 * @throws LociError `invalid_config` that names the part that needs a shell, or an unclosed quote
 */
export function splitCommand(line: string): string[] {
  if (line.includes('\0')) throw badCommand('the command has a NUL character');
  const words: string[] = [];
  let at = 0;
  while (true) {
    while (at < line.length && (isBlank(line[at]!) || isLineContinuation(line, at)))
      at += isBlank(line[at]!) ? 1 : 2;
    if (at >= line.length) break;
    const word = readWord(line, at, words.length === 0);
    words.push(word.text);
    at = word.end;
  }
  return words;
}

/**
 * The program and its arguments: a list unchanged, a line split into words, or with `shell` the line as one argument of
 * `/bin/sh -c`.
 * @throws LociError `invalid_config`
 */
export function argvOf(settings: {
  readonly command: string | readonly string[];
  readonly shell: boolean;
}): readonly string[] {
  const { command, shell } = settings;
  if (shell) {
    if (typeof command === 'string') return ['/bin/sh', '-c', command];
    throw badCommand('`shell: true` needs a command line, not a list', 'Write the command as one text.');
  }
  const argv = typeof command === 'string' ? splitCommand(command) : command;
  if (argv[0] === undefined || argv[0] === '') throw badCommand('the command names no program');
  if (argv.some((word) => word.includes('\0'))) throw badCommand('the command has a NUL character');
  return argv;
}

interface Piece {
  readonly text: string;
  /** Offset of the rest. */
  readonly end: number;
}

function readWord(line: string, start: number, first: boolean): Piece {
  if (line[start] === '#') throw needsShell('# (a comment)');
  if (first && /^[A-Za-z_][A-Za-z0-9_]*=/.test(line.slice(start)))
    throw needsShell('a variable before the program');
  let text = '';
  let at = start;
  if (line[at] === '~' && (line[at + 1] === '/' || at + 1 >= line.length || isBlank(line[at + 1]!))) {
    text = line[at + 1] === '/' ? join(homedir(), '/') : homedir();
    at += line[at + 1] === '/' ? 2 : 1;
  }
  while (at < line.length && !isBlank(line[at]!)) {
    const piece = readPiece(line, at);
    text += piece.text;
    at = piece.end;
  }
  return { text, end: at };
}

function readPiece(line: string, at: number): Piece {
  const char = line[at]!;
  if (char === "'") return readSingleQuoted(line, at);
  if (char === '"') return readDoubleQuoted(line, at);
  if (char === '\\') {
    const next = line[at + 1];
    if (next === undefined) throw badCommand('the command ends with a backslash that escapes nothing');
    return { text: isLineContinuation(line, at) ? '' : next, end: at + 2 };
  }
  if (OPERATORS.includes(char)) throw needsShell(nameOf(char));
  if (/^\$['"]/.test(line.slice(at, at + 2))) throw needsShell(line.slice(at, at + 2));
  assertNoExpansion(line, at);
  return { text: char, end: at + 1 };
}

function readSingleQuoted(line: string, start: number): Piece {
  const end = line.indexOf("'", start + 1);
  if (end < 0) throw unclosed("'", line, start);
  return { text: line.slice(start + 1, end), end: end + 1 };
}

function readDoubleQuoted(line: string, start: number): Piece {
  let text = '';
  for (let at = start + 1; at < line.length; at++) {
    const char = line[at]!;
    if (char === '"') return { text, end: at + 1 };
    if (char === '`') throw needsShell(nameOf(char));
    assertNoExpansion(line, at);
    const next = line[at + 1];
    if (char === '\\' && next !== undefined && ESCAPED_IN_QUOTES.includes(next)) {
      text += next;
      at++;
    } else if (isLineContinuation(line, at)) at++;
    else text += char;
  }
  throw unclosed('"', line, start);
}

function assertNoExpansion(line: string, at: number): void {
  const found = line[at] === '$' ? EXPANSION.exec(line.slice(at, at + 2)) : null;
  if (found === null) return;
  const name = /^\$[A-Za-z_0-9]+/.exec(line.slice(at, at + 64));
  throw needsShell(name?.[0] ?? found[0]);
}

/** Spaces and tabs separate words. A line break would begin another command. */
function isBlank(char: string): boolean {
  return char === ' ' || char === '\t';
}

/** A backslash before a line break joins the two lines. */
function isLineContinuation(line: string, at: number): boolean {
  return line[at] === '\\' && line[at + 1] === '\n';
}

function nameOf(operator: string): string {
  if (operator === '\n' || operator === '\r') return 'a line break';
  return operator === '`' ? '` (a backtick)' : operator;
}

function needsShell(feature: string): LociError {
  return badCommand(`the command needs a shell for ${feature}`, NEEDS_SHELL);
}

function unclosed(quote: string, line: string, start: number): LociError {
  const rest = line.slice(start, start + 20);
  return badCommand(
    `a quote is not closed in the command: ${rest}`,
    `Close it with ${quote}, or escape it with a backslash.`,
  );
}

function badCommand(message: string, hint?: string): LociError {
  return new LociError('invalid_config', message, hint === undefined ? {} : { hint });
}
