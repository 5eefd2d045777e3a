import { Command, CommanderError } from 'commander';
import type { OperationEntry } from '../../operations/registry.ts';
import { COMMAND_GROUPS, commandWords, DEFAULT_COMMANDS } from '../shared/command-names.ts';
import { outputColumns, type Io } from '../shared/io.ts';
import type { StandaloneCall } from '../shared/run-standalone.ts';
import type { CommandCall } from './describe-command.ts';
import { EXIT_CODES } from './report-error.ts';
import {
  describeStandaloneCommand,
  STANDALONE_COMMANDS,
  type StandaloneCommand,
} from './standalone-commands.ts';

const DESCRIPTION = 'Memory for AI agents: indexes your notes, stores what you write, and finds it again.';

/** What `loci` alone prints. */
export const GETTING_STARTED = `${DESCRIPTION}

  loci index ~/vault                                  read your notes
  loci search "what did we decide about the oven"     find something in them
  loci get "Home/Kitchen remodel.md#L24-L40"          read it
  loci write "Tomas comes on Friday at nine"          remember something
  loci ui                                             look at all of it in the browser
  loci mcp config CLIENT                              connect an agent

\`loci --help\` lists all commands, and \`loci COMMAND --help\` the options of one, with examples.
`;

const CONVENTIONS = `
Settings are in loci.yaml in $LOCI_HOME (default: ~/.loci). With --json, every command prints one JSON document
on standard output, {"error": {code, message, hint}} when it fails; progress and warnings go to standard error.
`;

/** The code of the error that `--version` throws, as the option of commander does. The caller prints the version. */
export const VERSION_REQUESTED = 'commander.version';

/** What to do with a parsed command line. */
interface ProgramActions {
  run(call: CommandCall): Promise<void>;
  runStandalone(standalone: StandaloneCommand, call: StandaloneCall): Promise<void>;
}

/**
 * Builds the command line. Only operations that `argv` may name are loaded, because loading all of them takes several
 * times as long as printing the help.
 */
export async function buildProgram(
  argv: readonly string[],
  entries: readonly OperationEntry[],
  io: Io,
  actions: ProgramActions,
): Promise<Command> {
  const program: Command = new Command('loci')
    .description(DESCRIPTION)
    .usage('[options] COMMAND')
    .option('--json', 'print one JSON document')
    .option('--home <dir>', 'the home folder, instead of $LOCI_HOME or ~/.loci')
    .option(
      '--input <file>',
      'read the fields of the input from a JSON object in a file, or - for standard input',
    )
    .option('-V, --version', 'print the version')
    .on('option:version', () => {
      throw new CommanderError(0, VERSION_REQUESTED, 'the version was requested');
    })
    .helpOption('-h, --help', 'show help')
    .commandsGroup(headingOf('help'))
    .helpCommand('help [command]', 'show help for a command')
    .exitOverride()
    // The options of `list` are not those of `list table`.
    .configureHelp({
      showGlobalOptions: true,
      visibleGlobalOptions: ({ parent }) => (parent === null ? [] : [...program.options]),
      helpWidth: outputColumns(io.stdout),
    })
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      // A group without a command: the error lists its commands.
      writeErr: () => undefined,
      outputError: () => undefined,
    })
    .addHelpText('after', () => CONVENTIONS + exitCodes());
  const commands = addCommands(program, [
    ...entries.map(({ name, summary }) => ({ words: commandWords(name), summary })),
    ...STANDALONE_COMMANDS.map(({ name, summary }) => ({ words: name.split(' '), summary })),
  ]);
  for (const entry of entries) {
    const words = commandWords(entry.name);
    const isDefault = words.at(-1) === DEFAULT_COMMANDS[words[0] ?? ''];
    if (!words.slice(0, isDefault ? 1 : undefined).every((word) => argv.includes(word))) continue;
    const { describeCommand } = await import('./describe-command.ts');
    const command = commands.get(words.join(' '))!;
    await describeCommand(command, await entry.load(), io, (call) => actions.run(call));
  }
  for (const standalone of STANDALONE_COMMANDS) {
    const command = commands.get(standalone.name)!;
    describeStandaloneCommand(command, standalone, (call) => actions.runStandalone(standalone, call));
  }
  return program;
}

interface NamedCommand {
  readonly words: readonly string[];
  readonly summary: string;
}

/** Adds commands in the order of the help. Returns them by their words, separated by spaces. */
function addCommands(program: Command, commands: readonly NamedCommand[]): Map<string, Command> {
  const added = commands
    .toSorted((a, b) => byOrder(a.words, b.words))
    .map(({ words, summary }): [string, Command] => {
      const name = words.at(-1) ?? '';
      const group = findGroup(program, words.slice(0, -1));
      const isDefault = name === DEFAULT_COMMANDS[words[0] ?? ''];
      return [words.join(' '), group.command(name, { isDefault }).summary(summary).description(summary)];
    });
  for (const command of program.commands) command.helpGroup(headingOf(command.name()));
  return new Map(added);
}

/** The command that contains the others of a group; it is created for the first of them. */
function findGroup(program: Command, words: readonly string[]): Command {
  let group = program;
  for (const word of words) {
    const existing = group.commands.find((command) => command.name() === word);
    group = existing ?? group.command(word).description(COMMAND_GROUPS[word] ?? '');
  }
  return group;
}

function exitCodes(): string {
  const lines = EXIT_CODES.map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`);
  return `\nExit codes:\n${lines.join('\n')}\n`;
}

/** The headings of `loci --help` with the first words of their commands, in this order. */
export const HELP_GROUPS: Readonly<Record<string, readonly string[]>> = {
  'Memory:': [
    ...['search', 'get', 'open', 'write', 'update', 'delete', 'undelete', 'pack', 'fact', 'inbox'],
    ...['timeline', 'graph'],
  ],
  'Setup:': ['index', 'sources', 'ui', 'status', 'doctor', 'config', 'openclaw', 'mcp', 'serve'],
  'More commands:': ['list', 'import', 'export', 'startup', 'receipt', 'embed', 'recall'],
};

const HEADINGS = Object.keys(HELP_GROUPS);

function headingOf(word: string): string {
  return HEADINGS.find((heading) => HELP_GROUPS[heading]?.includes(word)) ?? 'More commands:';
}

const ORDER = Object.values(HELP_GROUPS).flat();

/** Sorts commands as the help lists them, a command before those below it. */
function byOrder(a: readonly string[], b: readonly string[]): number {
  return ORDER.indexOf(a[0] ?? '') - ORDER.indexOf(b[0] ?? '') || a.length - b.length;
}
