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
 * `FORCE_COLOR` turns them on anywhere; as in Node, `FORCE_COLOR` wins.
 */
export function hasColours(output: Output, env: NodeJS.ProcessEnv): boolean {
  const { FORCE_COLOR: force, NO_COLOR: no, TERM: term } = env;
  if (force !== undefined) return force !== '0' && force !== 'false';
  if (no !== undefined && no !== '') return false;
  return isTerminal(output) && term !== 'dumb';
}

const PLAIN: Paint = (text) => text;

export function makeStyle(colours: boolean): Style {
  const sgr = (on: string, off: string): Paint =>
    colours ? (text) => (text === '' ? '' : `\u001b[${on}m${text}\u001b[${off}m`) : PLAIN;
  return {
    bold: sgr('1', '22'),
    dim: sgr('2', '22'),
    mark: sgr('1;4', '22;24'),
    link: sgr('36', '39'),
    good: sgr('32', '39'),
    warning: sgr('33', '39'),
    bad: sgr('31', '39'),
  };
}
