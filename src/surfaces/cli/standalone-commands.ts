import { Argument, type Command } from 'commander';
import type { RunStandalone, StandaloneCall } from '../shared/run-standalone.ts';

/** A command that is not an operation: it runs a server, or concerns only this machine and its terminal. */
export interface StandaloneCommand {
  /** The words after `loci`: `mcp`, `mcp config`. */
  readonly name: string;
  /** One line, without a full stop. */
  readonly summary: string;
  readonly description: string;
  /** All are optional for the parser; the command itself reports a missing one. */
  readonly operands: readonly StandaloneOperand[];
  /** Descriptions by name; an option with a value has that as a placeholder: `http <url>`. */
  readonly options: Readonly<Record<string, string>>;
  /** The same for options with a value that may be repeated. */
  readonly lists?: Readonly<Record<string, string>>;
  readonly examples: readonly { readonly title: string; readonly line: string }[];
  readonly load: () => Promise<RunStandalone>;
}

interface StandaloneOperand {
  readonly label: string;
  readonly description: string;
  /** The values that it may have, for the completion of shells. The command itself reports others. */
  readonly choices?: readonly string[];
}

const OPENCLAW_PROGRAM = { 'openclaw <path>': 'the program of OpenClaw; by default, `openclaw` on the PATH' };

const SEVERAL = 'May be repeated, or take several separated by commas.';

export const STANDALONE_COMMANDS: readonly StandaloneCommand[] = [
  {
    name: 'open',
    summary: 'open a note in your editor or in Obsidian',
    description:
      'Opens the file of a note in your editor ($VISUAL, else $EDITOR), at the line of the citation if the editor can. ' +
      'Without an editor, a vault of Obsidian is opened in Obsidian. The editor is started without a shell.',
    operands: [
      {
        label: 'citation...',
        description: 'A citation of a note, or its name: what `loci get` accepts.',
      },
    ],
    options: {
      obsidian: 'open it in Obsidian, even if an editor is set',
      print: 'print the path, or the URL for Obsidian, and open nothing',
    },
    examples: [
      { title: 'A search result, at its line', line: 'loci open "Home/Kitchen remodel.md#L24-L40"' },
      { title: 'A note by its name, in Obsidian', line: 'loci open --obsidian kitchen remodel' },
      { title: 'Where the file is', line: 'loci open --print kitchen remodel' },
    ],
    load: async () => (await import('./open/open.ts')).openNote,
  },
  {
    name: 'recall',
    summary: 'find notes in the pools that an agent sees',
    description:
      'Finds notes in the pools of `adapters.pools` that an agent sees, with the adapter that `memory.adapter` names: what a program ' +
      'gets from `loci-memory/adapters`. What has changed in these pools is read first. Hot and warm pools are searched; cold ones ' +
      'only if --tier names them. --pool and --tier never show an agent more than it sees. docs/adapters.md explains pools.',
    operands: [{ label: 'query...', description: 'Natural language, or keywords.' }],
    options: {
      'agent <id>': 'the agent that asks; by default, main',
      'adapter <filesystem|lancedb|loci>': 'the adapter, instead of memory.adapter',
      'limit <n>': 'the largest number of results, from 1 to 1000; by default, 10',
      'mode <keyword|semantic>':
        'search by words only, or by meaning only; by default, by all that the adapter can',
      wait: 'wait until everything has a vector; until then, a text is found by its words',
      status: 'show the pools, what the adapter has of them, and what is wrong; the exit code is 1 then',
    },
    lists: {
      'tier <hot|warm|cold>': `the only tiers that are searched; by default, hot and warm. ${SEVERAL}`,
      'pool <id>': `the only pools that are searched. ${SEVERAL}`,
      'filter <key=value>':
        'what the front matter of a note must have. May be repeated; of several with the same key, one is enough.',
    },
    examples: [
      { title: 'What the agent main finds', line: 'loci recall "which oven did we choose"' },
      {
        title: 'In cold pools too, with LanceDB',
        line: 'loci recall "which oven did we choose" --adapter lancedb --tier hot,warm,cold',
      },
      {
        title: 'Notes about two projects, for an agent with other pools',
        line: 'loci recall budget --agent research --filter project=kitchen --filter project=garden',
      },
      { title: 'Whether LanceDB works here', line: 'loci recall --status --adapter lancedb' },
      { title: 'Index all pools, with all vectors', line: 'loci recall --status --wait' },
    ],
    load: async () => (await import('./pools/recall.ts')).recall,
  },
  {
    name: 'mcp',
    summary: 'serve agents over MCP, on standard input and output',
    description:
      'Serves an agent over the Model Context Protocol on standard input and output, until either is closed. Agents start ' +
      'it themselves: `loci mcp config CLIENT` prints the settings that they need. Every operation that needs no local ' +
      'files is a tool. What an agent writes is marked as written by an agent.',
    operands: [],
    options: {},
    examples: [{ title: 'What an agent runs', line: 'loci mcp' }],
    load: async () => (await import('../mcp/stdio.ts')).serveMcp,
  },
  {
    name: 'mcp config',
    summary: 'print the settings that connect an agent to Loci',
    description:
      'Prints the settings, or the command, that make an agent start `loci mcp` on this machine, or connect to a server ' +
      'over HTTP. Changes nothing. docs/clients.md lists them for every agent.',
    operands: [
      {
        label: 'client',
        description: 'The agent: claude-code, claude-desktop, gemini-cli, cursor or vscode.',
        choices: ['claude-code', 'claude-desktop', 'gemini-cli', 'cursor', 'vscode'],
      },
    ],
    options: {
      'http <url>':
        'Connect to the server at this address instead of starting a process; the token is read from $LOCI_TOKEN.',
    },
    examples: [
      { title: 'Claude Code starts a process', line: 'loci mcp config claude-code' },
      {
        title: 'Cursor connects to a server',
        line: 'loci mcp config cursor --http https://loci.example.org/mcp',
      },
    ],
    load: async () => (await import('../mcp/client-setup.ts')).printClientConfig,
  },
  {
    name: 'serve',
    summary: 'serve the operations over HTTP',
    description:
      'Serves every operation that needs no local files over HTTP, until Ctrl-C or SIGTERM; docs/rest.md describes the ' +
      'API. Every request needs a token (`loci serve token create`).',
    operands: [],
    options: {
      'host <address>': 'the address to listen at, instead of server.host',
      'port <n>': 'the port, instead of server.port; 0 takes any free port',
      'socket <file>': 'a Unix socket to listen at, instead of host and port',
    },
    examples: [
      { title: 'On this machine only', line: 'loci serve' },
      { title: 'At a socket that only you can open', line: 'loci serve --socket ~/.loci/loci.sock' },
    ],
    load: async () => (await import('../rest/serve.ts')).serveRest,
  },
  {
    name: 'ui',
    summary: 'open the web page of your memory',
    description:
      'Opens the web page in your browser, with a link that works once and within a minute; there is no password. If no server of ' +
      'this home runs, one is started on this machine, until Ctrl-C. The page is open for 30 days, or until it was not used for 7; ' +
      '`loci serve token list` lists what is open, and `loci serve token revoke` ends it. docs/ui.md describes the page.',
    operands: [],
    options: { print: 'open nothing, and print the link, and how to open it from another machine over SSH' },
    examples: [
      { title: 'Open the page', line: 'loci ui' },
      { title: 'On a machine without a screen', line: 'loci ui --print' },
    ],
    load: async () => (await import('./ui/ui.ts')).openPage,
  },
  {
    name: 'openclaw setup',
    summary: 'make Loci the memory of OpenClaw',
    description:
      'Installs the plugin memory-loci in OpenClaw, gives it the memory slot, takes memory-core out of the way, indexes the memory ' +
      'files of all agents, and checks in a gateway that memory_search answers from Loci. openclaw.json is backed up byte for byte, and ' +
      'only the keys that it needs are changed. If a step fails, OpenClaw is as it was before.',
    operands: [],
    options: {
      'dry-run': 'print every step, and change nothing',
      beside: 'keep memory-core, and add the facts and runs of Loci to what it finds with corpus=all',
      transcripts: 'also index your private conversations from before, where OpenClaw remembers them',
      yes: 'do not ask; needed where there is no terminal',
      ...OPENCLAW_PROGRAM,
    },
    examples: [
      { title: 'What it would do', line: 'loci openclaw setup --dry-run' },
      { title: 'Set it up', line: 'loci openclaw setup' },
      { title: 'Keep memory-core', line: 'loci openclaw setup --beside' },
    ],
    load: async () => (await import('../openclaw/setup/setup.ts')).setUpOpenclaw,
  },
  {
    name: 'openclaw undo',
    summary: 'restore what was there before `loci openclaw setup`',
    description:
      'Restores openclaw.json byte for byte, and removes the copy of the plugin. A file that was changed since is left as it is, and the ' +
      'keys that setup has changed there are named. The memory in the Loci home stays.',
    operands: [],
    options: { ...OPENCLAW_PROGRAM },
    examples: [{ title: 'Restore it', line: 'loci openclaw undo' }],
    load: async () => (await import('../openclaw/setup/undo.ts')).undoOpenclaw,
  },
  {
    name: 'openclaw doctor',
    summary: 'check that OpenClaw remembers with Loci',
    description:
      'Checks the version and the plugin, the keys that setup sets, the settings, the store and the index, ' +
      'and asks a running gateway for memory_search. Each problem comes with its remedy. Changes nothing.',
    operands: [],
    options: { ...OPENCLAW_PROGRAM },
    examples: [
      { title: 'Check everything', line: 'loci openclaw doctor' },
      { title: 'For another program', line: 'loci openclaw doctor --json' },
    ],
    load: async () => (await import('../openclaw/setup/doctor.ts')).examineOpenclaw,
  },
  {
    name: 'sources watch',
    summary: 'refresh vaults and sources until it is stopped',
    description:
      'Refreshes vaults and sources in the foreground, until Ctrl-C or SIGTERM. Changed notes are read and embedded, and ' +
      'commands of approved sources run, each when it is due. It first lists them with their condition, as `loci sources list`, and then ' +
      'prints one line for each refresh. Restart it after a change of loci.yaml. `loci serve` and `loci mcp` refresh vaults and ' +
      'sources too; of several processes, one at a time refreshes a source. With --json each event is a line of JSON.',
    operands: [],
    options: {},
    examples: [
      { title: 'Refresh everything when it is due', line: 'loci sources watch' },
      { title: 'In JSON Lines, for another program', line: 'loci sources watch --json' },
    ],
    load: async () => (await import('./watch/watch.ts')).watch,
  },
  {
    name: 'config completion',
    summary: 'print a script that completes commands in your shell',
    description:
      'Prints a script that makes a shell complete the commands of Loci with Tab: subcommands, options and their values. ' +
      'Add the line of your shell to its settings. The script asks `loci` itself at each Tab.',
    operands: [
      { label: 'shell', description: 'The shell: bash, zsh or fish.', choices: ['bash', 'zsh', 'fish'] },
    ],
    options: {},
    examples: [
      { title: 'bash: in ~/.bashrc', line: 'eval "$(loci config completion bash)"' },
      { title: 'zsh: in ~/.zshrc, after compinit', line: 'eval "$(loci config completion zsh)"' },
      { title: 'fish: in ~/.config/fish/config.fish', line: 'loci config completion fish | source' },
    ],
    load: async () => (await import('./completion.ts')).printCompletion,
  },
];

/** Adds the operands, options and examples of a standalone command, and calls `onCall` when it is run. */
export function describeStandaloneCommand(
  command: Command,
  { description, operands, options, lists = {}, examples }: StandaloneCommand,
  onCall: (call: StandaloneCall) => Promise<void>,
): void {
  command.description(description);
  for (const { label, description: text, choices } of operands) {
    const argument = new Argument(`[${label.toUpperCase()}]`, text);
    if (choices !== undefined) argument.argChoices = [...choices];
    command.addArgument(argument);
  }
  for (const [name, text] of Object.entries(options)) command.option(`--${name}`, text);
  for (const [name, text] of Object.entries(lists))
    command.option(`--${name}`, text, (value, before: readonly string[] | undefined) => [
      ...(before ?? []),
      value,
    ]);
  const lines = examples.map(({ title, line }) => `  # ${title}\n  ${line}`);
  command.addHelpText('after', `\nExamples:\n${lines.join('\n\n')}\n`);
  command.action(async () => {
    const globals = command.optsWithGlobals<{ readonly json?: boolean; readonly home?: string }>();
    const values = command.opts<Record<string, string | true | readonly string[]>>();
    const given: Record<string, string | true> = {};
    const repeated: Record<string, readonly string[]> = {};
    for (const option of command.options) {
      const value = values[option.attributeName()];
      if (Array.isArray(value)) repeated[option.name()] = value as string[];
      else if (value !== undefined) given[option.name()] = value as string | true;
    }
    await onCall({
      operands: command.args,
      options: given,
      lists: repeated,
      json: globals.json ?? false,
      home: globals.home,
    });
  });
}
