import { homedir } from 'node:os';
import { join } from 'node:path';
import { LociError } from '../errors.ts';

const NEEDS_SHELL = 'Put it in single quotes to take it literally, or set `shell: true`.';
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
  let offset = 0;
  while (true) {
    while (offset < line.length && (isBlank(line[offset]!) || isLineContinuation(line, offset)))
      offset += isBlank(line[offset]!) ? 1 : 2;
    if (offset >= line.length) break;
    const word = readWord(line, offset, words.length === 0);
    words.push(word.text);
    offset = word.end;
  }
  return words;
}

/**
 * Returns the program and its arguments. A list is returned unchanged, and a line is split into words. With `shell`, the line
 * is an argument of `/bin/sh -c`.
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
  /** Offset of the first character after the piece. */
  readonly end: number;
}

function readWord(line: string, start: number, isFirst: boolean): Piece {
  if (line[start] === '#') throw needsShell('# (a comment)');
  if (isFirst && /^[A-Za-z_][A-Za-z0-9_]*=/.test(line.slice(start)))
    throw needsShell('a variable before the program');
  let text = '';
  let offset = start;
  if (
    line[offset] === '~' &&
    (line[offset + 1] === '/' || offset + 1 >= line.length || isBlank(line[offset + 1]!))
  ) {
    text = line[offset + 1] === '/' ? join(homedir(), '/') : homedir();
    offset += line[offset + 1] === '/' ? 2 : 1;
  }
  while (offset < line.length && !isBlank(line[offset]!)) {
    const piece = readPiece(line, offset);
    text += piece.text;
    offset = piece.end;
  }
  return { text, end: offset };
}

function readPiece(line: string, offset: number): Piece {
  const char = line[offset]!;
  if (char === "'") return readSingleQuoted(line, offset);
  if (char === '"') return readDoubleQuoted(line, offset);
  if (char === '\\') {
    const next = line[offset + 1];
    if (next === undefined) throw badCommand('the command ends with a backslash that escapes nothing');
    return { text: isLineContinuation(line, offset) ? '' : next, end: offset + 2 };
  }
  if (OPERATORS.includes(char)) throw needsShell(operatorName(char));
  if (/^\$['"]/.test(line.slice(offset, offset + 2))) throw needsShell(line.slice(offset, offset + 2));
  assertNoExpansion(line, offset);
  return { text: char, end: offset + 1 };
}

function readSingleQuoted(line: string, start: number): Piece {
  const end = line.indexOf("'", start + 1);
  if (end < 0) throw unclosed("'", line, start);
  return { text: line.slice(start + 1, end), end: end + 1 };
}

function readDoubleQuoted(line: string, start: number): Piece {
  let text = '';
  for (let offset = start + 1; offset < line.length; offset++) {
    const char = line[offset]!;
    if (char === '"') return { text, end: offset + 1 };
    if (char === '`') throw needsShell(operatorName(char));
    assertNoExpansion(line, offset);
    const next = line[offset + 1];
    if (char === '\\' && next !== undefined && ESCAPED_IN_QUOTES.includes(next)) {
      text += next;
      offset++;
    } else if (isLineContinuation(line, offset)) offset++;
    else text += char;
  }
  throw unclosed('"', line, start);
}

function assertNoExpansion(line: string, offset: number): void {
  const found = line[offset] === '$' ? EXPANSION.exec(line.slice(offset, offset + 2)) : null;
  if (found === null) return;
  const name = /^\$[A-Za-z_0-9]+/.exec(line.slice(offset, offset + 64));
  throw needsShell(name?.[0] ?? found[0]);
}

/** Spaces and tabs separate words. A line break would begin another command. */
function isBlank(char: string): boolean {
  return char === ' ' || char === '\t';
}

/** A backslash before a line break joins the two lines. */
function isLineContinuation(line: string, offset: number): boolean {
  return line[offset] === '\\' && line[offset + 1] === '\n';
}

function operatorName(operator: string): string {
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
