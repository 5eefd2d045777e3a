import { homedir } from 'node:os';
import { join } from 'node:path';
import { LociError } from '../../core/errors.ts';

const NEEDS_SHELL = 'Put it in single quotes if it is meant as it stands, or say `shell: true`.';
const OPERATORS = '|&;<>()`\n\r';
/** What `$` begins in a shell: a variable, a parameter, `${…}`, `$(…)`. */
const EXPANSION = /^\$[A-Za-z_0-9{(?$!#*@-]/;
/** What a backslash keeps from its meaning within double quotes; before anything else it stands for itself. */
const ESCAPED_IN_QUOTES = '$`"\\';

/**
 * The words of a command line, as a POSIX shell would split it, without running one: quotes, backslashes, and a leading
 * `~/` as the home folder. Patterns such as `*.ics` stay as they are.
 * @throws LociError `invalid_config` that names what only a shell could do, or an unclosed quote
 */
export function splitCommand(line: string): string[] {
  if (line.includes('\0')) throw unfit('the command has a NUL character');
  const words: string[] = [];
  let at = 0;
  while (true) {
    while (at < line.length && (isBlank(line[at]!) || isJoint(line, at))) at += isBlank(line[at]!) ? 1 : 2;
    if (at >= line.length) break;
    const word = readWord(line, at, words.length === 0);
    words.push(word.text);
    at = word.end;
  }
  return words;
}

/**
 * Program and arguments to start: a list as it is, a line as its words, or with `shell` the line as one argument of
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
    throw unfit('`shell: true` goes with a command line, not with a list', 'Write the command as one text.');
  }
  const argv = typeof command === 'string' ? splitCommand(command) : command;
  if (argv[0] === undefined || argv[0] === '') throw unfit('the command names no program');
  if (argv.some((word) => word.includes('\0'))) throw unfit('the command has a NUL character');
  return argv;
}

interface Read {
  readonly text: string;
  /** Where the rest begins. */
  readonly end: number;
}

function readWord(line: string, start: number, first: boolean): Read {
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

function readPiece(line: string, at: number): Read {
  const char = line[at]!;
  if (char === "'") return readSingleQuoted(line, at);
  if (char === '"') return readDoubleQuoted(line, at);
  if (char === '\\') {
    const next = line[at + 1];
    if (next === undefined) throw unfit('the command ends with a backslash that has nothing behind it');
    return { text: isJoint(line, at) ? '' : next, end: at + 2 };
  }
  if (OPERATORS.includes(char)) throw needsShell(nameOf(char));
  if (/^\$['"]/.test(line.slice(at, at + 2))) throw needsShell(line.slice(at, at + 2));
  refuseExpansion(line, at);
  return { text: char, end: at + 1 };
}

function readSingleQuoted(line: string, start: number): Read {
  const end = line.indexOf("'", start + 1);
  if (end < 0) throw unclosed("'", line, start);
  return { text: line.slice(start + 1, end), end: end + 1 };
}

function readDoubleQuoted(line: string, start: number): Read {
  let text = '';
  for (let at = start + 1; at < line.length; at++) {
    const char = line[at]!;
    if (char === '"') return { text, end: at + 1 };
    if (char === '`') throw needsShell(nameOf(char));
    refuseExpansion(line, at);
    const next = line[at + 1];
    if (char === '\\' && next !== undefined && ESCAPED_IN_QUOTES.includes(next)) {
      text += next;
      at++;
    } else if (isJoint(line, at)) at++;
    else text += char;
  }
  throw unclosed('"', line, start);
}

function refuseExpansion(line: string, at: number): void {
  const found = line[at] === '$' ? EXPANSION.exec(line.slice(at, at + 2)) : null;
  if (found === null) return;
  const name = /^\$[A-Za-z_0-9]+/.exec(line.slice(at, at + 64));
  throw needsShell(name?.[0] ?? found[0]);
}

/** Blanks that part words: the end of a line would begin another command. */
function isBlank(char: string): boolean {
  return char === ' ' || char === '\t';
}

/** A backslash before the end of a line: the next line goes on with this one. */
function isJoint(line: string, at: number): boolean {
  return line[at] === '\\' && line[at + 1] === '\n';
}

function nameOf(operator: string): string {
  if (operator === '\n' || operator === '\r') return 'the end of a line';
  return operator === '`' ? '` (a backtick)' : operator;
}

function needsShell(what: string): LociError {
  return unfit(`the command needs a shell for ${what}`, NEEDS_SHELL);
}

function unclosed(quote: string, line: string, start: number): LociError {
  const rest = line.slice(start, start + 20);
  return unfit(
    `a quote is not closed in the command: ${rest}`,
    `Close it with ${quote}, or put a backslash before it.`,
  );
}

function unfit(message: string, hint?: string): LociError {
  return new LociError('invalid_config', message, hint === undefined ? {} : { hint });
}
