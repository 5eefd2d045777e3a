import type { LociError } from '../../../core/errors.ts';
import type { Style } from '../format/style.ts';

/** How a verb's answer is told to a person. Everything in it that others wrote is neutralised. */
export interface Renderer<Output> {
  /** Whole lines. */
  render(output: Output, view: View): string;
  /** What goes to standard error as a warning, with `--json` too. */
  notices?(output: Output): string[];
  /** What failed of it: told after the rest, as every error is, and its exit code. */
  failure?(output: Output): LociError | null;
  /** Else 0. */
  exitCode?(output: Output): number;
  /** The settings' warnings are in what it renders. */
  readonly showsWarnings?: boolean;
}

export interface View {
  readonly style: Style;
  readonly columns: number;
  /** Whether a terminal shows it, so that nothing in it may be obeyed. */
  readonly terminal: boolean;
  /** Names of the view options that were given. */
  readonly options: ReadonlySet<string>;
}
