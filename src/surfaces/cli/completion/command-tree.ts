import type { Command, Option } from 'commander';

/** A command as shells complete it. */
export interface CompletedCommand {
  /** The words after `loci`, separated by spaces: `fact store`; empty for `loci` itself. */
  readonly path: string;
  readonly subcommands: readonly NamedEntry[];
  /** Its options, and those that every command has. */
  readonly options: readonly CompletedOption[];
  /** The values that its first operand may have; empty if they are not known. */
  readonly operandChoices: readonly string[];
}

interface NamedEntry {
  readonly name: string;
  /** On one line. */
  readonly description: string;
}

export interface CompletedOption {
  /** With dashes: `-n`, `--limit`. */
  readonly flags: readonly string[];
  readonly description: string;
  /** `null` for a flag. */
  readonly value: OptionValue | null;
}

interface OptionValue {
  /** Empty if the values are not known. */
  readonly choices: readonly string[];
  readonly isFile: boolean;
}

/** All commands of a program, itself first. */
export function completedCommands(program: Command): CompletedCommand[] {
  return [...commandsBelow(program, '')];
}

function* commandsBelow(command: Command, path: string): Generator<CompletedCommand> {
  const help = command.createHelp();
  const subcommands = help.visibleCommands(command);
  const [operand] = command.registeredArguments;
  yield {
    path,
    subcommands: subcommands.map((each) => ({
      name: each.name(),
      description: oneSentence(help.subcommandDescription(each)),
    })),
    options: [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)].map(completedOption),
    operandChoices: operand?.argChoices ?? [],
  };
  const names = subcommands.map((each) => each.name());
  for (const each of subcommands) {
    const below = commandsBelow(each, path === '' ? each.name() : `${path} ${each.name()}`);
    // The command that commander adds has no list of the commands that it explains.
    if (each.name() === 'help') for (const entry of below) yield { ...entry, operandChoices: names };
    else yield* below;
  }
}

/** The flags that take a value, in any command. */
export function flagsWithValue(commands: readonly CompletedCommand[]): string[] {
  const options = commands.flatMap((command) => command.options);
  return [...new Set(options.filter(({ value }) => value !== null).flatMap(({ flags }) => flags))];
}

const FILE_PLACEHOLDERS: ReadonlySet<string> = new Set(['file', 'dir', 'to']);

function completedOption(option: Option): CompletedOption {
  const placeholder = /<(.+)>/.exec(option.flags)?.[1] ?? null;
  const flags = [option.short, option.long].filter((flag) => typeof flag === 'string');
  const description = oneSentence(option.description);
  if (placeholder === null) return { flags, description, value: null };
  const choices = placeholder.includes('|') ? placeholder.split('|') : [];
  return { flags, description, value: { choices, isFile: FILE_PLACEHOLDERS.has(placeholder) } };
}

/** The first sentence, on one line, without a full stop: shells show descriptions beside names. */
function oneSentence(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replace(/[.;] .*$/, '')
    .replace(/\.$/, '');
}
