import type { Command } from 'commander';
import type { Io } from './io.ts';

/** The parsed command line of a command that is not an operation, such as `loci serve`. */
export interface StandaloneCall {
  readonly operands: readonly string[];
  /** Values by option name; options that were not given are absent. */
  readonly options: Readonly<Record<string, string | true>>;
  readonly json: boolean;
  readonly home: string | undefined;
}

/**
 * Runs the command, a server until it ends, and returns the exit code.
 * @param wholeProgram builds the command line with the options of every command
 */
export type RunStandalone = (
  call: StandaloneCall,
  io: Io,
  wholeProgram: () => Promise<Command>,
) => Promise<number>;
