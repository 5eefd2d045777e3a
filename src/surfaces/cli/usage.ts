import type { Command } from 'commander';

/** `Usage: loci get [options] <CITATION...>; see `loci get --help`.` */
export function usageHint(command: Command): string {
  return `Usage: ${command.createHelp().commandUsage(command)}; see \`${nameOf(command)} --help\`.`;
}

/** The command that a command line names, as far as it does. */
export function commandNamed(program: Command, argv: readonly string[]): Command {
  let command = program;
  for (const word of argv) {
    if (word === '--') break;
    command = command.commands.find((each) => each.name() === word) ?? command;
  }
  return command;
}

function nameOf(command: Command): string {
  return command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;
}
