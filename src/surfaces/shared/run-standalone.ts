import type { Timestamp } from '../../core/types.ts';
import type { OpenContext } from '../../operations/context.ts';
import type { Io } from './io.ts';

/** The parsed command line of a command that is not an operation, such as `loci serve`. */
export interface StandaloneCall {
  readonly operands: readonly string[];
  /** Values by option name; options that were not given are absent. */
  readonly options: Readonly<Record<string, string | true>>;
  /** The values of each option that was given and may be repeated, in their order. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly json: boolean;
  readonly home: string | undefined;
}

/** The command line to which a standalone command belongs. */
export interface CommandLine {
  /** Lets a server answer commands of other processes with its open engine. */
  readonly answerCommands: AnswerCommands;
}

/** Listens for commands until the returned function is called. A server that cannot listen works without. */
export type AnswerCommands = (context: OpenContext, makeLink?: MakePageLink) => Promise<() => void>;

/** Makes a link that opens the web page of a server once. */
export type MakePageLink = () => Promise<PageLink>;

export interface PageLink {
  /** Where the server listens: `http://127.0.0.1:8737`. */
  readonly address: string;
  readonly code: string;
  readonly expiresAt: Timestamp;
}

/** Runs the command, a server until it ends, and returns the exit code. */
export type RunStandalone = (call: StandaloneCall, io: Io, commandLine: CommandLine) => Promise<number>;
