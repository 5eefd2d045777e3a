import type { Io } from './io.ts';

/** The parsed command line of a server command such as `loci serve`. */
export interface ServerCall {
  readonly operands: readonly string[];
  /** Values by option name; options that were not given are absent. */
  readonly options: Readonly<Record<string, string | true>>;
  readonly json: boolean;
  readonly home: string | undefined;
}

/** Runs until the server ends, and returns the exit code. */
export type RunServer = (call: ServerCall, io: Io) => Promise<number>;
