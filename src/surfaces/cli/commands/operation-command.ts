import type { LociError } from '../../../core/errors.ts';
import type { Style } from '../format/style.ts';

/**
 * The command line's part of an operation: the syntax of its input and the text of its output. Everything else follows from the
 * operation's schema.
 */
export interface OperationCommand<Output> extends Partial<CommandSyntax> {
  /** Formats the output for a person, in complete lines. Text from records, sources and files must be escaped. */
  render(output: Output, view: View): string;
  /** The question on a terminal before the operation runs, unless `--yes` is given; `null` for none. */
  question?(input: unknown): string | null;
  /** Warnings for standard error, printed with `--json` too. */
  warnings?(output: Output): string[];
  /** The part of the work that failed; it is printed after the output as an error, and sets the exit code. */
  failure?(output: Output): LociError | null;
  /** Default: 0. */
  exitCode?(output: Output): number;
  /** Whether `render` prints the warnings of the settings. */
  readonly rendersConfigWarnings?: boolean;
  /** Whether it may take more than a second, other than an operation with steps. The store then has threads, so that Ctrl-C stops it. */
  readonly isLong?: boolean;
}

export interface CommandSyntax {
  readonly operands: readonly Operand[];
  /** Names of short options, one letter each, by field. */
  readonly shortOptions: Readonly<Record<string, string>>;
  /** A second name of an option, by field. */
  readonly aliases: Readonly<Record<string, string>>;
  /** List fields whose option accepts several values separated by commas. Lists of choices need no entry here. */
  readonly commaLists: readonly string[];
  /** Flags for which `--no-…` differs from leaving the option out. */
  readonly negatable: readonly string[];
  /** Fields that only `--input` can set. */
  readonly inputOnly: readonly string[];
  /** Options that change what is printed, not what is done. */
  readonly viewOptions: readonly ViewOption[];
}

/** A positional argument. */
export interface Operand {
  readonly field: string;
  /** The argument's name in usage texts, in lower case. */
  readonly label: string;
  /** `words` joins all arguments by spaces, so that they need no quotes; a single `-` reads standard input. */
  readonly takes: 'one' | 'words' | 'list';
}

export interface ViewOption {
  readonly name: string;
  readonly description: string;
}

export interface View {
  readonly style: Style;
  readonly columns: number;
  /** Whether the output is a terminal, which interprets control characters. */
  readonly terminal: boolean;
  /** Names of the view options that were given. */
  readonly options: ReadonlySet<string>;
}
