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

/** The editor of the user, as the variable has it; `null` if none is set. */
export function editorOf(env: NodeJS.ProcessEnv): string | null {
  return (
    [env['VISUAL'], env['EDITOR']].find((editor) => editor !== undefined && editor.trim() !== '') ?? null
  );
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

function lineStyle(program: string): LineStyle | null {
  const name = basename(program)
    .toLowerCase()
    .replace(/\.(?:exe|cmd)$/, '')
    .replace(/-?[\d.]+$/, '');
  const found = Object.entries(LINE_STYLES).find(([, names]) => names.has(name));
  return found === undefined ? null : (found[0] as LineStyle);
}
