import { styleText } from 'node:util';
import { isTerminal, type Output } from '../../shared/io.ts';

type Paint = (text: string) => string;

export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  /** Marks a word that matched. */
  readonly mark: Paint;
  readonly link: Paint;
  readonly good: Paint;
  readonly warning: Paint;
  readonly bad: Paint;
}

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
  const paint =
    (format: Parameters<typeof styleText>[0]): Paint =>
    (text) =>
      colours && text !== '' ? styleText(format, text, { validateStream: false }) : text;
  return {
    bold: paint('bold'),
    dim: paint('dim'),
    mark: paint(['bold', 'underline']),
    link: paint('cyan'),
    good: paint('green'),
    warning: paint('yellow'),
    bad: paint('red'),
  };
}
