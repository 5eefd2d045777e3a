import type { Io } from './io.ts';

/** What a command line says to a command that serves. */
export interface ServerCall {
  readonly operands: readonly string[];
  /** By name; what was not given is not there. */
  readonly options: Readonly<Record<string, string | true>>;
  readonly json: boolean;
  readonly home: string | undefined;
}

/** Ends when the server does; answers the exit code. */
export type RunServer = (call: ServerCall, io: Io) => Promise<number>;
