import type { Command } from 'commander';

/** `Usage: loci get [options] <CITATION...>; see `loci get --help`.` */
export function usageHint(command: Command): string {
  return `Usage: ${command.createHelp().commandUsage(command)}; see \`${fullName(command)} --help\`.`;
}

/** The innermost command that the words of a command line name. */
export function findCommand(program: Command, argv: readonly string[]): Command {
  let command = program;
  for (const [i, word] of argv.entries()) {
    if (word === '--') break;
    const below = command.commands.find((each) => each.name() === word);
    // What follows a word that is no command, and neither an option nor its value, are no commands either.
    if (below === undefined && !word.startsWith('-') && argv[i - 1]?.startsWith('-') !== true) break;
    command = below ?? command;
  }
  return command;
}

function fullName(command: Command): string {
  return command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;
}
