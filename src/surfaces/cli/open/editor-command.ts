import { basename } from 'node:path';
import { LociError } from '../../../core/errors.ts';
import { splitCommand } from '../../../core/text/split-command.ts';

/** How an editor takes the line to show. */
type LineStyle = 'plus' | 'goto' | 'suffix';

/** By the name of the program, without version and `.exe`. */
const LINE_STYLES: Readonly<Record<LineStyle, ReadonlySet<string>>> = {
  plus: new Set(
    'vi vim nvim gvim mvim view ex vis nano pico emacs emacsclient micro kak joe mg jed ne mcedit gedit'.split(
      ' ',
    ),
  ),
  goto: new Set('code code-insiders codium vscodium cursor windsurf'.split(' ')),
  suffix: new Set('subl sublime_text hx helix zed zeditor'.split(' ')),
};

/** Editors that show the file in the terminal in which they are started. */
const TERMINAL_EDITORS: ReadonlySet<string> = new Set(
  'vi vim nvim view ex vis nano pico micro kak joe jed ne mcedit hx helix ed'.split(' '),
);

/** The editor of the user, as the variable has it; `null` if none is set. */
export function editorOf(env: NodeJS.ProcessEnv): string | null {
  return (
    [env['VISUAL'], env['EDITOR']].find((editor) => editor !== undefined && editor.trim() !== '') ?? null
  );
}

/** Whether the editor may be one that `npm` and `npx` set: they set `EDITOR` to vi for a user who has set none. */
export function mayBeSetByNpm(env: NodeJS.ProcessEnv): boolean {
  return env['npm_config_user_agent'] !== undefined && editorOf(env) === 'vi';
}

/** @throws LociError `invalid_input` for an editor that only a shell can start */
export function needsTerminal(editor: string): boolean {
  return TERMINAL_EDITORS.has(programName(editorWords(editor)[0]!));
}

/**
 * The program and arguments that open a file in an editor. The line, from 1, is left out for an editor that is not known to
 * take one.
 * @throws LociError `invalid_input` for an editor that only a shell can start
 */
export function editorCommand(editor: string, file: string, line: number | null): string[] {
  const words = editorWords(editor);
  const style = line === null ? null : lineStyle(words[0]!);
  switch (style) {
    case 'plus':
      return [...words, `+${String(line)}`, file];
    case 'goto':
      return [...words, '--goto', `${file}:${String(line)}`];
    case 'suffix':
      return [...words, `${file}:${String(line)}`];
    case null:
      return [...words, file];
  }
}

function editorWords(editor: string): string[] {
  try {
    return splitCommand(editor);
  } catch (error) {
    if (!(error instanceof LociError)) throw error;
    throw new LociError(
      'invalid_input',
      `the editor ${JSON.stringify(editor)} needs a shell: ${error.message}`,
      {
        hint: 'Set $VISUAL or $EDITOR to a program with its options, such as `code --wait`.',
      },
    );
  }
}

/** The name without version and `.exe`. */
function programName(program: string): string {
  return basename(program)
    .toLowerCase()
    .replace(/\.(?:exe|cmd)$/, '')
    .replace(/-?[\d.]+$/, '');
}

function lineStyle(program: string): LineStyle | null {
  const name = programName(program);
  const found = Object.entries(LINE_STYLES).find(([, names]) => names.has(name));
  return found === undefined ? null : (found[0] as LineStyle);
}
