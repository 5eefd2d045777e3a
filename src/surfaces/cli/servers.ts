import type { Io } from './io.ts';

/** A command that is no verb: it serves the verbs to others, or says how one connects to it. */
export interface ServerCommand {
  /** What follows `loci`: `mcp`, `mcp config`. A command of one word may hold others. */
  readonly name: string;
  /** One line, without a full stop. */
  readonly summary: string;
  readonly description: string;
  readonly operands: readonly ServerOperand[];
  readonly options: readonly ServerOption[];
  readonly examples: readonly { readonly title: string; readonly line: string }[];
  readonly load: () => Promise<RunServer>;
}

/** What is not given is asked for by the command itself, so that it can say what there is. */
export interface ServerOperand {
  readonly label: string;
  readonly description: string;
}

export interface ServerOption {
  readonly name: string;
  /** What stands for its value; `null` of a flag. */
  readonly placeholder: string | null;
  readonly description: string;
}

/** What a command line says to such a command. */
export interface ServerCall {
  readonly operands: readonly string[];
  /** By name; what was not given is not there. */
  readonly options: Readonly<Record<string, string | true>>;
  readonly json: boolean;
  readonly home: string | undefined;
}

/** Ends when the server does; answers the exit code. */
export type RunServer = (call: ServerCall, io: Io) => Promise<number>;

export const SERVERS: readonly ServerCommand[] = [];
