import { homedir } from 'node:os';
import { join } from 'node:path';
import { LociError } from '../errors.ts';

const NEEDS_SHELL = 'Put it in single quotes to take it literally, or set `shell: true`.';
/** A home folder at the beginning of a word. */
const HOME = /~(?:\/|(?=[ \t]|$))/y;
const ASSIGNMENT = /[A-Za-z_]\w*=/y;
/**
 * A piece of a line. What begins an expansion, an operator and a quote without its end are none. A `$` before what is not the name of a
 * variable is literal.
 */
const PIECE =
  /(?<blank>[ \t]+)|'(?<single>[^']*)'|"(?<double>(?:[^"\\$`]|\\[^]|\$(?![\w{(?$!#*@-]))*)(?<end>"?)|\\(?<escaped>[^])|(?<plain>(?:[^ \t\\'"$|&;<>()`\n\r]|\$(?![\w{(?$!#*@'"-]))+)/y;
/** The characters that a backslash escapes within double quotes, where it is literal before any other. */
const ESCAPED_IN_QUOTES = /\\(?:\n|([$`"\\]))/g;
/** A variable, a parameter, `${…}` or `$(…)`, in as many characters as a message shows. */
const EXPANSION = /\$(?:\w{1,63}|.)/y;

/**
 * Splits a command line into words as a POSIX shell does, without running one: quotes, backslashes, and a leading `~/` for the home
 * folder. Patterns such as `*.ics` are not expanded.
 * @throws LociError `invalid_config` that names the part that needs a shell, or an unclosed quote
 */
export function splitCommand(line: string): string[] {
  if (line.includes('\0')) throw badCommand('the command has a NUL character');
  const words: string[] = [];
  let word: string | null = null;
  for (let offset = 0; offset < line.length; offset = PIECE.lastIndex) {
    if (word === null) {
      assertNoShellWord(line, offset, words.length === 0);
      const home = matchAt(HOME, line, offset)?.[0];
      if (home !== undefined) word = home === '~' ? homedir() : join(homedir(), '/');
      if (home !== undefined) offset += home.length;
      if (offset === line.length) break;
    }
    const piece = matchAt(PIECE, line, offset)?.groups;
    if (piece === undefined || piece['end'] === '') throw faultAt(line, offset, PIECE.lastIndex);
    const { blank, single, double, escaped, plain } = piece;
    if (blank !== undefined) {
      if (word !== null) words.push(word);
      word = null;
      // A backslash before a line break joins the two lines.
    } else if (escaped !== '\n')
      word = (word ?? '') + (single ?? double?.replaceAll(ESCAPED_IN_QUOTES, '$1') ?? escaped ?? plain ?? '');
  }
  return word === null ? words : [...words, word];
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

function matchAt(pattern: RegExp, line: string, offset: number): RegExpExecArray | null {
  pattern.lastIndex = offset;
  return pattern.exec(line);
}

/** @throws LociError `invalid_config` for what a shell does not take for a word of the command */
function assertNoShellWord(line: string, offset: number, isFirst: boolean): void {
  if (line[offset] === '#') throw needsShell('# (a comment)');
  if (isFirst && matchAt(ASSIGNMENT, line, offset) !== null)
    throw needsShell('a variable before the program');
}

/** @param end where the part of a text in double quotes ends that was read */
function faultAt(line: string, offset: number, end: number): LociError {
  const char = line[offset]!;
  if (char === '\\') return badCommand('the command ends with a backslash that escapes nothing');
  const [at, stop] = char === '"' ? [end, line[end]] : [offset, char];
  if (stop === '$') return needsShell(matchAt(EXPANSION, line, at)![0]);
  if (char !== "'" && stop !== undefined && stop !== '\\') return needsShell(operatorName(stop));
  const rest = line.slice(offset, offset + 20);
  return badCommand(
    `a quote is not closed in the command: ${rest}`,
    `Close it with ${char}, or escape it with a backslash.`,
  );
}

function operatorName(operator: string): string {
  if (operator === '\n' || operator === '\r') return 'a line break';
  return operator === '`' ? '` (a backtick)' : operator;
}

function needsShell(feature: string): LociError {
  return badCommand(`the command needs a shell for ${feature}`, NEEDS_SHELL);
}

function badCommand(message: string, hint?: string): LociError {
  return new LociError('invalid_config', message, hint === undefined ? {} : { hint });
}

/** Quotes a value for a POSIX shell if it needs quotes. A `~` at the beginning is left for the shell to expand. */
export function shellWord(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (/^[\w~@%+=:,./-]+$/.test(text)) return text;
  return text.includes('"') || /[$`\\!]/.test(text) ? `'${text.replaceAll("'", `'\\''`)}'` : `"${text}"`;
}
