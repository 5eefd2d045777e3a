import type { Command } from 'commander';

/** `Usage: loci get [options] <CITATION...>; see `loci get --help`.` */
export function usageHint(command: Command): string {
  return `Usage: ${command.createHelp().commandUsage(command)}; see \`${fullName(command)} --help\`.`;
}

/** The innermost command that the words of a command line name. */
export function findCommand(program: Command, argv: readonly string[]): Command {
  let command = program;
  for (const word of argv) {
    if (word === '--') break;
    command = command.commands.find((each) => each.name() === word) ?? command;
  }
  return command;
}

function fullName(command: Command): string {
  return command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;
}
