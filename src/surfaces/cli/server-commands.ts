import type { RunServer } from '../shared/server-call.ts';

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
  {
    name: 'mcp config',
    summary: 'print what makes an agent use Loci',
    description:
      'Prints the settings, or the command, that make an agent start `loci mcp` on this machine, or ask a server of yours ' +
      'over HTTP. Nothing is changed. docs/clients.md has them all.',
    operands: [
      {
        label: 'client',
        description: 'The agent: claude-code, claude-desktop, gemini-cli, cursor or vscode.',
      },
    ],
    options: [
      {
        name: 'http',
        placeholder: 'url',
        description:
          'Ask the server at this address instead of starting a process; its token is read from $LOCI_TOKEN.',
      },
    ],
    examples: [
      { title: 'Claude Code starts a process', line: 'loci mcp config claude-code' },
      { title: 'Cursor asks a server', line: 'loci mcp config cursor --http https://loci.example.org/mcp' },
    ],
    load: async () => (await import('../mcp/clients/print-config.ts')).printClientConfig,
  },
  {
    name: 'serve',
    summary: 'serve the verbs over HTTP',
    description:
      'Serves every verb that needs none of your files over HTTP, until Ctrl-C or SIGTERM: docs/rest.md says how to ask. ' +
      'Every request needs a token (`loci token create`).',
    operands: [],
    options: [
      {
        name: 'host',
        placeholder: 'address',
        description: 'the address to listen at, instead of server.host',
      },
      { name: 'port', placeholder: 'n', description: 'the port, instead of server.port; 0 takes any' },
      { name: 'socket', placeholder: 'file', description: 'a Unix socket to listen at instead' },
    ],
    examples: [
      { title: 'On this machine alone', line: 'loci serve' },
      { title: 'Through a socket that is yours alone', line: 'loci serve --socket ~/.loci/loci.sock' },
    ],
    load: async () => (await import('../rest/command.ts')).serveRest,
  },
  {
    name: 'watch',
    summary: 'refresh vaults and sources until it is stopped',
    description:
      'Refreshes vaults and sources in the foreground, until Ctrl-C or SIGTERM. Changed notes are read and embedded, and ' +
      'commands of approved sources run, each when it is due. It first lists what it refreshes and what it does not, and then ' +
      'prints one line for each refresh. Restart it after a change of loci.yaml. `loci serve` and `loci mcp` refresh vaults and ' +
      'sources too; of several processes, one at a time refreshes a source. With --json each event is a line of JSON.',
    operands: [],
    options: [],
    examples: [
      { title: 'Refresh everything when it is due', line: 'loci watch' },
      { title: 'In JSON Lines, for another program', line: 'loci watch --json' },
    ],
    load: async () => (await import('./watch/watch.ts')).watch,
  },
];
