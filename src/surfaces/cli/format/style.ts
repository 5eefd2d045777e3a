import { styleText } from 'node:util';
import { isTerminal, type Output } from '../../shared/io.ts';

type Paint = (text: string) => string;

/** What is painted, and how. `mark` is a word that matched. */
const FORMATS = {
  bold: 'bold',
  dim: 'dim',
  mark: ['bold', 'underline'],
  link: 'cyan',
  good: 'green',
  warning: 'yellow',
  bad: 'red',
} satisfies Record<string, Parameters<typeof styleText>[0]>;

export type Style = Readonly<Record<keyof typeof FORMATS, Paint>>;

/**
 * Whether to print colours: by default only on a terminal. `NO_COLOR` (https://no-color.org) turns them off, and
 * `FORCE_COLOR` turns them on anywhere; as in Node, `FORCE_COLOR` wins. The variables are those of the command, which may run in
 * another process, while `styleText` reads those of its own.
 */
export function hasColours(output: Output, env: NodeJS.ProcessEnv): boolean {
  const { FORCE_COLOR: force, NO_COLOR: no, TERM: term } = env;
  if (force !== undefined) return force !== '0' && force !== 'false';
  if (no !== undefined && no !== '') return false;
  return isTerminal(output) && term !== 'dumb';
}

export function makeStyle(colours: boolean): Style {
  const paints = Object.entries(FORMATS).map(([name, format]): [string, Paint] => [
    name,
    (text) => (colours && text !== '' ? styleText(format, text, { validateStream: false }) : text),
  ]);
  return Object.fromEntries(paints) as Style;
}
