import { Command } from 'commander';
import { packageVersion } from '../../core/version.ts';
import type { OperationEntry } from '../../operations/registry.ts';
import type { CommandCall } from './command-call.ts';
import { EXIT_CODES } from './report-error.ts';
import { columnsOf, type Io } from '../shared/io.ts';
import type { ServerCall } from '../shared/server-call.ts';
import { describeServerCommand } from './server-command.ts';
import { type ServerCommand, SERVERS } from './server-commands.ts';
import { GROUPS, shapeOf } from './shapes.ts';

const START = `
Start here:
  loci index ~/vault                                  read your notes
  loci search "what did we decide about the oven"     find something in them
  loci get "Home/Kitchen remodel.md#L24-L40"          read it
  loci COMMAND --help                                 options and examples

Settings are in loci.yaml in $LOCI_HOME (~/.loci unless set). With --json every command answers one JSON
document on standard output, {"error": {code, message, hint}} when it fails; progress and warnings are on
standard error.
`;

/** What happens once a command line is understood. */
export interface ProgramActions {
  run(call: CommandCall): Promise<void>;
  serve(server: ServerCommand, call: ServerCall): Promise<void>;
}

/**
 * The command line as a whole. Only the verbs that it may name are loaded: listing them all, with what they need,
 * would take several times as long as the help itself.
 */
export async function buildProgram(
  argv: readonly string[],
  entries: readonly OperationEntry[],
  io: Io,
  actions: ProgramActions,
): Promise<Command> {
  const program = new Command('loci')
    .description(
      'Loci remembers: it indexes your notes, keeps what you tell it, and finds the right passage again.',
    )
    .usage('[options] COMMAND')
    .option('--json', 'answer one JSON document')
    .option('--home <dir>', 'the home folder, instead of $LOCI_HOME or ~/.loci')
    .option(
      '--input <file>',
      'take the fields of the input from a JSON object in a file, or - for standard input',
    )
    .version(packageVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .exitOverride()
    .configureHelp({ showGlobalOptions: true, helpWidth: columnsOf(io.stdout) })
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      outputError: () => undefined,
    })
    .addHelpText('after', () => START + exitCodes());
  for (const entry of entries) {
    const { words } = shapeOf(entry.name);
    const command = addCommand(program, words, entry.summary);
    if (!words.every((word) => argv.includes(word))) continue;
    const { describeCommand } = await import('./describe-command.ts');
    describeCommand(command, await entry.load(), io, (call) => actions.run(call));
  }
  for (const server of SERVERS) {
    const command = addCommand(program, server.name.split(' '), server.summary);
    describeServerCommand(command, server, (which, call) => actions.serve(which, call));
  }
  return program;
}

function addCommand(program: Command, words: readonly string[], summary: string): Command {
  return groupOf(program, words.slice(0, -1))
    .command(words.at(-1) ?? '')
    .summary(summary)
    .description(summary);
}

function groupOf(program: Command, words: readonly string[]): Command {
  let group = program;
  for (const word of words) {
    const known = group.commands.find((command) => command.name() === word);
    group = known ?? group.command(word).description(GROUPS[word] ?? '');
  }
  return group;
}

function exitCodes(): string {
  const lines = EXIT_CODES.map(([code, meaning]) => `  ${String(code).padStart(3)}  ${meaning}`);
  return `\nExit codes:\n${lines.join('\n')}\n`;
}
