import type { RunServer } from './server-call.ts';

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

export const SERVERS: readonly ServerCommand[] = [
  {
    name: 'mcp',
    summary: 'serve agents over MCP, on standard input and output',
    description:
      'Serves an agent over the Model Context Protocol on standard input and output, until either is closed. Agents start ' +
      'it themselves: `loci mcp config CLIENT` says what to give them. Every verb that needs none of your files is a tool; ' +
      'what an agent writes is marked as such.',
    operands: [],
    options: [],
    examples: [{ title: 'What an agent runs', line: 'loci mcp' }],
    load: async () => (await import('../mcp/stdio.ts')).serveMcp,
  },
];
